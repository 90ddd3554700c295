package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// Helpers that give text reject when it does not fit; bash cuts it, and the report has a note.
func TestNobodyIsHandedAPartForTheWhole(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		var allow []hostapi.Rule
		for _, name := range []string{"read", "ls", "glob", "grep", "search", "bash"} {
			options.Tools = append(options.Tools, tool(name, func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
				var args struct{ Pattern, Query, Path string }
				if err := json.Unmarshal(call.Args, &args); err != nil {
					return hostapi.Result{}, err
				}
				text := strings.Repeat("x", 990)
				result := hostapi.Result{Output: "1\t" + strings.Repeat("x", 1990), Text: &text}
				switch {
				case name != "read":
					result.Text = nil
				case strings.Contains(string(call.Args), "large"):
					text = strings.Repeat("y", 5000)
				}
				return result, nil
			}))
			allow = append(allow, hostapi.Rule{Tool: name})
		}
		runner := workers(t, options)
		for helper, want := range map[string]string{
			"readFile('large')":                      "truncated 996",
			"readFile('small')":                      "990",
			"ls('large')":                            "truncated 996",
			"glob('large')":                          "truncated 996",
			"grep('large')":                          "truncated 996",
			"search('large')":                        "truncated 996",
			"bm25('large')":                          "truncated 996",
			"bash('large')":                          "996 note",
			"tool('bash', {}).then((r) => r.output)": "996 note",
		} {
			report := runner.Run(t.Context(), runtime.Request{
				Program: compiled(t, runner, "return await ctx."+helper+".then((text) => text.length + '', (e) => e.code + ' ' + e.output.length)"),
				Allow:   allow, Limits: runtime.Limits{MaxResultBytes: 1000},
			})
			got := report.Text
			for _, note := range report.Notes {
				if got += " note"; note.Code != runtime.NoteTruncated || note.Call != 1 {
					t.Errorf("%s: %+v", helper, note)
				}
			}
			if got != want {
				t.Errorf("%s: %s, want %s", helper, got, want)
			}
		}
		report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, "await ctx.ls()"), Allow: allow, Limits: runtime.Limits{MaxOutputBytes: 1000}})
		if report.Failure == nil || report.Failure.Code != hostapi.CodeTruncated || !strings.Contains(report.Failure.Message, "raise limits.maxResultBytes, which is 1000") {
			t.Errorf("a limit for the output holds for results too: %s", report)
		}
	})
}

// TestPagesThatAreReadOnHaveNoNote: what is cut is noted only if the script did not ask for what
// comes after it.
func TestPagesThatAreReadOnHaveNoNote(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = []hostapi.Tool{tool("list", func(context.Context, hostapi.Call) (hostapi.Result, error) {
			return hostapi.Result{Output: strings.Repeat("x", 2000)}, nil
		})}
		runner := workers(t, options)
		for body, want := range map[string]string{
			"await l({p: 1}); await l({p: 1, cursor: 'a'}); await l({p: 1, cursor: 'b', limit: 5})": "3", // nobody read on after it
			"await l({p: 1}); await l({cursor: 'a', p: 1}); await l({p: 2, cursor: 'a'})":           "2 3",
			"await l({p: 1, offset: 0, limit: 9}); await l({p: 1, offset: 9, limit: 9})":            "2",
			"await l({p: 1}); await l({p: 1})":                                                      "1 2",
			"await l({p: 1, cursor: 'a'}); await l({p: 1})":                                         "1 2",
		} {
			report := runner.Run(t.Context(), runtime.Request{
				Program: compiled(t, runner, "const l = (args) => ctx.tool('list', args); "+body),
				Allow:   []hostapi.Rule{{Tool: "list"}}, Limits: runtime.Limits{MaxResultBytes: 1000},
			})
			var noted []string
			for _, note := range report.Notes {
				noted = append(noted, fmt.Sprint(note.Call))
				if want := fmt.Sprintf("some of what tool %q answered at %s is missing; ask for less at once (a result holds maxResultBytes=1000)", "list", report.Calls[note.Call-1].Site); note.Text != want {
					t.Errorf("%q, want %q", note.Text, want)
				}
			}
			if got := strings.Join(noted, " "); got != want {
				t.Errorf("%s: notes of %s, want %s: %s", body, got, want, report)
			}
		}
	})
}

