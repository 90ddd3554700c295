package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime"
)

// The events that a line reports.
const (
	eventRunBegan  = "run_began"
	eventCall      = "call"
	eventOperation = "operation"
	eventRun       = "run" // it has ended
)

// entry is one line of the log. Keys are added over time and never renamed.
type entry struct {
	Time  time.Time `json:"time"` // when it was written
	Event string    `json:"event"`
	// User runs the host; Caller is the client that asked for the run.
	User   string `json:"user,omitempty"`
	Caller string `json:"caller,omitempty"`
	// Run is the run ID on the report; Trace is the ID of its trace.
	Run   string `json:"run"`
	Trace string `json:"trace,omitempty"`

	Tool      string `json:"tool"`
	Seq       int    `json:"seq,omitempty"`
	Parent    int    `json:"parent,omitempty"`
	Operation string `json:"operation,omitempty"`
	Site      string `json:"site,omitempty"`
	// Source and Digest are the file of a run.
	Source string `json:"source,omitempty"`
	Digest string `json:"sha256,omitempty"`
	// Args are the arguments, or the inputs of a run, as a ledger keeps them.
	Args       json.RawMessage `json:"args,omitempty"`
	Background bool            `json:"background,omitempty"`

	Verdict hostapi.Verdict `json:"verdict,omitempty"`
	// Rule decided; RuleFrom is its file and line.
	Rule     string `json:"rule,omitempty"`
	RuleFrom string `json:"ruleFrom,omitempty"`
	// Plan is what the call resolved to: its first parts, and in PlanLeftOut how many
	// follow. Opaque is why there is no plan.
	Plan        []string `json:"plan,omitempty"`
	PlanLeftOut int      `json:"planLeftOut,omitempty"`
	Opaque      string   `json:"opaque,omitempty"`
	// Cwd is where a command ran, and Environment the name of its environment.
	Cwd         string `json:"cwd,omitempty"`
	Environment string `json:"environment,omitempty"`

	// Status is how a call or an operation ended, Outcome how a run did. Limit is the
	// limit that either exceeded.
	Status   hostapi.Status  `json:"status,omitempty"`
	Outcome  runtime.Outcome `json:"outcome,omitempty"`
	Limit    string          `json:"limit,omitempty"`
	ExitCode *int            `json:"exitCode,omitempty"`
	Signal   string          `json:"signal,omitempty"`
	Error    string          `json:"error,omitempty"`
	// Calls counts the calls of a run, refused ones too.
	Calls      *int     `json:"calls,omitempty"`
	DurationMS *float64 `json:"durationMs,omitempty"`

	// Cut says that arguments and plan were left out because the line was too long.
	Cut bool `json:"cut,omitempty"`
}

// The bounds of a line and of its parts, in bytes; maxPlan counts parts of a plan.
const maxLine, maxText, maxName, maxPlan, maxSubject = 64 << 10, 1 << 10, 256, 32, 512

// line is the entry as JSON with a newline. Characters that a terminal acts on are escaped.
func (e entry) line() ([]byte, error) {
	for _, text := range []*string{&e.Error, &e.Opaque, &e.Rule, &e.RuleFrom, &e.Site, &e.Source, &e.Cwd, &e.Operation} {
		*text = bounded(*text, maxText)
	}
	for _, name := range []*string{&e.User, &e.Caller, &e.Run, &e.Tool, &e.Environment, &e.Trace, &e.Signal, &e.Limit} {
		*name = bounded(*name, maxName)
	}
	line, err := encode(e)
	if err == nil && len(line) > maxLine {
		e.PlanLeftOut += len(e.Plan)
		e.Args, e.Plan, e.Cut = nil, nil, true
		line, err = encode(e)
	}
	return line, err
}

func encode(e entry) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return nil, err
	}
	return escaped(text.Bytes()), nil
}

// escaped escapes the invisible characters of a line of JSON. They occur only in strings,
// where JSON has an escape for each.
func escaped(line []byte) []byte {
	if !bytes.ContainsFunc(line, unseen) {
		return line
	}
	out := make([]byte, 0, len(line)+len(line)/8)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if unseen(r) {
			const hex = "0123456789abcdef"
			for _, unit := range utf16.AppendRune(nil, r) {
				out = append(out, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
			}
		} else {
			out = append(out, line[:size]...)
		}
		line = line[size:]
	}
	return out
}

func unseen(r rune) bool {
	return r != '\n' && r >= 0x7f && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// bounded cuts a text that is too long, and marks the cut.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = " …"
	return strings.ToValidUTF8(clip.Head(text, most-len(more)), "\uFFFD") + more
}
