package regexps_test

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/regexps"
)

// benchmarks are loops of n turns.
var benchmarks = []struct{ name, source string }{
	{"email", `(n) => { const e = /^[\w.+-]+@[\w-]+\.[\w.-]+$/; for (let i = 0; i < n; i++) e.test("john.doe+news@mail.example.com"); }`},
	{"email exec", `(n) => { const e = /^[\w.+-]+@[\w-]+\.[\w.-]+$/; for (let i = 0; i < n; i++) e.exec("john.doe+news@mail.example.com"); }`},
	{"log line", `(n) => { const e = /^(\S+) \S+ (\S+) \[([^\]]+)\] "([^"]*)" (\d{3}) (\d+)/;
		for (let i = 0; i < n; i++) e.exec('127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326'); }`},
	{"split 8 KB", `(n) => { const s = "abcdef, ".repeat(1024); for (let i = 0; i < n; i++) s.split(/,\s*/); }`},
	{"replace 4 KB", `(n) => { const s = "abcdefg ".repeat(512); for (let i = 0; i < n; i++) s.replace(/\s+/g, "_"); }`},
	{"replace small", `(n) => { for (let i = 0; i < n; i++) "a b c".replace(/ /g, ""); }`},
	{"match all small", `(n) => { for (let i = 0; i < n; i++) "k=v, a=b".match(/\w+=\w+/g); }`},
	{"new RegExp", `(n) => { for (let i = 0; i < n; i++) new RegExp("a+b"); }`},
	{"named groups", `(n) => { for (let i = 0; i < n; i++) "2020-01-02".replace(/(?<y>\d+)-(?<m>\d+)/, "$<m>/$<y>"); }`},
}

func BenchmarkRegExp(b *testing.B) {
	for _, bench := range benchmarks {
		for _, ours := range []bool{false, true} {
			name := bench.name + "/goja"
			if ours {
				name = bench.name + "/ours"
			}
			b.Run(name, func(b *testing.B) {
				vm := goja.New()
				if ours {
					if err := regexps.New(vm, func() bool { return false }).Install(); err != nil {
						b.Fatal(err)
					}
				}
				f, _ := goja.AssertFunction(run(b, vm, bench.source, ours))
				b.ReportAllocs()
				if _, err := f(goja.Undefined(), vm.ToValue(b.N)); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

func BenchmarkInstall(b *testing.B) {
	for _, ours := range []bool{false, true} {
		b.Run(map[bool]string{false: "realm", true: "with"}[ours], func(b *testing.B) {
			for b.Loop() {
				vm := goja.New()
				if ours {
					if err := regexps.New(vm, func() bool { return false }).Install(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// run evaluates a source, whose literals are ours if it says so.
func run(tb testing.TB, vm *goja.Runtime, source string, ours bool) goja.Value {
	tb.Helper()
	tree := parsed(tb, source)
	if ours {
		if _, err := regexps.Rewrite(source, tree); err != nil {
			tb.Fatal(err)
		}
	}
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := vm.RunProgram(program)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func parsed(tb testing.TB, source string) *ast.Program {
	tb.Helper()
	tree, err := parser.ParseFile(nil, "test.js", source, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}
