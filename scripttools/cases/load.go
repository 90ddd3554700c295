package cases

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// maxFile is how large a file of cases may be, in bytes.
const maxFile = 64 << 20

//go:embed cases.schema.json
var schemaText []byte

var fileSchema = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(schemaText) })

// Schema is the JSON Schema of a file of cases.
func Schema() json.RawMessage { return bytes.Clone(schemaText) }

// Load reads a file of cases: a regular file of its folder, which no link leads out of. The error
// is a *[scripttools.LoadError] with every problem.
func Load(path string) (*File, error) {
	shown := filepath.ToSlash(path)
	var raw []byte
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err == nil {
		defer folder.Close()
		raw, err = regular.ReadIn(folder, filepath.Base(path), maxFile)
	}
	var shape *regular.ShapeError
	var failed *fs.PathError
	switch {
	case errors.As(err, &shape):
		return nil, unread(shown, errors.New(shape.Reason()))
	case errors.As(err, &failed):
		return nil, unread(shown, failed.Err)
	case err != nil:
		return nil, unread(shown, err)
	}
	return parse(shown, raw)
}

// unread is the error for a file that cannot be read.
func unread(path string, why error) error {
	return &scripttools.LoadError{Problems: []scripttools.Problem{{Pos: runtime.Position{File: path}, Msg: fmt.Sprintf("it cannot be read: %v", why)}}}
}

// parse reads the text of a file of cases.
func parse(path string, raw []byte) (*File, error) {
	s := &source{path: path, raw: bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))}
	var whole json.RawMessage
	if err := json.Unmarshal(s.raw, &whole); err != nil {
		at := len(s.raw)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && int(syntax.Offset) < at {
			at = int(syntax.Offset) - 1
		}
		s.fail(at, fmt.Sprintf("this is not JSON: %v", err))
		return nil, s.error()
	}
	shape, err := fileSchema()
	if err != nil {
		return nil, err
	}
	var broken *schema.Error
	switch err := shape.Validate(s.raw); {
	case errors.As(err, &broken):
		for _, v := range broken.Violations {
			s.at(v.Path, "%s", v.Message)
		}
		return nil, s.error()
	case err != nil:
		s.fail(0, err.Error())
		return nil, s.error()
	}
	f := &File{}
	if err := json.Unmarshal(s.raw, f); err != nil {
		s.fail(0, err.Error())
		return nil, s.error()
	}
	s.check(f)
	return f, s.error()
}

// check finds what the schema does not say.
func (s *source) check(f *File) {
	names := map[string]bool{}
	for i, c := range f.Cases {
		at := fmt.Sprintf("/cases/%d", i)
		if names[c.Name] {
			s.at(at+"/name", "another case has this name; give one of them another")
		}
		names[c.Name] = true
		s.matchers(at+"/value", c.Value)
		s.matchers(at+"/error", c.Error)
		ok := c.Outcome == "" || c.Outcome == runtime.OutcomeOK
		switch {
		case c.Error != nil && ok:
			s.at(at+"/error", "a run that ends well has no error; say the outcome, such as failed")
		case c.Value != nil && !ok:
			s.at(at+"/value", "a run whose outcome is %s has no value", c.Outcome)
		}
		for j, call := range c.Calls {
			at := fmt.Sprintf("%s/calls/%d", at, j)
			s.matchers(at+"/args", call.Args)
			if call.Background {
				if n := call.count(); n > 1 || n == 1 && len(call.Operations) > 0 {
					s.at(at, "a call in the background has operations, or else result, refused or pending, if nothing was started")
				}
			} else {
				s.answer(at, call.Answer)
				if len(call.Operations) > 0 {
					s.at(at+"/operations", "only a call in the background has operations; add \"background\": true")
				}
			}
			for k, o := range call.Operations {
				at := fmt.Sprintf("%s/operations/%d", at, k)
				s.matchers(at+"/args", o.Args)
				s.answer(at, o.Answer)
			}
		}
	}
}

func (a Answer) count() (n int) {
	for _, set := range []bool{a.Result != nil, a.Refused != "", a.Pending} {
		if set {
			n++
		}
	}
	return n
}

func (s *source) answer(at string, a Answer) {
	if a.count() != 1 {
		s.at(at, "it has no answer, or several; give it one of result, refused and pending")
	}
}

func (s *source) matchers(at string, raw json.RawMessage) {
	if raw == nil {
		return
	}
	checkMatchers(decoded(raw), at, func(at, message string) { s.at(at, "%s", message) })
}

// source is the text of a file, and what is wrong with it.
type source struct {
	path     string
	raw      []byte
	problems []scripttools.Problem
	offsets  map[string]int // of values, by JSON Pointer; nil until one is looked for
}

func (s *source) error() error {
	if len(s.problems) == 0 {
		return nil
	}
	return &scripttools.LoadError{Problems: s.problems}
}

// at adds a problem of the value at a JSON Pointer, or of the nearest one around it.
func (s *source) at(pointer, format string, args ...any) {
	if s.offsets == nil {
		s.offsets = map[string]int{}
		decoder := json.NewDecoder(bytes.NewReader(s.raw))
		s.measure(decoder, "")
	}
	for {
		if offset, ok := s.offsets[pointer]; ok || pointer == "" {
			s.fail(offset, fmt.Sprintf(format, args...))
			return
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// measure notes where the next value of a text that is JSON begins, and those in it.
func (s *source) measure(d *json.Decoder, pointer string) {
	offset := int(d.InputOffset())
	for offset < len(s.raw) && bytes.IndexByte([]byte(" \t\r\n,:"), s.raw[offset]) >= 0 {
		offset++
	}
	s.offsets[pointer] = offset
	token, err := d.Token()
	delim, nested := token.(json.Delim)
	if err != nil || !nested {
		return
	}
	for i := 0; d.More(); i++ {
		key := strconv.Itoa(i)
		if delim == '{' {
			token, _ := d.Token()
			name, _ := token.(string)
			key = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		}
		s.measure(d, pointer+"/"+key)
	}
	_, _ = d.Token()
}

func (s *source) fail(offset int, message string) {
	before := s.raw[:max(0, min(offset, len(s.raw)))]
	number, begin := bytes.Count(before, []byte("\n"))+1, bytes.LastIndexByte(before, '\n')+1
	line, _, _ := bytes.Cut(s.raw[begin:], []byte("\n"))
	col := utf8.RuneCount(before[begin:]) + 1
	s.problems = append(s.problems, scripttools.Problem{
		Pos: runtime.Position{File: s.path, Line: number, Col: col}, Msg: message,
		Excerpt: plain.Excerpt(strings.TrimSuffix(string(line), "\r"), number, col),
	})
}
