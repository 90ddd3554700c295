package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
)

// Suffix ends the name of a file of cases.
const Suffix = ".test.json"

// PathOf is the file of cases that belongs to a tool file: beside it, with its name.
func PathOf(toolFile string) string {
	return strings.TrimSuffix(toolFile, filepath.Ext(toolFile)) + Suffix
}

// File is a file of cases.
type File struct {
	// Schema is for editors; it changes nothing.
	Schema string  `json:"$schema,omitempty"`
	Cases  []*Case `json:"cases"`
}

// Case is one run of a tool.
type Case struct {
	// Name is what the case is about; each of a file has its own.
	Name string `json:"name"`
	// Inputs is a JSON object; nil is an empty one.
	Inputs json.RawMessage `json:"inputs,omitempty"`
	// Now is when the script's clock starts; zero is the first moment of 2026, in UTC.
	Now time.Time `json:"now,omitzero"`
	// Seed is that of the script's random numbers; 0 is 1.
	Seed uint64 `json:"seed,omitempty"`
	// Calls are the host calls that the script makes; each must be made.
	Calls []*Call `json:"calls,omitempty"`
	Expected
}

// Expected is how a run has to end. Parts of Value and Error can be matchers.
type Expected struct {
	// Outcome is that of the run; empty is ok.
	Outcome runtime.Outcome `json:"outcome,omitempty"`
	// Limit is which limit ended the run; empty is any.
	Limit string `json:"limit,omitempty"`
	// Value is what the tool returns, as JSON; nil is any value.
	Value json.RawMessage `json:"value,omitempty"`
	// Error has some of name, code, message and data of the run's error; nil is any.
	Error json.RawMessage `json:"error,omitempty"`
}

// says reports whether anything is expected.
func (e Expected) says() bool {
	return e.Outcome != "" || e.Value != nil || e.Error != nil
}

// Call is a host call and its answer.
type Call struct {
	Tool string `json:"tool"`
	// Args are the arguments, a JSON object, by the names that the tool's schema has; nil is {}.
	// Parts of them can be matchers.
	Args json.RawMessage `json:"args,omitempty"`
	// Background is set for a call that gives a handle. It has operations, and a Result only if
	// nothing was started.
	Background bool `json:"background,omitempty"`
	Answer
	// Operations are what is done with the handle.
	Operations []*Operation `json:"operations,omitempty"`
}

// Operation is something done with a handle, such as wait, and its answer.
type Operation struct {
	Name string `json:"operation"`
	// Args are as those of a [Call].
	Args json.RawMessage `json:"args,omitempty"`
	Answer
}

// Answer is what comes back. One of its fields is set.
type Answer struct {
	Result *Result `json:"result,omitempty"`
	// Refused says that a person was asked and said no, or why an operation was refused.
	Refused string `json:"refused,omitempty"`
	// Pending is set for what was under way when the run ended.
	Pending bool `json:"pending,omitempty"`
}

// Result is the part of a [hostapi.Result] that a script can see. A JSON text is a result with
// this output.
type Result struct {
	// Outcome is empty for ok with exit code 0, and for failed with another.
	Outcome   hostapi.Outcome `json:"outcome,omitempty"`
	Output    Text            `json:"output,omitempty"`
	Text      *Text           `json:"text,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	ExitCode  int             `json:"exitCode,omitempty"`
	Throws    bool            `json:"throws,omitempty"`
	Signal    string          `json:"signal,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	Cut       string          `json:"cut,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (r *Result) MarshalJSON() ([]byte, error) {
	type fields Result // without this method
	whole, err := encode((*fields)(r))
	if err != nil {
		return nil, err
	}
	short, err := encode(&fields{Output: r.Output})
	if err == nil && bytes.Equal(whole, short) {
		return encode(r.Output)
	}
	return whole, err
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Result) UnmarshalJSON(raw []byte) error {
	*r = Result{}
	if raw[0] == '"' || raw[0] == '[' {
		return json.Unmarshal(raw, &r.Output)
	}
	type fields Result
	return json.Unmarshal(raw, (*fields)(r))
}

// Text is a text that is written to JSON as a list of its lines if it has several.
type Text string

// MarshalJSON implements [json.Marshaler].
func (t Text) MarshalJSON() ([]byte, error) {
	if lines := strings.Split(string(t), "\n"); len(lines) > 1 {
		return encode(lines)
	}
	return encode(string(t))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(raw []byte) error {
	var lines []string
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	err := json.Unmarshal(raw, &lines)
	*t = Text(strings.Join(lines, "\n"))
	return err
}

// encode is JSON as a person wants to read it: with < and > as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Write replaces the file at path, whole or not at all.
func (f *File) Write(path string) error {
	compact, err := encode(f)
	if err != nil {
		return err
	}
	text := laidOut(compact)
	if len(text) > maxFile {
		return fmt.Errorf("the cases take %d bytes; a file of them has at most %d: record runs that read less", len(text), maxFile)
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return regular.Replace(path, text, mode)
}
