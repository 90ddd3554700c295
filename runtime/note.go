package runtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// Note is something that whoever reads the value of a run should know.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
	// Call is the Seq of the call that it is about; 0 for none.
	Call int `json:"call,omitempty"`
	// File and Line are where the script asked for that call; empty if unknown.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// The codes of notes.
const (
	NoteSandbox    = "sandbox"     // what the sandbox kept a command from
	NoteTool       = "tool"        // what a tool says besides its answer, such as how many files could not be read
	NoteNotAwaited = "not_awaited" // nobody awaited this call; the run waited for it, and says how it failed if it did
	NoteCancelled  = "cancelled"   // the call was under way when the script threw
	NoteTruncated  = "truncated"   // the value, or what a call answered, was cut
	NoteUndeclared = "undeclared"  // the input schema takes this input, and does not declare it; its name may be misspelt; or not all of a large schema was looked at
	NoteLost       = "lost"        // JSON has no such value as this part of what run returned, and holds something else; or JavaScript has no such number as one of the inputs
	NoteNothing    = "nothing"     // the code of an eval gave no value and did nothing; a return may be missing
	NoteShape      = "shape"       // the code of an eval takes a value for another, such as a text for a list; a tool file is told so by check
	NoteFailed     = "failed"      // the call failed, and the script did not look at its exitCode; of bash and git, not at its output either
	NoteEnded      = "ended"       // a command in the background was still running when run returned
)

// maxNoteLines is how many notes are shown; the report has all.
const maxNoteLines = 20

// NoteLines are the notes for people and models, one line each. Equal ones appear once.
func (r *Report) NoteLines() (lines []string) {
	for _, note := range r.Notes {
		text := "note: " + plain.Line(note.Text)
		if slices.Contains(lines, text) {
			continue
		}
		if len(lines) == maxNoteLines {
			return append(lines, "note: there are more notes; the report has all")
		}
		lines = append(lines, text)
	}
	return lines
}

// note completes the notes of the report.
func (e *execution) note(end ending) {
	e.report.Notes = slices.Concat(e.report.Notes, e.request.Notes, inexact(e.request.Inputs))
	told := readOn(e.report.Calls) // the script asked for the next page, or the call rejected
	e.parts.Range(func(seq, _ any) bool { told[e.row(seq.(int))] = true; return true })
	for _, c := range e.report.Calls {
		for _, text := range c.Notes {
			code := NoteTool
			if e.registry.Confines(c.Tool) {
				code = NoteSandbox
			}
			e.addNote(c, code, text)
		}
		if c.Truncated && (!told[c.Seq] || c.CutWithin) && c.Status == hostapi.StatusOK && end.returned != nil {
			why := cmp.Or(c.Cut, fmt.Sprintf("ask for less at once (a result holds %s=%d)", hostapi.LimitResultBytes, e.limits.MaxResultBytes))
			e.addNote(c, NoteTruncated, fmt.Sprintf("some of what tool %q answered at %s is missing; %s", c.Tool, c.Site, why))
		}
		switch cancelled := c.Status == hostapi.StatusCancelled; {
		case cancelled && end.thrown != nil && !end.why.external() && !released(c):
			e.addNote(c, NoteCancelled, fmt.Sprintf("the call to tool %q at %s was under way when the script threw, and was cancelled", c.Tool, c.Site))
		case cancelled && c.Background && end.returned != nil && !released(c):
			e.addNote(c, NoteEnded, fmt.Sprintf("what tool %q started at %s was still running when run returned, and was ended; wait for it, or release it", c.Tool, c.Site))
		}
	}
	if e.forgotReturn(end) {
		e.addNote(hostapi.Record{}, NoteNothing, "the code returned nothing; write return before what it should give, as in 'return 1 + 1'")
	}
	e.noteShapes(end)
	var unawaited []int
	switch {
	case end.returned != nil:
		for _, text := range end.returned.Lost {
			e.addNote(hostapi.Record{}, NoteLost, clip.Head(text, 1000))
		}
		unawaited = end.returned.Unawaited
		e.noteUnheard(end.returned.Unheard, unawaited)
	case end.thrown != nil && end.thrown.Returned: // its value is not JSON, say
		unawaited = end.thrown.Unawaited
	}
	for _, seq := range unawaited {
		if row := e.row(seq); 0 < row && row <= len(e.report.Calls) {
			c := e.report.Calls[row-1]
			text := fmt.Sprintf("the call to tool %q at %s was not awaited; write await before it", c.Tool, c.Site)
			if c.Status != hostapi.StatusOK {
				text += "; it ended as " + string(c.Status)
				if c.Err != "" {
					text += ": " + clip.Head(c.Err, 300)
				}
			}
			e.addNote(c, NoteNotAwaited, text)
		}
	}
}

