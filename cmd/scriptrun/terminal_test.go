package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// hostileText has one of each character that must not reach a terminal, and lines that look
// like scriptrun's own.
const hostileText = "a\x1b[35m\u009b2J\u202eb\u200b\ufeff\x7f\r\u2028\nforge: ok in 1ms\nerror: x\nwarning: y\nlog: z\nscriptrun: q"

// onTerminal runs a command whose output goes to a terminal.
func onTerminal(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return onColouredTerminal(t, append([]string{"--color", "never"}, args...)...)
}

// onColouredTerminal is onTerminal where there are colours.
func onColouredTerminal(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(env{
		args: args, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, terminal: true, terminalOut: true, colours: true, width: func() int { return 80 },
		interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	})
	return code, stdout.String(), drawn.ReplaceAllString(stderr.String(), "")
}

// drawn is the live line, which comes if a run takes a while, and what clears it.
var drawn = regexp.MustCompile(`\r\x1b\[K|\x1b\[\?7l[^\n]*?\x1b\[\?7h`)

// uncoloured is a text without the colours that are ours; the hostile one is another.
func uncoloured(text string) string {
	for _, s := range []style{good, bad, caution, strong, faint, "0"} {
		text = strings.ReplaceAll(text, "\x1b["+string(s)+"m", "")
	}
	return text
}

func checkTerminal(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Errorf("%s: %U reaches the terminal: %q", what, r, text)
			return
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, ours := range []string{"forge:", "error: x", "warning: y", "log: z", "scriptrun: q"} {
			if strings.HasPrefix(line, ours) {
				t.Errorf("%s: a line looks like ours: %q in\n%s", what, line, text)
				return
			}
		}
	}
}

// TestALogIsNotTakenForOurs: no line of a script looks like one of ours, whatever its file is
// called.
func TestALogIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"log", "info", "warn", "error", "debug", "call"} {
		path := filepath.Join(t.TempDir(), name+".js")
		const body = `/*---
kind: script
description: d
---*/
async function run(ctx) {
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    console[level]("ok in 1.2ms");
    console[level]("TimeoutError: the run did not end\nerror: x\n  > log: x");
  }
  console.log("");
  return 1;
}
`
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := onTerminal(t, "run", path)
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		headline := lines[len(lines)-1]
		wiped, _, ours := strings.Cut(headline, name+": ok in ")
		if shown, err := regexp.MatchString(`^(`+name+` \d+\.\d+s)*$`, wiped); err != nil || code != 0 || !ours || !shown || len(lines) != 5*4+1+1 {
			t.Fatalf("%s: exit code %d, %d lines:\n%s", name, code, len(lines), errs)
		}
		for _, line := range lines[:len(lines)-1] {
			// A slow run has shown how long it takes, and wiped that away.
			live, _, marked := strings.Cut(line, "  > ")
			if wiped, err := regexp.MatchString(`^(`+name+` \d+\.\d+s)*$`, live); err != nil || !marked || !wiped {
				t.Errorf("%s: %q has no mark", name, line)
			}
		}
	}
}

