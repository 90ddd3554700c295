package runtime_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// TestImportIsAskedForFilesAlone: whatever a checker asks for, the embedder's function sees paths
// of files that can be imported, and no more of them than are taken.
func TestImportIsAskedForFilesAlone(t *testing.T) {
	t.Parallel()
	var asked []string
	give := runtime.Giving(func(path string) ([]byte, error) {
		asked = append(asked, path)
		if strings.HasPrefix(path, "none") {
			return nil, fs.ErrNotExist
		}
		return []byte(strings.Repeat("x", 6000)), nil
	})
	for _, path := range []string{"", ".", "..", "../x.js", "/etc/passwd", "/x.js", "a/../x.js", "a//x.js", "./x.js", `a\x.js`, "C:x.js", ".env", "a/.ssh/x.json", "x.pem", "x", "node_modules/a/x.ts", "lib/node_modules/a/x.js", "node_modules/a/.x.js", "node_modules/../x.js", "a\x00.js"} {
		if text, why := give(path); text != "" || why == "" {
			t.Errorf("%q is given", path)
		}
	}
	if len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
	for i := range 5000 {
		give(fmt.Sprintf("none%d.js", i))
	}
	if missing := len(asked); missing > 10*runtime.MaxImports {
		t.Errorf("asked for %d files that are not there", missing)
	}
	given := 0
	fresh := runtime.Giving(func(string) ([]byte, error) { return []byte(strings.Repeat("x", 6000)), nil })
	for i := range 2 * runtime.MaxImports {
		if text, _ := fresh(fmt.Sprintf("x%d.js", i)); text != "" {
			given += len(text)
		}
	}
	if given > runtime.MaxImportedBytes {
		t.Errorf("%d bytes are given", given)
	}
}

// TestImported: a program is of its files, in process too.
func TestImported(t *testing.T) {
	t.Parallel()
	for _, inProcess := range []bool{false, true} {
		runner, err := runtime.New(runtime.Options{InProcess: inProcess})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { runner.Close() })
		text, reads := "export const a = 1", 0
		source := runtime.Source{Name: "t.mjs", Body: []byte("import { a } from './a.js'\nexport default () => a.b.c"), Import: func(path string) ([]byte, error) {
			reads++
			if path != "a.js" {
				return nil, errors.New("no")
			}
			return []byte(text), nil
		}}
		first, err := runner.Compile(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		if files := first.Imported(); len(files) != 1 || files[0].Path != "a.js" || len(files[0].Digest) != 64 {
			t.Errorf("imported %v", files)
		}
		again, err := runner.Compile(t.Context(), source)
		if err != nil || again != first {
			t.Errorf("it is compiled again: %v", err)
		}
		report := runner.Run(t.Context(), runtime.Request{Program: first})
		if report.Failure == nil || report.Failure.Pos.String() != "t.mjs:2:26" {
			t.Errorf("%v", report)
		}
		text = "export const a = { b: { c: 2 } }"
		second, err := runner.Compile(t.Context(), source)
		if err != nil || second == first || second.Digest() == first.Digest() {
			t.Fatalf("a change is not seen: %v", err)
		}
		if report := runner.Run(t.Context(), runtime.Request{Program: second}); string(report.Value) != "2" {
			t.Errorf("%v", report)
		}
		text = "export const b = 1"
		_, err = runner.Compile(t.Context(), source)
		var bad *runtime.CompileError
		if !errors.As(err, &bad) || bad.Problems[0].Pos.Line != 1 {
			t.Errorf("a missing export: %v", err)
		}
		text = "export const a = 1"
		if _, err := runner.Compile(t.Context(), source); err != nil {
			t.Errorf("a failure is kept: %v", err)
		}
	}
}