// noteUnheard tells of calls that failed unheard. Those that were not awaited have notes of their own.
func (e *execution) noteUnheard(seqs, unawaited []int) {
	for _, seq := range seqs {
		row := e.row(seq)
		if row <= 0 || row > len(e.report.Calls) || slices.Contains(unawaited, seq) {
			continue
		}
		c := e.report.Calls[row-1]
		if c.Status != hostapi.StatusFailed {
			continue
		}
		text := fmt.Sprintf("the call to tool %q at %s failed, and the script did not look at its exitCode", c.Tool, c.Site)
		if c.Tool == "bash" || c.Tool == "git" {
			text += " or output"
		}
		if c.Err != "" {
			text += ": " + clip.Head(c.Err, 300)
		}
		e.addNote(c, NoteFailed, text)
	}
}

// noteShapes tells of values that code which nobody checked before takes for others: what they have not
// is undefined, without an error.
func (e *execution) noteShapes(end ending) {
	if source := e.request.Source; source == nil || !source.FunctionBody || end.returned == nil && end.thrown == nil {
		return
	}
	for _, w := range e.program.checked.Warnings {
		at := e.program.place(w).String()
		e.addNote(hostapi.Record{Site: at}, NoteShape, at+": "+w.Msg)
	}
}

// forgotReturn reports whether a return was forgotten in code that is a function's body: there is
// none, and code that only looked at something has told nobody what it saw.
func (e *execution) forgotReturn(end ending) bool {
	source := e.request.Source
	if source == nil || !source.FunctionBody || end.returned == nil || string(end.value) != "null" || strings.Contains(string(source.Body), "return") {
		return false
	}
	acts := func(c hostapi.Record) bool { return e.registry.Describe(c.Tool).Effect != hostapi.EffectRead }
	return len(e.report.Logs) == 0 && !slices.ContainsFunc(e.report.Calls, acts)
}

// readOn returns the calls whose next page the script asked for: by a later call with the same
// arguments, except for those that choose a page.
func readOn(calls []hostapi.Record) map[int]bool {
	read, pages := map[int]bool{}, map[string]bool{}
	if !slices.ContainsFunc(calls, func(c hostapi.Record) bool { return c.Truncated }) {
		return read
	}
	for _, c := range slices.Backward(calls) {
		var args map[string]json.RawMessage
		if json.Unmarshal(c.Args, &args) != nil {
			continue
		}
		page := args["cursor"] != nil || args["offset"] != nil
		for _, key := range []string{"cursor", "offset", "limit"} {
			delete(args, key)
		}
		rest, err := json.Marshal(args)
		if err != nil {
			continue
		}
		of := c.Tool + string(rest)
		read[c.Seq] = pages[of]
		pages[of] = pages[of] || page && c.Status == hostapi.StatusOK
	}
	return read
}

// notAwaited is a hint that an error may come from the first of these calls, which nobody
// awaited; empty if there are none.
func (e *execution) notAwaited(seqs []int) string {
	for _, seq := range seqs {
		if row := e.row(seq); 0 < row && row <= len(e.report.Calls) {
			c := e.report.Calls[row-1]
			return fmt.Sprintf("the call to tool %q at %s was not awaited by then; is an await missing?", c.Tool, c.Site)
		}
	}
	return ""
}

// released reports whether the script ended what a call started, by itself.
func released(c hostapi.Record) bool {
	return slices.ContainsFunc(c.Operations, func(op hostapi.Operation) bool { return op.Name == hostapi.OperationRelease })
}

// maxReportNotes bounds the notes of a report: a worker can send any.
const maxReportNotes = MaxRefusals + 1000

func (e *execution) addNote(c hostapi.Record, code, text string) {
	note := Note{Code: code, Text: text, Call: c.Seq}
	if at := strings.Split(c.Site, ":"); len(at) > 2 { // file:line:column
		note.Line, _ = strconv.Atoi(at[len(at)-2])
		note.File = strings.Join(at[:len(at)-2], ":")
	}
	switch n := len(e.report.Notes); {
	case n > maxReportNotes:
		return
	case n == maxReportNotes:
		note = Note{Code: NoteTruncated, Text: "there were more notes than a report holds; the rest is left out"}
	}
	e.report.Notes = append(e.report.Notes, note)
}