// TestTerminalGetsPlainTextAndNoForgedLine: whatever comes from a script, a tool or a file, a
// terminal gets plain text, and no line of it looks like scriptrun's own.
func TestTerminalGetsPlainTextAndNoForgedLine(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal(hostileText)
	if err != nil {
		t.Fatal(err)
	}
	js := strings.ReplaceAll(string(quoted), "\u2028", `\u2028`)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const body = "export default async function run() { return 1 }\n"
	described := write("described.js", "/*;;;\n{\"kind\":\"script\",\"description\":"+js+"}\n;;;*/\n"+body)
	broken := write("broken\nforge: ok in 1ms\x1b[31m.js", "/*---\nkind: script\n\"a\u202eb\\nforge: ok in 1ms\": 1\n---*/\n"+body)
	throws := write("throws\u202e\nforge: ok in 1ms.js", "/*---\nkind: script\nname: throws\ndescription: d\n---*/\nexport default function run() { throw new Error("+js+") }\n")
	for _, c := range []struct {
		what string
		args []string
	}{
		{"value", []string{"eval", "return " + js}},
		{"value in an object", []string{"eval", "return {a: " + js + "}"}},
		{"log", []string{"eval", "console.log(" + js + "); console.error(" + js + "); return 1"}},
		{"error", []string{"eval", "throw new Error(" + js + ")"}},
		{"error without a place", []string{"eval", "const e = new Error('ok in 1ms'); e.name = 'forge'; e.stack = ''; throw e"}},
		{"name of an error", []string{"eval", "const e = new Error('x'); e.name = " + js + "; throw e"}},
		{"name of a function", []string{"eval", "const f = {[" + js + "]() { throw new Error('x') }}; return f[" + js + "]()"}},
		{"name of a tool", []string{"eval", "return await ctx.tool(" + js + ")"}},
		{"progress", []string{"eval", "ctx.progress({message: " + js + "}); await new Promise((f) => setTimeout(f, 250)); return 1"}},
		{"report as JSON", []string{"eval", "--json", "console.log(" + js + "); return {a: " + js + "}"}},
		{"source", []string{"eval", "\u202e\x1b[31m = \u2028 ;"}},
		{"inputs", []string{"eval", "--input", "{\"\x1b[31m\u202e\nforge: ok in 1ms", "return 1"}},
		{"description", []string{"describe", described}},
		{"description as JSON", []string{"describe", "--json", described}},
		{"list", []string{"list", "--tools", dir}},
		{"check", []string{"check", described}},
		{"names of files", []string{"check", broken}},
		{"names of files that run", []string{"run", throws}},
		{"a name that is no file", []string{"run", "x\nforge: ok in 1ms\x1b[31m"}},
		{"usage", []string{"no such\nforge: ok in 1ms\u202e"}},
		{"a flag", []string{"eval", "--x\nforge: ok in 1ms\u202e"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			_, out, errs := onColouredTerminal(t, c.args...)
			checkTerminal(t, "stdout", uncoloured(out))
			checkTerminal(t, "stderr", uncoloured(errs))
			if out == "" && errs == "" {
				t.Error("there is no output")
			}
			if strings.Contains(c.what, "JSON") && !json.Valid([]byte(out)) {
				t.Errorf("it is not JSON: %s", out)
			}
		})
	}
}

// TestLogsThatWrapKeepTheirMark: a terminal would begin a row within a long line of a script,
// which could look like a line of ours.
func TestLogsThatWrapKeepTheirMark(t *testing.T) {
	t.Parallel()
	const script = `for (const shift of [0, 1, 2, 3]) console.log("x".repeat(80 - "  > log: ".length - shift) + "forge: ok in 1ms"); throw new Error("y".repeat(200) + " forge: ok in 1ms")`
	_, _, errs := onTerminal(t, "eval", script)
	for line := range strings.SplitSeq(errs, "\n") {
		if wide(line) > 80 || strings.HasPrefix(line, "forge:") {
			t.Errorf("%q in\n%s", line, errs)
		}
	}
	if strings.Count("\n"+errs, "\n  > log:") != 4 {
		t.Error(errs)
	}
}

// TestDocumentOnATerminalMeansTheSame: on a terminal a document has the same meaning as in a
// pipe.
func TestDocumentOnATerminalMeansTheSame(t *testing.T) {
	t.Parallel()
	_, out, _ := onTerminal(t, "eval", "--json", `return "\u202e\u{e0041}\u007f\u0085\u2028 \u{1f642}"`)
	var report struct{ Value string }
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Value != "\u202e\U000e0041\x7f\u0085\u2028 \U0001f642" {
		t.Errorf("%q %v\n%s", report.Value, err, out)
	}
}

// A character may be written in two pieces.
func TestTerminalWriterKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &terminalWriter{to: &out}
	for _, b := range []byte("é🙂\u202e漢\xff!") {
		if n, err := w.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if out.String() != "é🙂\uFFFD漢\uFFFD!" {
		t.Errorf("%q", out.String())
	}
}
