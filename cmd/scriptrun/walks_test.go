package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestNobodyElseWalksUp: no loop and no recursion climbs from folder to folder by itself. The
// root folder is its own parent, so a walk with a condition of its own may never end.
func TestNobodyElseWalksUp(t *testing.T) {
	t.Parallel()
	goFiles(t, func(room, path string) {
		if strings.HasSuffix(path, "_test.go") || room == "hostapi/upward" {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range climbs(file) {
			t.Errorf("%s goes to the folder around; range over hostapi/upward, which ends", files.Position(at))
		}
	})
}

func TestClimbsAreFound(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"for at := p; at != top; at = filepath.Dir(at) {}":             1,
		"for at := p; ; at, n = path.Dir(at), at {}":                   1,
		"for !seen(p) { p = filepath.Dir(p) }":                         1,
		"for { up := filepath.Dir(p); if up == p { return }; p = up }": 1,
		"f(filepath.Dir(p))":                                           1,
		"for _, p := range all { use(filepath.Dir(p)) }":               0,
		"p = filepath.Dir(p)":                                          0,
		"for _, p := range all { p = filepath.Dir(p); use(p) }":        0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package x\nfunc f(p string) {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := climbs(file); len(got) != want {
			t.Errorf("%s: %d; want %d", body, len(got), want)
		}
	}
}

// climbs are the places where a loop, or a function that calls itself, takes the folder around
// what it had.
func climbs(file *ast.File) (found []token.Pos) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				if parts := []ast.Node{n.Body}; n.Post != nil {
					found = append(found, climbsIn(append(parts, n.Post))...)
				} else {
					found = append(found, climbsIn(parts)...)
				}
			case *ast.CallExpr:
				if nameOf(n.Fun) == f.Name.Name && slices.ContainsFunc(n.Args, isDir) {
					found = append(found, n.Pos())
				}
			}
			return true
		})
	}
	return found
}

// climbsIn are the variables of a loop that become the folder around what they were, also by way
// of another one.
func climbsIn(parts []ast.Node) (found []token.Pos) {
	from := map[string]string{} // the variable whose folder another one is
	for _, part := range parts {
		ast.Inspect(part, func(n ast.Node) bool {
			set, ok := n.(*ast.AssignStmt)
			if !ok || len(set.Lhs) != len(set.Rhs) {
				return true
			}
			for i, to := range set.Lhs {
				name := nameOf(to)
				switch value := set.Rhs[i]; {
				case isDir(value):
					of := nameOf(value.(*ast.CallExpr).Args[0])
					if from[name] = of; of == name {
						found = append(found, set.Pos())
					}
				case name != "" && from[nameOf(value)] == name:
					found = append(found, set.Pos())
				}
			}
			return true
		})
	}
	return found
}

// isDir reports whether an expression is the folder around a path.
func isDir(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	of, ok := call.Fun.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Dir" && slices.Contains([]string{"filepath", "path"}, nameOf(of.X))
}

// nameOf is the name of a variable, or of a function or method; empty for anything else.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
