package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What became of a behaviour.
const (
	asThere = "as there"
	better  = "better"
	absent  = "absent"
)

// behaviour is something that an earlier system does, and what became of it here.
type behaviour struct {
	id, what string
	verdict  string
	why      string // of what is better or absent
	tests    by     // of what is there
}

// by are tests that hold a behaviour: FOLDER.TestName, FOLDER.TestName/SUBTEST, NAME.txtar, or
// NAME.txtar: WORDS, which stand in that script.
type by []string

// comparison is a part of the page: a row for each number from first to last.
type comparison struct {
	title, id, dash string
	first, last     int
	rows            func() []behaviour // made when it is asked for: every process of these tests starts with this binary
}

// earlier is a system that the page compares with.
type earlier struct {
	system, about string
	parts         []comparison
}

func priorArt() []earlier {
	return []earlier{
		{"A3S", "Its agent directories have tool files of `kind: script`, which load and run here as they are.", []comparison{
			{"Loading", "1a", "-", 1, 23, a3sLoads},
			{"A named tool, and a program without a file", "1b", "-", 24, 37, a3sPrograms},
			{"What a script sees", "1c", "-", 38, 53, a3sScripts},
			{"Results, records, cancelling", "1d", "-", 54, 58, a3sResults},
			{"Commands", "1e", "-", 59, 65, a3sCommands},
			{"Where it falls short", "WA", "", 1, 17, a3sShort},
		}},
		{"kaish", "It is a shell in the host's process, with an `ExecContext` that its commands share. Here a script has a realm of its own, " +
			"and each command a process of the system's shell.", []comparison{
			{"The fields of its context", "2a", "-", 1, 26, kaishFields},
			{"The methods of its context", "2b", "-", 27, 38, kaishMethods},
			{"Output, timeouts, cancelling", "2c", "-", 39, 56, kaishEndings},
			{"Confirming", "2d", "-", 57, 63, kaishConfirms},
			{"Trash, overlay, jobs, output formats", "2e", "-", 64, 76, kaishFiles},
			{"Where it falls short", "WK", "", 1, 12, kaishShort},
		}},
	}
}

// TestPriorArt: the page has each behaviour once, says why one is not as it was, and names a test
// for one that is there; the tests exist.
func TestPriorArt(t *testing.T) {
	t.Parallel()
	tests := testsOfModule(t)
	var b strings.Builder
	b.WriteString("# Prior art\n\nWhat two earlier systems do, number by number, and what became of it: the same, better, or absent. Written from a table in\n" +
		"`cmd/scriptrun/priorart_*_test.go`; a test fails where a row is missing, says no reason, or names a test that does not exist.\n")
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;")
	for _, s := range priorArt() {
		counts := map[string]int{}
		var parts strings.Builder
		for _, part := range s.parts {
			fmt.Fprintf(&parts, "\n### %s\n\n| | what | verdict | why | test |\n|---|---|---|---|---|\n", part.title)
			rows := part.rows()
			for i, row := range rows {
				if want := fmt.Sprint(part.id, part.dash, part.first+i); row.id != want {
					t.Errorf("%s, row %d is %s, not %s", part.title, i+1, row.id, want)
				}
				row.judge(t)
				counts[row.verdict]++
				var links []string
				for _, name := range row.tests {
					link, err := tests.link(name)
					if err != nil {
						t.Errorf("%s: %v", row.id, err)
					}
					links = append(links, cell.Replace(link))
				}
				fmt.Fprintf(&parts, "| %s | %s | %s | %s | %s |\n", row.id, cell.Replace(row.what), row.verdict, cell.Replace(row.why), strings.Join(links, "<br>"))
			}
			if n := part.last - part.first + 1; len(rows) != n {
				t.Errorf("%s has %d rows, not %d", part.title, len(rows), n)
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s %d as there, %d better, %d absent.\n%s", s.system, s.about, counts[asThere], counts[better], counts[absent], parts.String())
	}
	path := filepath.Join(root, "docs", "prior-art.md")
	if *updateDocs {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
	}
	if b.String() != read(t, path) {
		t.Error("docs/prior-art.md is not what the table says; run go test ./cmd/scriptrun -run TestPriorArt -update-docs")
	}
}

func (r behaviour) judge(t *testing.T) {
	t.Helper()
	switch {
	case r.what == "" || r.verdict != asThere && r.verdict != better && r.verdict != absent:
		t.Errorf("%s says nothing, or has the verdict %q", r.id, r.verdict)
	case r.verdict != asThere && r.why == "":
		t.Errorf("%s does not say why it is %s", r.id, r.verdict)
	case (len(r.tests) == 0) != (r.verdict == absent):
		t.Errorf("%s is %s and names %d tests", r.id, r.verdict, len(r.tests))
	}
}

// testIndex knows the declarations of all tests, by folder and name.
type testIndex map[string]map[string]*declared

// declared is a function or variable of a test: the texts in it, and the names that it uses.
type declared struct {
	file  string
	texts map[string]bool
	uses  map[string]bool
}

func testsOfModule(t *testing.T) testIndex {
	t.Helper()
	index := testIndex{}
	goFiles(t, func(room, path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if index[room] == nil {
			index[room] = map[string]*declared{}
		}
		add := func(name string, node ast.Node) {
			d := &declared{room + "/" + filepath.Base(path), map[string]bool{}, map[string]bool{}}
			ast.Inspect(node, d.note)
			index[room][name] = d
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					add(decl.Name.Name, decl)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok {
						for _, name := range value.Names {
							add(name.Name, value)
						}
					}
				}
			}
		}
	})
	return index
}

