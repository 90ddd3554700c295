package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// printJSON writes one document, indented unless that makes it much larger. On a
// terminal it writes escapes for characters that a terminal must not get.
func printJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	out := plain.JSON(text.Bytes())
	if _, ok := w.(*terminalWriter); ok {
		out = escaped(out)
	}
	_, err := w.Write(append(out, '\n'))
	return err
}

// printReport writes the value to stdout and everything else to stderr. Each line of a
// log, and each further line of an error, is marked as the script's. If one terminal
// shows both, the value's lines are indented, unlike any of ours. shown says that the
// terminal has shown the logs already.
func printReport(e env, r *runtime.Report, shown bool) error {
	if !shown {
		for _, entry := range r.Logs {
			fmt.Fprintln(e.stderr, entry)
		}
	}
	if r.Outcome != runtime.OutcomeOK {
		fmt.Fprintln(e.stderr, r)
		if hint := hintOf(e, r); hint != "" {
			fmt.Fprintf(e.stderr, "hint: %s\n", plain.Line(hint))
		}
		return nil
	}
	for _, note := range r.NoteLines() {
		fmt.Fprintln(e.stderr, plain.Line(note))
	}
	text := strings.TrimSuffix(r.Text, "\n")
	if e.terminal && e.terminalOut {
		text = set(text)
	}
	if _, err := fmt.Fprintln(e.stdout, text); err != nil {
		return err
	}
	if e.terminal {
		fmt.Fprintln(e.stderr, r.Headline())
	}
	return nil
}

// hintOf says what somebody can do after a run that failed; empty if there is nothing to
// say.
func hintOf(e env, r *runtime.Report) string {
	line := refusedLine(r)
	switch {
	case line != "":
		return fmt.Sprintf("scriptrun explain %s says what each of its commands needs", quoted(line))
	case r.Outcome == runtime.OutcomeInvalidInput && len(r.Failure.Violations) > 0 && r.Path != "":
		return fmt.Sprintf("scriptrun run %s --help says what it takes", quoted(r.Path))
	case r.Outcome == runtime.OutcomeScriptError && len(r.Calls) > 0 && e.terminal:
		return "with --json the report has the arguments of each call"
	}
	return ""
}

// refusedLine is the shell line that ended a run because no rule granted it; empty if
// none did, or if it is too long to be typed again.
func refusedLine(r *runtime.Report) string {
	const longest = 200
	if r.Outcome != runtime.OutcomeDenied {
		return ""
	}
	for _, call := range slices.Backward(r.Calls) {
		var args struct{ Command string }
		if call.Status == hostapi.StatusDenied && call.Verdict == hostapi.VerdictDeny && call.Tool == (*shell.Tool)(nil).Name() && json.Unmarshal(call.Args, &args) == nil && len(args.Command) <= longest {
			return args.Command
		}
	}
	return ""
}

// set indents every line by two spaces. A text of little else than line breaks, which
// would become three times as long, keeps its empty lines.
func set(text string) string {
	const indent = "  "
	if strings.Count(text, "\n")*len(indent) > len(text)+1024 {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if line != "" {
				lines[i] = indent + line
			}
		}
		return strings.Join(lines, "\n")
	}
	return indent + strings.ReplaceAll(text, "\n", "\n"+indent)
}
