package lower_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sourcemap/sourcemap"
	"github.com/scriptrun/scriptrun/runtime/internal/lower"
)

// TestSource: what is TypeScript's alone is gone, what the engine reads stays as it was.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, want, gone string }{
		{"types", "let x: number = f<string>(1 as any)!;", "let x = f(1);", "number"},
		{"interface", "interface A { a: string }\nx;", "x;", "interface"},
		{"imported types", `import type { A } from "./a.ts"; x;`, "x;", "import"},
		{"enum", "enum A { B = 1, C }\nrun(A.C);", `["C"] = 2`, "enum"},
		{"namespace", "namespace N { export const x = 1 }", "N2.x = 1", "namespace"},
		{"parameter properties", "class A { constructor(private x: number) {} }", "this.x = x;", "private"},
		{"satisfies", "const a = {} satisfies object;", "const a = {};", "satisfies"},
		{"for await", "async function f() { for await (const x of y) g(x) }", "__forAwait(y)", "for await"},
		{"async generator", "async function* f() { yield 1 }", "__asyncGenerator(this, null, function* ()", "async function*"},
		{"using", "{ using a = b }", "__using(_stack, b)", "{ using"},
		{"decorator", "class A { @d m() {} }", "__decorateElement", "@d"},
		{"fields stay", "class A { #x = 1; static y; static { A.y = 2 } }", "#x = 1;", "__"},
		{"regular expressions stay", `x = /\p{L}[a--b](?i:c)(?<=d)/v;`, `/\p{L}[a--b](?i:c)(?<=d)/v`, "new RegExp"},
		{"operators stay", "a ??= b?.c ** 2n;", "a ??= b?.c ** 2n;", "__"},
		{"other alphabets stay", "const ü = '漢\u2028😀';", `const ü = "漢\u2028😀";`, "xFC"},
		{"unused code stays", "function f() {} function g() {}", "function g()", "__"},
		{"no address of a map", "x;\n//# sourceMappingURL=file:///etc/passwd", "x;", "sourceMappingURL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, flaws := lower.Source(c.src, lower.Options{Name: "a.ts", TypeScript: true})
			if len(flaws) > 0 || !strings.Contains(out.Text, c.want) || strings.Contains(out.Text, c.gone) {
				t.Errorf("%+v\n%s", flaws, out.Text)
			}
		})
	}
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src       string
		js        bool
		line, col int
		want      string
	}{
		{"let a = 1;\nlet b: = 2;", false, 2, 8, "unexpected"},
		{"'漢'; let b: = 2;", false, 1, 15, "unexpected"},
		{"let a; let a;", false, 1, 12, "already been declared"},
		{"let a: number;", true, 1, 6, "expected"},
		{"const x = <b>hi</b>;", false, 1, 21, "unterminated"},
		{"function f() { await x }", false, 1, 16, "inside an \"async\" function"},
	} {
		_, flaws := lower.Source(c.src, lower.Options{Name: "a", TypeScript: !c.js})
		if len(flaws) == 0 || flaws[0].Line != c.line || flaws[0].Col != c.col || !strings.Contains(flaws[0].Msg, c.want) {
			t.Errorf("%q: %+v", c.src, flaws)
		}
	}
}

// TestMap: places lead to the same words of the original, counted in bytes, and those that nobody
// wrote to none.
func TestMap(t *testing.T) {
	t.Parallel()
	src := "type A = {\n  a: string\n}\r\nasync function* f(x: A) { yield '漢😀' + alpha(x!.a) }\n  /* 漢 */ beta<A>(f, '😀', gamma);\u2028delta();\n"
	out, flaws := lower.Source(src, lower.Options{Name: "a.ts", TypeScript: true})
	if len(flaws) > 0 {
		t.Fatal(flaws)
	}
	consumer := parsed(t, out.Map)
	for _, word := range []string{"alpha(", "beta", "gamma", "delta("} {
		line, col := placeOf(out.Text, word)
		source, _, line, col, _ := consumer.Source(line, col)
		if wantLine, wantCol := placeOf(src, word); source != "a.ts" || line != wantLine || col != wantCol {
			t.Errorf("%s is at %s:%d:%d, want %d:%d", word, source, line, col, wantLine, wantCol)
		}
	}
	line, col := placeOf(out.Text, "__await")
	if source, _, _, _, _ := consumer.Source(line, col); source != lower.Ours {
		t.Errorf("a helper is of %q", source)
	}
}

func parsed(t testing.TB, text lower.Map) *sourcemap.Consumer {
	t.Helper()
	consumer, err := sourcemap.Parse("", []byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return consumer
}

// placeOf is where a word first is, in lines of JavaScript and columns of bytes.
func placeOf(text, word string) (line, col int) {
	before, _, _ := strings.Cut(text, word)
	before = strings.NewReplacer("\r\n", "\n", "\u2028", "\n").Replace(before)
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndex(before, "\n")
}

// FuzzSource: whatever a text is, lowering it gives flaws in it, or a program with a map into it.
func FuzzSource(f *testing.F) {
	for _, s := range []string{"let a: A<B<C>> = <D>e", "enum A { B = `${1}` }", "for await (x of y);", "async function*f(){yield*a}", "@a class B{accessor c}",
		"{await using a=b}", "declare module 'x' {}", "import a = require('b')", "export = 1", "import x, {type y} from 'z'", "\ufeff#!x\n漢", "`\u2028😀${a!}`", "abstract class A<const in out T> {}"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, src string, types bool) {
		if len(src) > 2048 || strings.Count(src, "<") > 8 || strings.Count(src, "=") > 16 { // some takes exponential time
			return
		}
		out, flaws := lower.Source(src, lower.Options{Name: "a.ts", TypeScript: types})
		lines := 1 + strings.Count(src, "\n") + strings.Count(src, "\r") + strings.Count(src, "\u2028") + strings.Count(src, "\u2029")
		for _, flaw := range flaws {
			if flaw.Line < 0 || flaw.Line > lines || flaw.Line > 0 && flaw.Col < 1 || flaw.Msg == "" {
				t.Errorf("%q: %+v", src, flaw)
			}
		}
		if len(flaws) > 0 {
			return
		}
		var encoded struct{ Sources []string }
		if err := json.Unmarshal([]byte(out.Map), &encoded); err != nil || len(encoded.Sources) != 2 {
			t.Fatalf("%q: %v %s", src, err, out.Map)
		}
		consumer, row := parsed(t, out.Map), 0
		for text := range strings.Lines(out.Text) {
			row++
			for col := 1; col <= len(text); col++ {
				source, _, line, at, _ := consumer.Source(row, col)
				if source == "a.ts" && (line < 1 || line > lines || at < 1 || at > len(src)+1) {
					t.Fatalf("%q: %d:%d is of %d:%d", src, row, col, line, at)
				}
			}
		}
	})
}

func BenchmarkSource(b *testing.B) {
	const some = "export function f$(a: number, b?: string): string { const { x, y = 2 } = g<string>({ x: a!, y: b as any }); return `${x} and ${y}`; }\n"
	for name, copies := range map[string]int{"150 B": 1, "5 KB": 37, "180 KB": 1300} {
		var src strings.Builder
		for i := range copies {
			src.WriteString(strings.ReplaceAll(some, "$", strconv.Itoa(i)))
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, flaws := lower.Source(src.String(), lower.Options{Name: "a.ts", TypeScript: true}); len(flaws) > 0 {
					b.Fatal(flaws)
				}
			}
		})
	}
}
