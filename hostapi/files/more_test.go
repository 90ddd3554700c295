package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": "one", "d/b.txt": "two", "large": ""})
	if err := os.Truncate(filepath.Join(p.dir, "large"), 1<<30); err != nil { // which takes no room
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "d/b.txt", "d", "large"} {
		if r := p.call(t, "delete", map[string]any{"path": name}); r.ExitCode != 0 {
			t.Errorf("%s: %s", name, r.Output)
		}
		if _, err := os.Lstat(filepath.Join(p.dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for path, want := range map[string]int{"*/a.txt": 1, "*/d/b.txt": 1, "*/d": 2, "*/large": 1} { // its path says where it was
		if kept, err := filepath.Glob(filepath.Join(p.dir, ".scriptrun-trash", path)); err != nil || len(kept) != want {
			t.Errorf("the trash holds %q, %v", kept, err)
		}
	}
	for _, name := range []string{".", "..", "nothing", ".scriptrun-trash", "/etc/passwd"} {
		if r := p.call(t, "delete", map[string]any{"path": name}); r.ExitCode == 0 {
			t.Errorf("%s was deleted: %s", name, r.Output)
		}
	}
}

// TestDeletedFilesAreKeptFromGit: what is deleted is not committed, also where the trash is
// older, and no tool changes that.
func TestDeletedFilesAreKeptFromGit(t *testing.T) {
	t.Parallel()
	for _, before := range []map[string]string{{"a.txt": "one"}, {"a.txt": "one", ".scriptrun-trash/x": "old"}} {
		p := workspace(t, before)
		if r := p.call(t, "delete", map[string]any{"path": "nothing"}); r.ExitCode == 0 {
			t.Errorf("%+v", r)
		}
		if _, err := os.Lstat(filepath.Join(p.dir, ".scriptrun-trash")); (err == nil) != (len(before) > 1) {
			t.Errorf("after nothing was deleted: %v", err)
		}
		if r := p.call(t, "delete", map[string]any{"path": "a.txt"}); r.ExitCode != 0 {
			t.Errorf("%+v", r)
		}
		const file = ".scriptrun-trash/.gitignore"
		for tool, args := range map[string]map[string]any{
			"write": {"file_path": file, "content": "x"}, "edit": {"file_path": file, "old_string": "*", "new_string": "x"},
			"delete": {"path": file}, "move": {"from": file, "to": "x"},
		} {
			if r := p.call(t, tool, args); r.ExitCode == 0 {
				t.Errorf("%s: %+v", tool, r)
			}
		}
		if text := p.text(t, file); text != "*\n" {
			t.Errorf("%q", text)
		}
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args map[string]any
		want string // of the new place; empty for a refusal
	}{
		{map[string]any{"from": "a.txt", "to": "new/b.txt"}, "one"},
		{map[string]any{"from": "d", "to": "e"}, ""},
		{map[string]any{"from": "d", "to": "f"}, "two"},
		{map[string]any{"from": "a.txt", "to": "c.txt"}, ""},
		{map[string]any{"from": "a.txt", "to": "c.txt", "overwrite": true}, "one"},
		{map[string]any{"from": "d", "to": "c.txt", "overwrite": true}, ""},
		{map[string]any{"from": "d", "to": "d/inside"}, ""},
		{map[string]any{"from": "a.txt", "to": "a.txt"}, ""},
		{map[string]any{"from": "a.txt", "to": "../out.txt"}, ""},
		{map[string]any{"from": "nothing", "to": "x"}, ""},
	} {
		p := workspace(t, map[string]string{"a.txt": "one", "c.txt": "three", "d/x.txt": "two", "e/x.txt": "four"})
		r := p.call(t, "move", c.args)
		if c.want == "" {
			if r.ExitCode == 0 || p.text(t, "a.txt") != "one" || p.text(t, "c.txt") != "three" || p.text(t, "d/x.txt") != "two" || p.text(t, "e/x.txt") != "four" {
				t.Errorf("%v: %s", c.args, r.Output)
			}
			continue
		}
		to := c.args["to"].(string)
		if to == "f" {
			to = "f/x.txt"
		}
		if r.ExitCode != 0 || p.text(t, to) != c.want {
			t.Errorf("%v: %s", c.args, r.Output)
		}
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ",") + "]\n"
	}
	many := "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a,", 1000) + "]\n"
	for name, c := range map[string]struct{ tool, text, data, fails string }{
		"json":          {"json", " {\"a\": [1, 2.5, null]}\n", `{"a":[1,2.5,null]}`, ""},
		"large numbers": {"json", "12345678901234567890", `12345678901234567890`, ""},
		"broken json":   {"json", "{\n\"a\": }", "", "line 2"},
		"a huge number": {"json", "[1,\n-1e400]", "", "line 2: the number -1e400 is beyond the numbers of JavaScript"},
		"two values":    {"json", "{} {}", "", "line 1: another value begins"}, "lines": {"json", "1\n2\n", "", "line 2: another value begins"},
		"an open list":   {"json", "[1", "", "its JSON value does not end"},
		"nothing":        {"json", "", "", "no JSON value"},
		"deep json":      {"json", strings.Repeat("[", 10000), "", "deeper"},
		"large json":     {"json", strings.Repeat("1\n", 2<<20) + "1", "", "read it in parts with the tool read, which takes offset and limit"},
		"large yaml":     {"yaml", strings.Repeat("1\n", 1<<20) + "1", "", "read it in parts with the tool read, which takes offset and limit"},
		"yaml":           {"yaml", "a: [1, x, null]\nb:\n  c: true\n1: one\n", `{"1":"one","a":[1,"x",null],"b":{"c":true}}`, ""},
		"aliases":        {"yaml", "a: &x [1]\nb: *x\n", `{"a":[1],"b":[1]}`, ""},
		"first of two":   {"yaml", "a: 1\n---\nb: 2\n", `{"a":1}`, ""},
		"empty yaml":     {"yaml", "", "null", ""},
		"broken yaml":    {"yaml", "a: [1\nb: }", "", "must be specified"},
		"a bomb":         {"yaml", bomb, "", "alias"},
		"a wide bomb":    {"yaml", many, "", "aliases stand for more"},
		"deep yaml":      {"yaml", strings.Repeat("[", 10000), "", "deeper"},
		"deep by indent": {"yaml", strings.Repeat("- ", 5000) + "x", "", "deeper"},
		"infinity":       {"yaml", "a: .inf", `{"a":"+Inf"}`, ""},
	} {
		p := workspace(t, map[string]string{"f": c.text})
		r := p.call(t, c.tool, map[string]any{"file_path": "f"})
		if c.fails != "" {
			if r.ExitCode == 0 || !strings.Contains(r.Output, c.fails) {
				t.Errorf("%s: %d %.300s", name, r.ExitCode, r.Output)
			}
		} else if r.ExitCode != 0 || string(r.Data) != c.data || r.Output != c.data {
			t.Errorf("%s: %d %s %s", name, r.ExitCode, r.Output, r.Data)
		}
	}
}

// TestStructuredSaysWhatItLeavesOut: bytes that are not UTF-8, and documents behind the first.
func TestStructuredSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"f": "[\"a\xff\"]", "two": "a: 1\n---\nb: 2\n", "one": "---\na: 1\n", "ends": "a: 1\n...\n", "large": "a: 9007199254740993\nb: 9007199254740992\n"})
	for file, want := range map[string]string{"f": "f is not UTF-8: U+FFFD stands for bytes of it", "two": "two holds 2 documents; data is the first", "one": "", "ends": "",
		"large": "large has 9007199254740993, which JavaScript has no number for: data has 9007199254740992, and output has it as it is"} {
		tool := "yaml"
		if file == "f" {
			tool = "json"
		}
		if r := p.call(t, tool, map[string]any{"file_path": file}); r.ExitCode != 0 || strings.Join(r.Notes, "|") != want {
			t.Errorf("%s: %q %s", file, r.Notes, r.Output)
		}
	}
}
