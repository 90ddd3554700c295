package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// checked is what check prints.
type checked struct {
	Tools    []checkedTool `json:"tools"`
	Findings []finding     `json:"findings"`
}

// checkedTool is a sound tool, and what it may reach.
type checkedTool struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Reach  []string `json:"allowed_tools"`
	Policy []string `json:"policy,omitempty"`

	Imports []runtime.Imported `json:"imports,omitempty"`

	reach, imports string
	source         string // the script
}

// finding is what check has to say of a file, or of all.
type finding struct {
	Severity string `json:"severity"` // error, warning or note
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`

	text   string // for people
	silent bool   // the text of another one has it
}

// noted is a finding about all files.
func noted(severity, file, message string) finding {
	text := severity + ": " + message
	if file != "" {
		text = severity + ": " + file + ": " + message
	}
	return finding{Severity: severity, File: file, Message: message, text: plain.Line(text)}
}

func findingOf(severity string, p scripttools.Problem) finding {
	return finding{Severity: severity, File: p.Pos.File, Line: p.Pos.Line, Column: p.Pos.Col, Message: p.Msg, Hint: p.Hint, text: severity + ": " + p.Error()}
}

// findingsOf are those of an error.
func findingsOf(err error) (all []finding) {
	var load *scripttools.LoadError
	if !errors.As(err, &load) {
		return []finding{{Severity: "error", Message: err.Error(), text: told(err)}}
	}
	for _, problem := range load.Problems {
		all = append(all, findingOf("error", problem))
	}
	all[0].text = told(err) // with no more than somebody reads
	for i := range all[1:] {
		all[i+1].silent = true
	}
	return all
}

// files are those that were looked at, as far as they are known.
func (c checked) files() (all []string) {
	for _, tool := range c.Tools {
		all = append(all, tool.Path, tool.source)
	}
	for _, f := range c.Findings {
		if f.File != "" {
			all = append(all, f.File)
		}
	}
	return all
}

// broken is how many files have errors; what concerns none of them counts as one.
func (c checked) broken() int {
	files := map[string]bool{}
	for _, f := range c.Findings {
		if f.Severity == "error" {
			files[f.File] = true
		}
	}
	return len(files)
}

// severities are in the order in which findings are printed.
var severities = []string{"note", "warning", "error"}

// print writes the tools to stdout and the rest to stderr, errors last, or all as JSON, in
// one line if others will follow.
func (c checked) print(e env, asJSON, oneLine bool) error {
	slices.SortStableFunc(c.Findings, func(a, b finding) int {
		return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
	})
	switch {
	case asJSON && oneLine:
		return printLine(e.stdout, c)
	case asJSON:
		return printJSON(e.stdout, c)
	}
	page := e.page()
	for _, tool := range c.Tools {
		page.say("%s", plain.Line(fmt.Sprintf("%s: ok: %s may call %s", tool.Path, tool.Name, tool.reach)))
		if tool.imports != "" {
			page.say("%s", plain.Line("  imports "+tool.imports))
		}
		for _, line := range tool.Policy {
			page.say("%s", plain.Line("  "+line))
		}
	}
	for _, f := range c.Findings {
		if !f.silent {
			fmt.Fprintln(e.stderr, f.text)
		}
	}
	if broken := c.broken(); broken > 0 && len(c.Tools)+broken > 1 {
		files := "files are"
		if broken == 1 {
			files = "file is"
		}
		fmt.Fprintf(e.stderr, "scriptrun: %d %s broken, %d ok\n", broken, files, len(c.Tools))
	}
	return nil
}
