package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update-api", false, "rewrite testdata/api.golden")

// What the packages export is in a golden file, so that a change of it is seen
// as one.
func TestExportedSymbols(t *testing.T) {
	t.Parallel()
	var lines []string
	goFiles(t, func(room, path string) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(room, "internal") ||
			!strings.HasPrefix(room, "hostapi") && !strings.HasPrefix(room, "runtime") && !strings.HasPrefix(room, "scripttools") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			for _, line := range exported(t, set, d) {
				lines = append(lines, room+": "+line)
			}
		}
	})
	slices.Sort(lines)
	lines = slices.Compact(lines)
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "api.golden")
	if *updateAPI {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	old := strings.Split(string(want), "\n")
	for _, line := range lines {
		if !slices.Contains(old, line) {
			t.Errorf("new: %s", line)
		}
	}
	for _, line := range old {
		if line != "" && !slices.Contains(lines, line) {
			t.Errorf("gone: %s", line)
		}
	}
	t.Error("if that is meant, run go test ./cmd/scriptrun -run TestExportedSymbols -update-api")
}

// exported renders the exported parts of a declaration, one a line.
func exported(t *testing.T, set *token.FileSet, d ast.Decl) (out []string) {
	t.Helper()
	text := func(node any) string {
		var b bytes.Buffer
		if err := printer.Fprint(&b, set, node); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && !exportedReceiver(d.Recv) {
			return nil
		}
		d.Body, d.Doc = nil, nil
		return []string{text(d)}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				out = append(out, typeLines(s, text)...)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						out = append(out, fmt.Sprintf("%s %s", d.Tok, name.Name))
					}
				}
			}
		}
	}
	return out
}

func typeLines(s *ast.TypeSpec, text func(any) string) []string {
	switch typ := s.Type.(type) {
	case *ast.StructType:
		out := []string{"type " + s.Name.Name + " struct"}
		for _, field := range typ.Fields.List {
			for _, name := range field.Names {
				out = append(out, fmt.Sprintf("type %s struct, %s %s", s.Name.Name, name.Name, text(field.Type)))
			}
		}
		return out
	case *ast.InterfaceType:
		out := []string{"type " + s.Name.Name + " interface"}
		for _, method := range typ.Methods.List {
			for _, name := range method.Names {
				out = append(out, fmt.Sprintf("type %s interface, %s%s", s.Name.Name, name.Name, strings.TrimPrefix(text(method.Type), "func")))
			}
		}
		return out
	}
	return []string{"type " + s.Name.Name + " " + text(s.Type)}
}