// note notes a text, two texts that follow each other in a row, and a name.
func (d *declared) note(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.BasicLit:
		d.texts[textOf(node)] = true
	case *ast.CompositeLit:
		for i := 1; i < len(node.Elts); i++ {
			if first, second := textOf(node.Elts[i-1]), textOf(node.Elts[i]); first != "" && second != "" {
				d.texts[first+" "+second] = true
			}
		}
	case *ast.Ident:
		d.uses[node.Name] = true
	}
	return true
}

func textOf(e ast.Expr) string {
	if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		text, _ := strconv.Unquote(literal.Value)
		return text
	}
	return ""
}

// says reports whether a test has a text, itself or in what it uses of its folder.
func (x testIndex) says(room, name, text string, seen map[string]bool) bool {
	d := x[room][name]
	if d == nil || seen[name] {
		return false
	}
	seen[name] = true
	if d.texts[text] {
		return true
	}
	for used := range d.uses {
		if x.says(room, used, text, seen) {
			return true
		}
	}
	return false
}

// link is a link to a test, or says that there is none.
func (x testIndex) link(name string) (string, error) {
	if script, words, _ := strings.Cut(name, ": "); strings.HasSuffix(script, ".txtar") {
		path := "cmd/scriptrun/testdata/script/" + script
		text, err := os.ReadFile(filepath.Join(root, path))
		if err == nil && !strings.Contains(string(text), words) {
			err = fmt.Errorf("%s does not say %q", script, words)
		}
		return fmt.Sprintf("[%s](../%s) %s", script, path, words), err
	}
	m := regexp.MustCompile(`^([a-z0-9/]+)\.((?:Test|Example)\w+)(?:/(.+))?$`).FindStringSubmatch(name)
	if m == nil {
		return "", fmt.Errorf("%q names no test: want FOLDER.TestName or FOLDER.TestName/SUBTEST", name)
	}
	d := x[m[1]][m[2]]
	if d == nil {
		return "", fmt.Errorf("there is no test %s in %s", m[2], m[1])
	}
	if m[3] != "" && !x.says(m[1], m[2], m[3], map[string]bool{}) {
		return "", fmt.Errorf("%s of %s has no subtest %q", m[2], m[1], m[3])
	}
	return strings.TrimSpace(fmt.Sprintf("[%s](../%s) %s", m[2], d.file, m[3])), nil
}
