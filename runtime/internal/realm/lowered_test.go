package realm_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// runTypes runs TypeScript, of a file with a name.
func runTypes(t *testing.T, name, src string) ending {
	t.Helper()
	checked, flaws := realm.Check(wire.Check{Name: name, Source: src}, nil)
	if len(flaws) > 0 {
		t.Fatalf("flaws: %+v", flaws)
	}
	start, err := wire.New(wire.KindStart, wire.Start{
		Name: name, Digest: src, Source: checked.Source, Map: checked.Map, Entry: checked.Entry, CommonJS: checked.CommonJS,
		Strict: checked.Strict, MaxOutputBytes: 1 << 16,
	}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return runStart(t, start, nil)
}

// TestLoweredPlaces: errors, calls and logs name the author's places.
func TestLoweredPlaces(t *testing.T) {
	t.Parallel()
	const src = "interface In {\n  a: string\n}\n" +
		"async function* each(n: number): AsyncGenerator<number> {\n  for (let i = 0; i < n; i++) yield i\n}\n" +
		"const fail = (x: any): never => {\n  const 漢 = '漢'; throw new TypeError(漢 + x)\n}\n" +
		"export default async function run(ctx: any, inputs: In) {\n  for await (const x of each(2)) {\n    try { fail(x) } catch (e) { console.log((e as Error).stack) }\n" +
		"  }\n  await ctx.tool('a', {} satisfies object)\n  fail(3)\n}\n"
	for _, name := range []string{"t.ts", "a/my tools/t.ts", "/w/t#1.mts", "(source).ts"} {
		checked, flaws := realm.Check(wire.Check{Name: name, Source: src}, nil)
		if len(flaws) > 0 {
			t.Fatal(flaws)
		}
		start, err := wire.New(wire.KindStart, wire.Start{Name: name, Digest: src, Source: checked.Source, Map: checked.Map, Entry: checked.Entry,
			Strict: checked.Strict, MaxOutputBytes: 1 << 16, Tools: []string{"a"}}, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		e := runStart(t, start, func(r *realm.Realm, call wire.Call, _ string) {
			answer, _ := wire.New(wire.KindResult, wire.Result{Seq: call.Seq}, []byte(`{"output":""}`))
			r.Deliver(answer)
		})
		if len(e.calls) != 1 || e.calls[0].Line != 14 {
			t.Fatalf("%s: calls %+v, %+v", name, e.calls, e.throw)
		}
		if len(e.logs) != 2 || !strings.Contains(e.logs[0].Text, "8:") || !strings.Contains(e.logs[0].Text, "12:") {
			t.Errorf("%s: logs %+v", name, e.logs)
		}
		if e.throw == nil || len(e.throw.Stack) < 2 {
			t.Fatalf("%s: %+v", name, e.throw)
		}
		if s := e.throw.Stack; s[0].Line != 8 || s[0].Func != "fail" || s[1].Line != 15 || s[1].Func != "run" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestLoweredFlaws: what the engine finds in lowered code is told at the author's place.
func TestLoweredFlaws(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src       string
		line, col int
		want      string
	}{
		{"type A = string\nexport const x = 1", 1, 1, "there is no entry"},
		{"/*---\nkind: script\n---*/\ntype A = string", 4, 1, "there is no entry"},
		{"export default function run() {\n  const é = '漢', a: = 1\n}", 2, 21, "unexpected"},
		{"let a: string\nexport default async function run(ctx: any) {\n  return import.meta.url\n}", 3, 10, "no address"},
		{"const a: number = await 1\nexport default () => a", 1, 25, "async functions only"},
	} {
		_, flaws := realm.Check(wire.Check{Name: "t.ts", Source: c.src}, nil)
		if len(flaws) == 0 || flaws[0].Line != c.line || flaws[0].Col != c.col || !strings.Contains(flaws[0].Msg, c.want) {
			t.Errorf("%q: %+v", c.src, flaws)
		}
	}
}

// TestPlainSourceIsNotLowered: what the engine reads runs as it was written.
func TestPlainSourceIsNotLowered(t *testing.T) {
	t.Parallel()
	for src, lowered := range map[string]bool{
		"export default async function run() { class A { #a = 1; static { this.b = 2 } } return /[a--b]/v.test(1n ** 2n) }": false,
		"// for await using @x\nexport default () => 'async function* f() {}'":                                              false,
		"export default async () => { for await (const x of []) x }":                                                        true,
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: src}, nil)
		if len(flaws) > 0 || (checked.Map != "") != lowered {
			t.Errorf("%s: %v %q", src, flaws, checked.Map)
		}
	}
}

// TestFieldsWithNamesThatBeginMethods: such fields of classes are read, though the engine does not,
// and errors name the author's places. Other mistakes with these names stay.
func TestFieldsWithNamesThatBeginMethods(t *testing.T) {
	t.Parallel()
	const entry = "\nexport default async function run() { const a = new A(); return [a, A.get, a.f && a.f()] }"
	for class, want := range map[string]string{
		"class A { async = 3 }":                    `[{"async":3},null,null]`,
		"class A { get\n = 4; of = 5; set=6 }":     `[{"get":4,"of":5,"set":6},null,null]`,
		"class A { static async; static get = 1 }": `[{},1,null]`,
		"class A { static static = 1; static get = this.static; #p = 2; async = this.#p; f() { return #p in this } }":                              `[{"async":2},1,true]`,
		"class B { x = 1 }\nclass A extends B { set = this.x + 1; #q = 1; get = (() => 1).name; static set = () => 2; f() { return A.set.name } }": `[{"x":1,"set":2,"get":""},null,"set"]`,
		"class A { static get\n\n= (() => { throw new Error('x') })() }":                                                                           "",
	} {
		for _, name := range []string{"t.js", "t.ts"} {
			e := runTypes(t, name, class+entry)
			if want == "" && (e.throw == nil || len(e.throw.Stack) == 0 || e.throw.Stack[0].Line != 3) || e.value != want {
				t.Errorf("%s: %s: %s %+v", name, class, e.value, e.throw)
			}
		}
	}
	for _, src := range []string{"const o = { get = 4 }", "class A { get == 3 }", "class A { other name = 3 }"} {
		if _, flaws := realm.Check(wire.Check{Name: "t.js", Source: src + "\nexport default () => 1"}, nil); len(flaws) != 1 || flaws[0].Line != 1 || strings.Contains(flaws[0].Msg, "engine") {
			t.Errorf("%s: %+v", src, flaws)
		}
	}
}

// TestEntryCannotBeTaken: code that runs when a file is loaded, or later, cannot put another
// function in the place of the entry.
func TestEntryCannotBeTaken(t *testing.T) {
	t.Parallel()
	const taking = "const take = (): any => { (globalThis as any).run = (globalThis as any).$default = () => 'taken' }\ntake(); Promise.resolve().then(take)\n"
	for _, entry := range []string{"export default function run() { return 'kept' }", "export const run = () => 'kept'", "function run() { return 'kept' }", "export default () => 'kept'"} {
		if e := runTypes(t, "t.ts", taking+entry); e.value != `"kept"` {
			t.Errorf("%s: %s %+v", entry, e.value, e.throw)
		}
	}
}

// TestLoweredAnswers: an answer that is no lowered source is refused.
func TestLoweredAnswers(t *testing.T) {
	t.Parallel()
	c := wire.Check{Name: "t.ts", Source: "export default () => 1"}
	sound := wire.Checked{Entry: "run", Strict: true, Lowered: "function run() {}", Map: "{}"}
	if _, _, err := realm.Accept(c, sound, nil); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", realm.MaxLowered+1)
	for name, change := range map[string]func(a *wire.Checked){
		"no map":     func(a *wire.Checked) { a.Map = "" },
		"no source":  func(a *wire.Checked) { a.Lowered = "" },
		"large":      func(a *wire.Checked) { a.Lowered = large },
		"large map":  func(a *wire.Checked) { a.Map = large },
		"no name":    func(a *wire.Checked) { a.Entry = "a;b" },
		"with edits": func(a *wire.Checked) { a.Edits = []wire.Edit{{Text: "x"}} },
		"with flaws": func(a *wire.Checked) { a.Flaws = []wire.Flaw{{Line: 1, Col: 1, Msg: "x"}} },
	} {
		answer := sound
		change(&answer)
		if _, _, err := realm.Accept(c, answer, nil); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
