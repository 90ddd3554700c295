package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/cases"
)

// tested is what test prints.
type tested struct {
	Tools    []testedTool `json:"tools"`
	Findings []finding    `json:"findings"`
	Passed   int          `json:"passed"`
	Failed   int          `json:"failed"`
	Recorded int          `json:"recorded,omitempty"`

	took time.Duration
}

// testedTool is a tool and its cases.
type testedTool struct {
	Name  string       `json:"name"`
	Path  string       `json:"path"`
	Cases []testedCase `json:"cases"`

	spec    *scripttools.ScriptToolSpec
	file    string      // of the cases
	cases   *cases.File // nil if there is none
	changed bool
}

// testedCase is how a case ended.
type testedCase struct {
	Name     string          `json:"name"`
	OK       bool            `json:"ok"`
	Millis   float64         `json:"ms"`
	Failures []cases.Failure `json:"failures,omitempty"`

	took    time.Duration
	logs    []runtime.Entry
	calls   int // of a recorded run
	outcome runtime.Outcome
}

// broken is how many findings are errors.
func (t *tested) broken() (n int) {
	for _, f := range t.Findings {
		if f.Severity == "error" {
			n++
		}
	}
	return n
}

// print writes what happened to stdout, and broken files to stderr.
func (t *tested) print(e env, f *testFlags) error {
	if f.junit != "" {
		if err := t.writeJUnit(f.junit); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if f.asJSON {
		return printJSON(e.stdout, t)
	}
	var b strings.Builder
	for i := range t.Tools {
		t.Tools[i].print(&b, f)
	}
	if _, err := fmt.Fprint(e.stdout, b.String()); err != nil {
		return err
	}
	for _, f := range t.Findings {
		if !f.silent {
			fmt.Fprintln(e.stderr, f.text)
		}
	}
	switch {
	case t.Passed+t.Failed+t.Recorded > 0 || t.broken() > 0:
	case f.only != "" && t.has():
		fmt.Fprintf(e.stderr, "scriptrun: no case matches --case %s\n", plain.Line(f.only))
	default:
		fmt.Fprintln(e.stderr, "scriptrun: there are no cases; the cases of tools/x.js are in tools/x"+cases.Suffix+", and scriptrun new writes a tool with some")
	}
	return nil
}

// has reports whether there are cases at all.
func (t *tested) has() bool {
	for _, tool := range t.Tools {
		if tool.cases != nil && len(tool.cases.Cases) > 0 {
			return true
		}
	}
	return false
}

// print writes a tool's cases as go test does: those that fail, and a line for all.
func (t *testedTool) print(b *strings.Builder, f *testFlags) {
	failed, calls, took := 0, 0, time.Duration(0)
	for _, c := range t.Cases {
		if took += c.took; !c.OK {
			failed++
		}
		calls += c.calls
		c.print(b, t.Name, f)
	}
	path := plain.Line(t.Path)
	switch n := len(t.Cases); {
	case t.cases == nil:
		fmt.Fprintf(b, "?     %s  no cases\n", path)
	case n == 0:
		fmt.Fprintf(b, "?     %s  no case is run\n", path)
	case failed > 0:
		fmt.Fprintf(b, "FAIL  %s  %d of %s in %s\n", path, failed, counted(n, "case"), seconds(took))
	case f.record:
		fmt.Fprintf(b, "wrote %s  %s, %s\n", plain.Line(t.file), counted(n, "case"), counted(calls, "call"))
	default:
		fmt.Fprintf(b, "ok    %s  %s in %s\n", path, counted(n, "case"), seconds(took))
	}
}

func (c *testedCase) print(b *strings.Builder, tool string, f *testFlags) {
	name := plain.Line(tool + ": " + c.Name)
	switch {
	case !c.OK:
		fmt.Fprintf(b, "--- FAIL: %s (%s)\n", name, seconds(c.took))
	case f.record && (f.verbose || c.outcome != runtime.OutcomeOK):
		fmt.Fprintf(b, "--- RECORDED: %s (%s, %s)\n", name, c.outcome, counted(c.calls, "call"))
	case f.verbose:
		fmt.Fprintf(b, "--- PASS: %s (%s)\n", name, seconds(c.took))
	default:
		return
	}
	if !c.OK || f.verbose {
		for _, entry := range c.logs {
			fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(entry.String(), "\n", "\n    "))
		}
	}
	for _, failure := range c.Failures {
		fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(plain.Text(failure.String()), "\n", "\n    "))
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// The elements of JUnit's format that the readers of it agree on.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		File     string      `xml:"file,attr,omitempty"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Error   *junitFailure `xml:"error,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite for each tool, and an error for each broken file.
func (t *tested) writeJUnit(path string) error {
	all := junitSuites{Tests: t.Passed + t.Failed + t.Recorded, Failures: t.Failed, Time: fmt.Sprintf("%.3f", t.took.Seconds())}
	for _, tool := range t.Tools {
		suite := junitSuite{Name: tool.Name, File: tool.Path, Tests: len(tool.Cases)}
		took := time.Duration(0)
		for _, c := range tool.Cases {
			took += c.took
			one := junitCase{Name: c.Name, Class: tool.Name, File: tool.Path, Time: fmt.Sprintf("%.3f", c.took.Seconds())}
			if !c.OK {
				suite.Failures++
				one.Failure = failureOf(c.Failures)
			}
			suite.Cases = append(suite.Cases, one)
		}
		suite.Time = fmt.Sprintf("%.3f", took.Seconds())
		all.Suites = append(all.Suites, suite)
	}
	for _, f := range t.Findings {
		if f.Severity != "error" {
			continue
		}
		all.Tests, all.Errors = all.Tests+1, all.Errors+1
		all.Suites = append(all.Suites, junitSuite{Name: f.File, File: f.File, Tests: 1, Errors: 1, Time: "0.000", Cases: []junitCase{
			{Name: "load", Class: f.File, File: f.File, Time: "0.000", Error: &junitFailure{Message: f.Message, Text: f.text}},
		}})
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(xml.Header+string(text)+"\n"), 0o644)
}

func failureOf(failures []cases.Failure) *junitFailure {
	var texts []string
	for _, f := range failures {
		texts = append(texts, f.String())
	}
	text := strings.Join(texts, "\n")
	first, _, _ := strings.Cut(text, "\n")
	return &junitFailure{Message: first, Text: text}
}
