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
	"github.com/scriptrun/scriptrun/internal/clip"
	"github.com/scriptrun/scriptrun/runtime"
)

// The events that an [Entry] is of.
const (
	EventRunBegan  = "run_began"
	EventCall      = "call"
	EventOperation = "operation"
	EventRun       = "run" // it has ended
)

// Entry is one line of the log. Keys are added over time and never renamed.
type Entry struct {
	Time  time.Time `json:"time"` // when it was written
	Event string    `json:"event"`
	// User and Caller are who: of the host, and the client that asked it.
	User   string `json:"user,omitempty"`
	Caller string `json:"caller,omitempty"`
	// Run is the number on the report, and Trace that of the trace it belongs to.
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
	// Rule decided, and RuleFrom is where it stands.
	Rule     string `json:"rule,omitempty"`
	RuleFrom string `json:"ruleFrom,omitempty"`
	// Plan is what the call was resolved to, of many parts the first; PlanLeftOut counts
	// those after them. Opaque is why it has no plan.
	Plan        []string `json:"plan,omitempty"`
	PlanLeftOut int      `json:"planLeftOut,omitempty"`
	Opaque      string   `json:"opaque,omitempty"`
	// Cwd and Environment are where a command ran; the latter is a name.
	Cwd         string `json:"cwd,omitempty"`
	Environment string `json:"environment,omitempty"`

	// Status is that of a call or operation, Outcome and Limit are those of a run.
	Status   hostapi.Status  `json:"status,omitempty"`
	Outcome  runtime.Outcome `json:"outcome,omitempty"`
	Limit    string          `json:"limit,omitempty"`
	ExitCode *int            `json:"exitCode,omitempty"`
	Signal   string          `json:"signal,omitempty"`
	Error    string          `json:"error,omitempty"`
	// Calls is how many a run made, refused ones too.
	Calls      *int     `json:"calls,omitempty"`
	DurationMS *float64 `json:"durationMs,omitempty"`

	// Cut is set where the line was too long, and arguments and plan were left out.
	Cut bool `json:"cut,omitempty"`
}

// MaxLine is how long a line is at most, in bytes.
const MaxLine = 64 << 10

// The parts of a line are bounded one by one: a text, a name, and a plan.
const maxText, maxName, maxPlan, maxSubject = 1 << 10, 256, 32, 512

// Line is the entry as one line of JSON with its newline, of at most [MaxLine] bytes. It
// has no character that a terminal acts on: they are escaped.
func (e Entry) Line() ([]byte, error) {
	for _, text := range []*string{&e.Error, &e.Opaque, &e.Rule, &e.RuleFrom, &e.Site, &e.Source, &e.Cwd, &e.Operation} {
		*text = bounded(*text, maxText)
	}
	for _, name := range []*string{&e.User, &e.Caller, &e.Run, &e.Tool, &e.Environment, &e.Trace, &e.Signal, &e.Limit} {
		*name = bounded(*name, maxName)
	}
	line, err := encode(e)
	if err == nil && len(line) > MaxLine {
		e.PlanLeftOut += len(e.Plan)
		e.Args, e.Plan, e.Cut = nil, nil, true
		line, err = encode(e)
	}
	return line, err
}

func encode(e Entry) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return nil, err
	}
	return escaped(text.Bytes()), nil
}

// escaped is a line of JSON without characters that are not seen. They stand in strings
// alone, where each may be written by its number.
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

// bounded is the beginning of a text that is too long, and how long it was.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = " …"
	return strings.ToValidUTF8(clip.Head(text, most-len(more)), "\uFFFD") + more
}
