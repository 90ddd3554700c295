package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines is how long a file may be; most hold one idea in 60 to 250.
const maxLines = 400

func TestFilesAndNames(t *testing.T) {
	t.Parallel()
	goFiles(t, func(room, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(path, "_test.go")
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > maxLines && !test && !ast.IsGenerated(file) {
			t.Errorf("%s has %d lines; at most %d, so that it holds one idea", path, n, maxLines)
		}
		if slices.Contains([]string{"util", "utils", "common", "helpers", "misc", "base", "shared"}, file.Name.Name) {
			t.Errorf("%s: package %s says nothing of what is in it", path, file.Name.Name)
		}
		if test || room == "cmd/scriptrun" || strings.HasPrefix(room, "examples/") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if room == "runtime" && filepath.Base(path) == "workermain.go" || room == "hostapi/sandbox" && filepath.Base(path) == "main_linux.go" {
				return true // it is the program's second main
			}
			if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(systemNames, x.Name+"."+selector.Sel.Name) {
				t.Errorf("%s uses %s.%s, which is for cmd/scriptrun alone", path, x.Name, selector.Sel.Name)
			}
			return true
		})
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init; nothing works before it is asked to", path)
			}
		}
	})
}

// TestFilesAreReadInOneWay: files that somebody names or leaves are read through one function,
// which neither waits nor reads without end.
func TestFilesAreReadInOneWay(t *testing.T) {
	t.Parallel()
	goFiles(t, func(room, path string) {
		if strings.HasSuffix(path, "_test.go") || room != "cmd/scriptrun" && room != "scripttools" && room != "scripttools/settings" {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := selector.X.(*ast.Ident); ok && slices.Contains([]string{"os.Open", "os.OpenFile", "os.ReadFile"}, x.Name+"."+selector.Sel.Name) {
					t.Errorf("%s uses os.%s; read it with hostapi/regular", path, selector.Sel.Name)
				}
			}
			return true
		})
	})
}

// TestExportedNamesAreDocumented: every exported name has a comment.
func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	packages := map[string]bool{}
	goFiles(t, func(room, path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		packages[room] = packages[room] || file.Doc != nil
		if ast.IsGenerated(file) {
			return // its comments are its author's
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedReceiver(d.Recv)) {
					t.Errorf("%s: %s has no comment", path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					for _, name := range undocumented(d, spec) {
						t.Errorf("%s: %s has no comment", path, name)
					}
				}
			}
		}
	})
	for room, documented := range packages {
		if !documented {
			t.Errorf("package %s has no comment that says how it is meant to be used", room)
		}
	}
}

func exportedReceiver(list *ast.FieldList) bool {
	typ := list.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}

func undocumented(d *ast.GenDecl, spec ast.Spec) (out []string) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
			out = append(out, s.Name.Name)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				out = append(out, name.Name)
			}
		}
	}
	return out
}

// The top level holds what it holds, so that a newcomer finds his way.
func TestTopLevel(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	known := []string{
		"go.mod", "go.sum", "runtime", "scripttools", "hostapi", "cmd", "tools", "examples", "docs", "bench",
		"README.md", "LICENSE", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(known, e.Name()) {
			t.Errorf("%s does not belong to the top level", filepath.Join(root, e.Name()))
		}
	}
}
