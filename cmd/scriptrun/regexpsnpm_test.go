//go:build npm && linux

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/scriptrun/scriptrun/runtime"
)

// regExpCase is a regular expression as it was found.
type regExpCase struct{ pattern, flags string }

func (c regExpCase) String() string { return "/" + c.pattern + "/" + c.flags }

// indices has flag d too.
func (c regExpCase) indices() regExpCase {
	return regExpCase{c.pattern, strings.ReplaceAll(c.flags, "d", "") + "d"}
}

// regExpResult is what became of one: what the literal found and what new RegExp did, digests
// or whole, and in how many texts there was a match.
type regExpResult struct {
	literal, made string
	matched       int
}

func (r *regExpResult) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&r.literal, &r.made, &r.matched})
}

// TestNPMRegExps: the regular expressions of 60 packages find the same here and in Node.
func TestNPMRegExps(t *testing.T) {
	began := time.Now()
	lap := func() time.Duration {
		defer func() { began = time.Now() }()
		return time.Since(began).Round(time.Millisecond)
	}
	nodeDir, _ := packages(t)
	t.Logf("%v for Node and the binary, which other tests use too", lap())
	dir := t.TempDir()
	if err := npmCI("testdata/npm/regexps", dir, "--ignore-scripts"); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v to install", lap())
	cases, files, unread := harvest(t, filepath.Join(dir, "node_modules"))
	t.Logf("%v to read %d files, %d of which the engine does not parse: %d regular expressions", lap(), files, unread, len(cases))
	const few, many = 5000, 3000
	if len(cases) < few {
		t.Fatalf("%d regular expressions were found, fewer than %d", len(cases), few)
	}
	for i := range many { // of all parts of the list, in time that a run of all tests has
		cases[i] = cases[i*len(cases)/many]
	}
	cases = cases[:many]
	there := regExpsInNode(t, nodeDir, dir, cases, false)
	t.Logf("%v in Node", lap())
	here := regExpsHere(t, dir, cases, false)
	t.Logf("%v here", lap())
	matched, differ := 0, []regExpCase{}
	for i, c := range cases {
		if there[i].matched > 0 {
			matched++
		}
		if here[i] != there[i] {
			differ = append(differ, c)
		}
	}
	t.Logf("%d match in a text", matched)
	if matched < len(cases)/3 {
		t.Error("the texts are too poor: two of three regular expressions match in none")
	}
	if len(differ) == 0 {
		return
	}
	t.Errorf("%d differ", len(differ))
	differ = differ[:min(len(differ), 5)]
	there, here = regExpsInNode(t, nodeDir, dir, differ, true), regExpsHere(t, dir, differ, true)
	for i, c := range differ {
		t.Errorf("%s\nas a literal %s\nby new RegExp %s", c, firstDifference(here[i].literal, there[i].literal), firstDifference(here[i].made, there[i].made))
	}
}

func firstDifference(here, there string) string {
	if here == there {
		return "the same"
	}
	at := 0
	for at < min(len(here), len(there)) && here[at] == there[at] {
		at++
	}
	from := max(0, at-100)
	return fmt.Sprintf("\nhere %.300s\nNode %.300s", here[from:], there[from:])
}

// harvest finds the regular expressions in the files of a folder, each once.
func harvest(t *testing.T, folder string) (cases []regExpCase, files, unread int) {
	t.Helper()
	paths := make(chan string)
	var mu sync.Mutex
	var reading sync.WaitGroup
	seen := map[regExpCase]bool{}
	for range goruntime.GOMAXPROCS(0) {
		reading.Go(func() {
			for path := range paths {
				found, err := literalsOf(path)
				mu.Lock()
				if files++; err != nil {
					unread++
				}
				for _, c := range found {
					seen[c] = true
				}
				mu.Unlock()
			}
		})
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && entry.Type().IsRegular() && (ext == ".js" || ext == ".cjs") && !strings.HasSuffix(path, ".min.js") {
			paths <- path
		}
		return err
	})
	close(paths)
	reading.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for c := range seen {
		cases = append(cases, c)
	}
	slices.SortFunc(cases, func(a, b regExpCase) int { return strings.Compare(a.String(), b.String()) })
	return cases, files, unread
}

// literalsOf are the regular expressions of a file.
func literalsOf(path string) (found []regExpCase, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(nil, path, string(text), parser.IgnoreRegExpErrors, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, err
	}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			walk(v.Elem())
		case reflect.Pointer:
			if literal, ok := v.Interface().(*ast.RegExpLiteral); ok {
				found = append(found, regExpCase{literal.Pattern, literal.Flags})
			} else if !v.IsNil() && v.Type().Elem().PkgPath() == reflect.TypeFor[ast.Program]().PkgPath() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" { // it repeats what the body has
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(tree))
	return found, nil
}

// regExpSource is a function body that looks at regular expressions.
func regExpSource(t *testing.T, dir string, cases []regExpCase, whole bool) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("const cases = [\n")
	for _, c := range cases {
		text, err := json.Marshal([]string{c.pattern, c.flags})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "[%s, %s, %s],\n", c, c.indices(), text[1:len(text)-1])
	}
	_, probe, _ := strings.Cut(read(t, filepath.Join(dir, "probe.js")), "\nasync")
	fmt.Fprintf(&b, "];\nconst probe = async %s;\nreturn await probe(cases, %s, %v);\n", strings.TrimSpace(probe), read(t, filepath.Join(dir, "texts.json")), whole)
	return b.String()
}

func regExpsInNode(t *testing.T, nodeDir, dir string, cases []regExpCase, whole bool) (results []regExpResult) {
	t.Helper()
	program := "(async () => {" + regExpSource(t, dir, cases, whole) + "})().then((v) => require('fs').writeFileSync(process.argv[2], JSON.stringify(v)))"
	if err := os.WriteFile(filepath.Join(dir, "regexps.cjs"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := node(t, nodeDir, filepath.Join(dir, "regexps.cjs"), filepath.Join(dir, "results.json")); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "results.json"))), &results); err != nil || len(results) != len(cases) {
		t.Fatalf("%d results for %d: %v", len(results), len(cases), err)
	}
	return results
}

// regExpsHere runs them in runs that are small enough to be sources.
func regExpsHere(t *testing.T, dir string, cases []regExpCase, whole bool) (results []regExpResult) {
	t.Helper()
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	for len(cases) > 0 {
		n, size := 0, 0
		for n < len(cases) && size < runtime.MaxSourceBytes*3/4 {
			size += len(cases[n].pattern)*4 + 20
			n++
		}
		report := runner.Run(t.Context(), runtime.Request{
			Source: &runtime.Source{Name: "regexps.js", Body: []byte(regExpSource(t, dir, cases[:n], whole)), FunctionBody: true},
			Limits: runtime.Limits{Timeout: 5 * time.Minute, MaxOutputBytes: runtime.MaxLimits().MaxOutputBytes, MaxMemoryBytes: 1 << 30},
		})
		var some []regExpResult
		if err := json.Unmarshal(report.Value, &some); err != nil || len(some) != n {
			t.Fatalf("%d results for %d: %v\n%v", len(some), n, err, report)
		}
		results, cases = append(results, some...), cases[n:]
	}
	return results
}
