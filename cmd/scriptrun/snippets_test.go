package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the output that docs/ shows, and its generated parts")

// snippet is a fenced block of a page.
type snippet struct {
	line int
	kind string // the word behind the fence
	file string // what the sentence before it calls it: "Write `tools/x.js`:"
	text string
}

var fileMention = regexp.MustCompile("`((?:~/)?[\\w./-]*\\.\\w+)`")

// snippets lists the fenced blocks of a page.
func snippets(page string) (all []snippet) {
	var sentence string // the paragraph that a block comes after
	var ended bool
	var open *snippet
	for i, line := range strings.Split(page, "\n") {
		kind, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &snippet{line: i + 1, kind: kind}
			if names := fileMention.FindAllStringSubmatch(sentence, -1); names != nil && strings.HasSuffix(sentence, ":") {
				open.file = names[len(names)-1][1]
			}
		case fence:
			all, open, sentence = append(all, *open), nil, ""
		case open != nil:
			open.text += line + "\n"
		case line == "":
			ended = true
		default:
			if ended {
				sentence, ended = "", false
			}
			sentence += " " + line
		}
	}
	if open != nil {
		all = append(all, snippet{line: open.line, kind: "a fence that is never closed"})
	}
	return all
}

// stray is the first line of code that stands in no fence at the margin, where nothing would test it.
func stray(page string) string {
	var fenced bool
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced:
		case strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "~~~"),
			strings.HasPrefix(strings.TrimSpace(line), "```"), strings.Contains(line, "<pre"):
			return line
		}
	}
	return ""
}

// TestDocsSnippetsSeeAllCode: nothing that looks like code passes by.
func TestDocsSnippetsSeeAllCode(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"A line:\n\n    scriptrun list\n\nand more": "    scriptrun list\n", "- a point\n\n  ```js\n  1\n  ```\n": "  ```js\n", "~~~\nx\n~~~\n": "~~~\n", "\tx\n": "\tx\n",
		"<pre>x</pre>": "<pre>x</pre>", "text\n\n```console\n$ a\n    b\n```\n  two\n": "",
	} {
		if got := stray(page); got != want {
			t.Errorf("%q: %q", page, got)
		}
	}
	if all := snippets("Write `a.js`:\n\n```js\n1\n```\n\n```js\n2\n```\n\n```json\n"); len(all) != 3 || all[0].file != "a.js" || all[1].file != "" || all[2].kind != "a fence that is never closed" {
		t.Errorf("%+v", all)
	}
}

// TestDocsSnippets walks each page from its top to its end, as a reader would in an empty folder, or
// in a clone where the page says so: files are written, commands run and print what the page shows,
// and settings and code are read by what reads them. A block of another kind is not tested, and so
// not allowed; neither is code outside of blocks.
func TestDocsSnippets(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the pages show commands of a Unix shell")
	}
	tested := testedCode(t)
	pages(t, func(name, text string) {
		if line := stray(text); line != "" {
			t.Errorf("%s: this is not tested; put it between fences: %s", name, line)
		}
		all := snippets(text)
		if len(all) == 0 {
			return
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(name), root+"/"), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, tested, filepath.Base(name) == "README.md")
			if strings.Contains(text, "in a clone of this repository") {
				w.clone()
			}
			var shown strings.Builder
			rest := text
			for _, s := range all {
				before, after, _ := strings.Cut(rest, "```"+s.kind+"\n"+s.text)
				shown.WriteString(before + "```" + s.kind + "\n" + w.take(s))
				rest = after
			}
			shown.WriteString(rest)
			for _, file := range w.unused {
				t.Errorf("no command of the page uses %s", file)
			}
			if *updateDocs && shown.String() != text {
				if err := os.WriteFile(name, []byte(shown.String()), 0o644); err != nil { //nolint:gosec // a page
					t.Fatal(err)
				}
			}
		})
	})
}

// take follows one block, and returns it as it should be.
func (w *walk) take(s snippet) string {
	fail := func(format string, args ...any) {
		w.t.Errorf("the block at line %d: %s", s.line, fmt.Sprintf(format, args...))
	}
	switch {
	case s.kind == "console":
		return w.console(s, fail)
	case s.kind == "go":
		if !strings.Contains(w.tested, squeeze(s.text)) {
			fail("this code is in no test:\n%s", s.text)
		}
		return s.text
	case s.kind == "diff" && s.file != "":
		old, changed := sides(s.text)
		text := read(w.t, w.path(s.file))
		if strings.Count(text, old) != 1 {
			fail("%s has these lines %d times:\n%s", s.file, strings.Count(text, old), old)
		}
		w.write(s.file, strings.Replace(text, old, changed, 1))
		return s.text
	case s.kind == "sh" && w.readme: // TestReadme runs them
		return s.text
	case s.kind == "toml" && s.file != "":
		w.write(s.file, strings.ReplaceAll(s.text, `"/src`, `"`+w.top+"/src"))
	case s.file != "":
		w.write(s.file, s.text)
	}
	switch s.kind {
	case "js":
		if s.file == "" {
			fail("the sentence before it names no file, so that no command can run it")
		} else {
			w.unused = append(w.unused, s.file)
		}
	case "md":
		if s.file == "" {
			w.load(s, fail)
		} else {
			w.unused = append(w.unused, s.file)
		}
	case "toml":
		w.settings(s, fail)
	case "json":
		switch {
		case strings.HasSuffix(s.file, ".test.json"):
			w.unused = append(w.unused, s.file)
		case filepath.Base(s.file) != ".mcp.json":
			fail("nothing loads it")
		default:
			w.connect(s, fail)
		}
	case "text":
		if s.file == "" && !strings.Contains(s.text, "─▶") { // a diagram
			fail("the sentence before it names no file")
		}
	default:
		fail("%q is a kind that nothing tests; use console, js, md, toml, json, go, text, or diff after the name of a file", s.kind)
	}
	return s.text
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// testedCode is the Go code that tests run, or that is an example of its own.
func testedCode(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	goFiles(t, func(_, path string) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "examples") {
			all.WriteString(read(t, path) + "\n")
		}
	})
	return squeeze(all.String())
}
