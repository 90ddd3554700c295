package scripttools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"pgregory.net/rapid"
)

func headerOf(t *testing.T, body string, comment bool) (*header, bool, []Problem) {
	t.Helper()
	file := newText("f", []byte(body))
	h, found, problems := splitHeader(file, comment)
	if h != nil {
		for _, f := range h.flaws {
			problems = append(problems, file.problem(f.at, f.hint, "%s", f.msg))
		}
	}
	return h, found, problems
}

func TestSplitHeader(t *testing.T) {
	t.Parallel()
	const none = "none"
	for _, c := range []struct {
		name    string
		text    string
		comment bool
		want    string // the header as JSON, or none
		body    string
	}{
		{"yaml", "---\na: 1\n---\nbody\n", false, `{"a":1}`, "body\n"},
		{"toml", "+++\na = 1\n+++\nbody", false, `{"a":1}`, "body\n"},
		{"json", ";;;\n{\"a\": 1}\n;;;\nbody", false, `{"a":1}`, "body\n"},
		{"yaml comment", "/*---\na: 1\n---*/\nx", true, `{"a":1}`, "x\n"},
		{"toml comment", "/*+++\na = 1\n+++*/\nx", true, `{"a":1}`, "x\n"},
		{"json comment", "/*;;;\n{\"a\": 1}\n;;;*/\nx", true, `{"a":1}`, "x\n"},
		{"crlf", "---\r\na: 1\r\nb: |\r\n  x\r\n  y\r\n---\r\nbody\r\n", false, `{"a":1,"b":"x\ny\n"}`, "body\n"},
		{"the closing fence ends the file", "---\na: 1\n---", false, `{"a":1}`, ""},
		{"byte order mark", "\ufeff---\na: 1\n---\n", false, `{"a":1}`, ""},
		{"#! line", "#!/usr/bin/env scriptrun run\n/*---\na: 1\n---*/\nx", true, `{"a":1}`, "x\n"},
		{"byte order mark, #! line and blank lines", "\ufeff#!/x\n\n \t\n/*---\na: 1\n---*/\nx", true, `{"a":1}`, "x\n"},
		{"blanks after fences", "---  \na: 1\n---\t\nbody", false, `{"a":1}`, "body\n"},
		{"empty header", "---\n---\nbody", false, `{}`, "body\n"},
		{"only comments", "---\n# nothing\n---\nbody", false, `{}`, "body\n"},
		{"an indented fence is text", "---\na: |\n  ---\n  b\n---\n", false, `{"a":"---\nb\n"}`, ""},
		{"indented and longer fences are text", "---\na: |\n  ---\n  ------\n  ---------\n---\n", false, `{"a":"---\n------\n---------\n"}`, ""},
		{"an indented comment fence is text", "/*---\na: |\n  x ---\n   ---\n---*/\n", true, `{"a":"x ---\n ---\n"}`, ""},
		{"an indented toml fence is text", "+++\na = '''\n +++\n'''\n+++\n", false, `{"a":" +++\n"}`, ""},
		{"---x is no fence", "---x\na: 1\n---\n", false, none, ""},
		{"---yaml is no fence", "---yaml\na: 1\n---\n", false, none, ""},
		{"an indented opening is none", " ---\na: 1\n---\n", false, none, ""},
		{"a bare object is no header", "{\n\"a\": 1\n}\n\nbody", false, none, ""},
		{"a script that begins with a block", "{\n  let a = 1\n}\n\nexport {}", true, none, ""},
		{"text", "hello\n---\na: 1\n---\n", false, none, ""},
		{"#! line alone", "#!/bin/sh", true, none, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, found, problems := headerOf(t, c.text, c.comment)
			if len(problems) > 0 {
				t.Fatalf("unexpected problem: %v", &problems[0])
			}
			got := none
			if found {
				got = string(h.root.json())
				if h.body != c.body && h.body != c.body+"\n" {
					t.Errorf("body %q, want %q", h.body, c.body)
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestYAMLReadings fixes what the oddities of YAML mean here.
func TestYAMLReadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ yaml, want string }{
		{"a: yes", `{"a":"yes"}`},
		{"a: off", `{"a":"off"}`},
		{"a: True", `{"a":true}`},
		{"a: ~", `{"a":null}`},
		{"a:", `{"a":null}`},
		{"a: 012", "begins with 0"},
		{"a: 08", "begins with 0"},
		{"a: '012'", `{"a":"012"}`},
		{"a: 0", `{"a":0}`},
		{"a: 0.5", `{"a":0.5}`},
		{"a: 0o12", `{"a":10}`},
		{"a: 0x1F", `{"a":31}`},
		{"a: 1_000", `{"a":1000}`},
		{"a: 1e3", `{"a":1000}`},
		{"a: 1.5e3", `{"a":1500}`},
		{"a: 1e400", "out of range"},
		{"a: .nan", "out of range"},
		{"a: -.inf", "out of range"},
		{"a: 12:30", `{"a":"12:30"}`},
		{"a: 2020-01-01", `{"a":"2020-01-01"}`},
		{"a: !!binary aGk=", "tags"},
		{"a: &x [1, 2]\nb: *x", `{"a":[1,2],"b":[1,2]}`},
		{"a: &x {b: *x}", "no anchor"},
		{"a: *x\nb: &x 1", "no anchor"},
		{"a: &x {c: 1}\nb: {<<: *x}", "merge keys"},
		{"? [a, b]\n: 1", ""},
		{"1: a", "not text"},
		{"true: a", "not text"},
		{"'1': a", `{"1":"a"}`},
		{"a: {b: {c: [1, {d: e}]}}", `{"a":{"b":{"c":[1,{"d":"e"}]}}}`},
		{"a: \"x\\/y \\u0041\\n\"", `{"a":"x/y A\n"}`},
		{"a: 'it''s'", `{"a":"it's"}`},
		{"%YAML 1.1\n---\na: yes", "directive is not supported"},
		{"a: 1\nb", ""},
	} {
		t.Run(c.yaml, func(t *testing.T) {
			t.Parallel()
			got := decodeYAML([]byte(c.yaml+"\n"), 2)
			if len(got.flaws) > 0 {
				if strings.HasPrefix(c.want, "{") || !strings.Contains(got.flaws[0].msg, c.want) {
					t.Errorf("got flaw %q, want %s", got.flaws[0].msg, c.want)
				}
				return
			}
			if json := string(got.root.json()); json != c.want {
				t.Errorf("got %s, want %s", json, c.want)
			}
		})
	}
}

// TestBombs feeds the decoders what costs more to read than to write. Each is
// refused, or read, in a time that a person does not notice.
func TestBombs(t *testing.T) {
	t.Parallel()
	const size = 190_000
	times := func(s string) string { return strings.Repeat(s, size/len(s)) }
	billion := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		billion += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, c := range []struct {
		name   string
		decode func([]byte, int) tree
		block  string
		refuse bool
	}{
		{"yaml aliases, ten to the power of twelve", decodeYAML, billion, true},
		{"yaml aliases of long text", decodeYAML, "a: &a " + strings.Repeat("x", 50_000) + "\nb: [" + strings.Repeat("*a, ", 5000) + "*a]\n", true},
		{"yaml brackets", decodeYAML, "a: " + times("["), true},
		{"yaml braces", decodeYAML, times("{a: "), true},
		{"yaml dashes", decodeYAML, times("- ") + "x", true},
		{"yaml question marks", decodeYAML, times("? ") + "x", true},
		{"yaml many keys", decodeYAML, times("a:\n"), true},
		{"yaml many flow keys", decodeYAML, "{" + times("a,") + "}", true},
		{"yaml anchors", decodeYAML, "a: " + times("&a ") + "x", true},
		{"yaml documents", decodeYAML, times("---\n") + "a: 1", true},
		{"yaml long text", decodeYAML, "a: " + times("x"), false},
		{"yaml long block", decodeYAML, "a: |\n" + times("  - [{\n"), false},
		{"toml brackets", decodeTOML, "a = " + times("["), true},
		{"toml inline tables", decodeTOML, "a = " + times("{a="), true},
		{"toml dots", decodeTOML, times("a.") + "a = 1", true},
		{"toml dotted heading", decodeTOML, "[" + times("a.") + "a]", true},
		{"toml tables", decodeTOML, times("[[a]]\n"), true},
		{"json brackets", decodeJSON, `{"a": ` + times("["), true},
		{"json objects", decodeJSON, strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000), true},
		{"json values", decodeJSON, `{"a": [` + times("1,") + "1]}", true},
		{"json exponent", decodeJSON, `{"a": 1e999999999}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got := c.decode([]byte(c.block), 2)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if refused := len(got.flaws) > 0; refused != c.refuse {
				t.Errorf("refused: %v, want %v; flaws %v", refused, c.refuse, got.flaws)
			}
			if len(got.flaws) > 1000 {
				t.Errorf("there are %d flaws", len(got.flaws))
			}
		})
	}
}

// Wherever a header begins and whatever stands before the offending key, the
// problem points at the key.
func TestProblemPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blank := rapid.IntRange(0, 5).Draw(t, "blank lines")
		before := rapid.IntRange(0, 5).Draw(t, "keys before")
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		mark := rapid.SampledFrom([]string{"", "\ufeff", "#!x\n", "\ufeff#!漢\r\n"}).Draw(t, "mark")
		word := rapid.StringMatching(`[a-zé漢🙂]{1,8}`).Draw(t, "word")
		shape := rapid.SampledFrom([]struct{ open, line, dup, close string }{
			{"/*---", "k%d: %s", "odd: 漢\nodd: 1", "---*/"},
			{"/*+++", "k%d = '%s'", "odd = 1\nodd = 2", "+++*/"},
			{"/*;;;\n{", "\"k%d\": \"%s\",", "\"odd\": 1,\n\"odd\": 2}", ";;;*/"},
		}).Draw(t, "syntax")
		lines := []string{shape.open}
		for i := range before {
			lines = append(lines, fmt.Sprintf(shape.line, i, word))
		}
		lines = append(lines, shape.dup, shape.close, "code")
		body := mark + strings.Repeat(newline, blank) + strings.ReplaceAll(strings.Join(lines, "\n"), "\n", newline)

		file := newText("f.js", []byte(body))
		h, _, problems := splitHeader(file, true)
		if len(problems) > 0 || len(h.flaws) != 1 {
			t.Fatalf("problems %v, header %+v in %q", problems, h, body)
		}
		at := h.flaws[0].at
		if at.line > len(file.lines) || at.col != 1 || !strings.Contains(file.lines[at.line-1], "odd") ||
			strings.Contains(file.lines[at.line], "odd") {
			t.Fatalf("flaw %+v in %q", h.flaws[0], body)
		}
	})
}

// Whatever is wrong with a header, what is told of it is short.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for name, header := range map[string]string{
		"an alias":       "a: *" + long,
		"zeros":          "a: " + strings.Repeat("0", 100_000) + "1",
		"no YAML":        "a: [" + long + "\n" + long + ": {",
		"a list of one":  "allowed_tools: " + long,
		"a rule":         "allowed_tools: [ls(" + long + ")]",
		"a rule's name":  "allowed_tools: [" + long + "]",
		"a key":          long + ": 1",
		"a tag":          "a: !" + long + " 1",
		"a kind":         "kind: " + long,
		"a path":         "path: " + long,
		"a limit":        "limits: {timeoutMs: " + long + "}",
		"a limit's name": "limits: {" + long + ": 1}",
		"an input":       "input_schema: {type: " + long + "}",
		"a reference":    "input_schema: {$ref: \"" + long + "\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.js")
			text := "/*---\n" + header + "\n---*/\nasync function run() { return 1 }\n"
			if !strings.HasPrefix(header, "kind") {
				text = strings.Replace(text, "/*---\n", "/*---\nkind: script\ndescription: d\n", 1)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			runner, err := runtime.New(runtime.Options{InProcess: true})
			if err != nil {
				t.Fatal(err)
			}
			defer runner.Close()
			_, err = LoadFile(t.Context(), runner, path, "")
			if err == nil || len(err.Error()) > 10_000 {
				t.Errorf("%d bytes: %.3000v", len(fmt.Sprint(err)), err)
			}
		})
	}
}

// What a tool can call is told in one line that has a bound.
func TestReachHasABound(t *testing.T) {
	t.Parallel()
	var d Description
	if got := d.Reach(); got != "nothing" {
		t.Error(got)
	}
	for range 5000 {
		d.AllowedTools = append(d.AllowedTools, "bash(git log *)")
	}
	if got := d.Reach(); len(got) > 3000 || !strings.HasSuffix(got, " more") || !strings.HasPrefix(got, "bash(git log *), bash(") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