// TestWhatIsCutWithinIsNoted, also where the script reads on: no next page has it.
func TestWhatIsCutWithinIsNoted(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = []hostapi.Tool{tool("list", func(_ context.Context, c hostapi.Call) (hostapi.Result, error) {
			within := strings.Contains(string(c.Args), `"offset":1`)
			result := hostapi.Result{Output: "x", Truncated: true, CutWithin: within}
			if within {
				result.Cut = "line 2 alone is longer"
			}
			return result, nil
		})}
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compiled(t, runner, "for (const offset of [0, 1, 2]) await ctx.tool('list', {offset})"), Allow: []hostapi.Rule{{Tool: "list"}},
		})
		noted := fmt.Sprint(report.NoteLines())
		if len(report.Notes) != 2 || report.Notes[0].Call != 2 || report.Notes[1].Call != 3 || !strings.Contains(noted, "is missing; line 2 alone is longer") {
			t.Errorf("%s", report)
		}
	})
}

// A long text goes out cut, and is whole in the run's folder; other values are refused.
func TestLongTextGoesOutCut(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.SpillDir = t.TempDir()
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, `return "a" + '"'.repeat(2e5) + "z"`)})
		if report.Outcome != runtime.OutcomeOK || len(report.Text) != 64<<10 || !strings.Contains(report.Text, "of 200002 bytes dropped here (maxOutputBytes)") ||
			!strings.HasPrefix(report.Text, `a"`) || !strings.HasSuffix(report.Text, `"z`) || !json.Valid(report.Value) {
			t.Fatalf("%s", report)
		}
		path := filepath.Join(options.SpillDir, report.Run, "value.txt")
		if whole, err := os.ReadFile(path); err != nil || len(whole) != 200002 {
			t.Errorf("%d bytes, %v", len(whole), err)
		}
		if lines := fmt.Sprint(report.NoteLines()); !strings.Contains(lines, "all of it is in "+path) {
			t.Error(lines)
		}
		for body, want := range map[string]runtime.Outcome{
			"return ['x'.repeat(7e4)]":      runtime.OutcomeInvalidOutput,
			"return 'x'.repeat(17e6)":       runtime.OutcomeInvalidOutput,
			`return ['"'.repeat(65500)]`:    runtime.OutcomeOK,
			`return "\ufffd".repeat(65536)`: runtime.OutcomeOK,
			`return "\u0001".repeat(65536)`: runtime.OutcomeOK,
		} {
			report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, body), Limits: runtime.Limits{MaxMemoryBytes: 1 << 30, Timeout: 5 * time.Minute}})
			if strings.Contains(body, "17e6") && report.Failure.Message != "the value is 17000002 bytes of JSON; no more than 16777216 can be returned, cut or not; write it to a file and return its path" {
				t.Errorf("%s: %s", body, report.Failure)
			}
			if report.Outcome != want || len(report.Notes) > 0 {
				t.Errorf("%s: %s", body, report.Headline())
			}
		}
	})
}

// TestNoteOfACutTextNamesNoFileThatIsNotThere: the folder cannot be made.
func TestNoteOfACutTextNamesNoFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	runner := newRunner(t, runtime.Options{SpillDir: file})
	report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, `return "x".repeat(7e4)`)})
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0].Text, "; it could not be kept whole: mkdir ") || strings.Contains(report.Notes[0].Text, "all of it is in") {
		t.Errorf("%+v", report.Notes)
	}
}
