package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// advice tells a model, or a person behind it, what to change.
type advice struct {
	inputs, limits, rules string
	code                  string // for a model that wrote the code; empty if it did not
	settings              string // the operator's file; empty if it is not known
}

func adviceFor(spec *scripttools.ScriptToolSpec) advice {
	about := spec.Describe()
	return advice{
		inputs: "correct the arguments and call it again",
		limits: "ask it for less, or have that limit raised",
		rules:  fmt.Sprintf("%s allows %s; use arguments that stay within that, or have its author extend allowed_tools", spec.Path, about.Reach()),
	}
}

// result turns a report into what a model sees. of is what
// its tool promised.
func (s *Server) result(report *runtime.Report, a advice, of output) *mcp.CallToolResult {
	r := &mcp.CallToolResult{Meta: mcp.Meta{
		"scriptrun/run": report.Run, "scriptrun/outcome": string(report.Outcome), "scriptrun/report": reportURI(report.Run),
	}}
	text, part := valueText(report), partValue
	if report.Outcome != runtime.OutcomeOK {
		r.IsError = true
		text, part = explain(report, a), partReport
	}
	text, cut := s.cut(text, report.Run, part)
	// Who promised a structure in a schema has to keep it; otherwise models would get all that was cut.
	if value := structured(report.Value, of.wrapped); value != nil && !r.IsError && (!cut || of.declared) {
		r.StructuredContent = value
	}
	r.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	if report.Outcome == runtime.OutcomeFailed && report.Failure.Data != nil {
		data, _ := s.cut(string(report.Failure.Data), report.Run, partReport)
		r.Content = append(r.Content, &mcp.TextContent{Text: data})
	}
	for _, note := range report.NoteLines() { // the script may not have passed it on
		if !strings.Contains(text, strings.TrimPrefix(note, "note: ")) {
			r.Content = append(r.Content, &mcp.TextContent{Text: plain.Quote(note)})
		}
	}
	for _, name := range spilled(s.options.SpillDir, report) {
		r.Content = append(r.Content, &mcp.ResourceLink{
			URI: outputURI(report.Run, name), Name: name, MIMEType: "text/plain", Description: "the whole of an output that was cut",
		})
	}
	return r
}

func isObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }

// maxDenied limits the refused calls that a model is told; the receipt has all.
const maxDenied = 10

// explain says how a run ended, where, and what to do.
func explain(report *runtime.Report, a advice) string {
	if report.Outcome == runtime.OutcomeFailed {
		return report.Failure.Message
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s", report.Outcome)
	if report.Limit != "" {
		fmt.Fprintf(&b, " (%s)", report.Limit)
	}
	if f := report.Failure; f != nil {
		fmt.Fprintf(&b, ": %s", plain.Quote(f.Message))
		if f.Pos.Line > 0 {
			fmt.Fprintf(&b, "\nat %s", f.Pos)
		}
		if f.Frame != "" {
			fmt.Fprintf(&b, "\n%s", f.Frame)
		}
	}
	if said := lastLogs(report.Logs); said != "" {
		fmt.Fprintf(&b, "\nThe console's last lines:\n%s", said)
	}
	denied := 0
	for _, call := range report.Calls {
		if call.Status != hostapi.StatusDenied {
			continue
		}
		if denied++; denied <= maxDenied {
			fmt.Fprintf(&b, "\nnot allowed: %s %s", plain.Quote(call.Tool), plain.Quote(clip.Head(string(call.Args), 500)))
		}
	}
	if denied > maxDenied {
		fmt.Fprintf(&b, "\nand %d more that were not allowed", denied-maxDenied)
	}
	what := a.of(report)
	if allowable(report) && (report.Outcome == runtime.OutcomeScriptError || report.Outcome == runtime.OutcomeInvalidOutput) {
		what = "do without what the sandbox refused, or have the operator of this server allow it in " + cmp.Or(plain.Quote(a.settings), "the settings")
	}
	if what != "" {
		fmt.Fprintf(&b, "\nWhat to do: %s.", what)
	}
	return b.String()
}

// The last lines of the console that the text of a failure has: clients show models no
// logs.
const maxLastLines, maxLastBytes = 10, 1 << 10

func lastLogs(logs []runtime.Entry) string {
	var lines []string
	for _, entry := range logs[max(len(logs)-maxLastLines, 0):] {
		lines = append(lines, "| "+strings.ReplaceAll(plain.Text(entry.Text), "\n", "\n| "))
	}
	all := strings.Join(lines, "\n")
	if len(all) <= maxLastBytes {
		return all
	}
	return "…" + clip.Tail(all, maxLastBytes)
}

// allowable reports whether a sandbox refused something that a setting allows.
func allowable(report *runtime.Report) bool {
	return slices.ContainsFunc(report.NoteLines(), func(note string) bool {
		return strings.HasPrefix(note, "note: the sandbox ") && strings.Contains(note, "; allow it with ")
	})
}

func (a advice) of(report *runtime.Report) string {
	switch report.Outcome { //exhaustive:enforce
	case runtime.OutcomeInvalidInput:
		return a.inputs
	case runtime.OutcomeLimit, runtime.OutcomeTimeout:
		return a.limits
	case runtime.OutcomeDenied:
		return a.rules
	case runtime.OutcomeCrashed:
		if a.code != "" {
			return "the code crashed its engine; write it in another way"
		}
		return "the tool's code crashed its engine, and nothing else; tell its author, and do not simply try again"
	case runtime.OutcomeScriptError, runtime.OutcomeInvalidOutput:
		if a.code != "" {
			return a.code
		}
		return "if other arguments do not help, tell its author; the receipt is the resource " + reportURI(report.Run)
	case runtime.OutcomeCancelled:
		if errors.Is(report.Err(), runtime.ErrClosed) {
			return "the server is ending; call it again once it runs"
		}
	case runtime.OutcomeOK, runtime.OutcomeFailed:
	}
	return ""
}
