package realm_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// iterators are what generators are tried with: it logs what is asked of it, and its return throws
// or gives what it is told to.
const iterators = `const l = [], log = (...a) => { l.push(a.length > 1 ? a : a[0]) }, take = (f) => { try { return f() } catch (e) { return "threw " + (e && e.message || e) } }, ` +
	`it = (end, items = [1, 2, 3]) => { const all = items.values(); return { [Symbol.iterator]() { return this }, next: (v) => all.next(v), return(v) { log("return"); if (end === "throws") throw new Error("end"); return end === "bad" ? 5 : { value: v, done: true } } } }; `

// TestGeneratorsThatAreLeft early run what a finally does, in the order of the language, and what it
// throws goes to the catch around.
func TestGeneratorsThatAreLeft(t *testing.T) {
	t.Parallel()
	cases := map[string]string{}
	for body, want := range map[string]string{
		`function* g() { try { try { yield 1 } finally { throw new Error("a") } } catch (e) { log(e.message) } } for (const z of g()) break; take(() => { for (const z of g()) throw 8 }); return l`:                                                  `["a","a"]`,
		`const f = () => { throw new Error("a") }; function* g() { try { try { yield 1 } finally { f() } } catch (e) { log(e.message) } finally { log("o") } } const [z] = g(); return l`:                                                             `["a","o"]`,
		`function* g() { try { try { yield 1 } finally { JSON.parse("{") } } catch ({ name }) { log(name); yield 2 } } const a = g(); a.next(); return [a.return(9), a.next(), l]`:                                                                    `[{"value":2,"done":false},{"done":true},["SyntaxError"]]`,
		`for (const z of (function* () { try { yield 1 } finally { for (var k of [1, 2]) { try { JSON.parse("{") } catch (e) { log(e.name) } } } })()) break; return l`:                                                                               `["SyntaxError","SyntaxError"]`,
		`for (const z of (function* () { try { yield 1 } finally { try { JSON.parse("{") } catch (e) { log(e.name); return } } })()) break; return l`:                                                                                                 `["SyntaxError"]`,
		`const a = (function* () { for (const x of [1, 2, 3]) { try { yield x } finally { try { JSON.parse("{") } catch (e) { log(x); continue } } } })(); a.next(); return [a.return(7), a.return(8), a.return(9), a.next(), l]`:                     `[{"value":2,"done":false},{"value":3,"done":false},{"done":true},{"done":true},[1,2,3]]`,
		`const a = (function* () { b: for (;;) { try { yield 1 } finally { for (;;) { try { JSON.parse("{") } catch (e) { break b } } } } yield "out" })(); a.next(); return [a.return(7), a.return(8), a.next()]`:                                    `[{"value":"out","done":false},{"value":8,"done":true},{"done":true}]`,
		`const a = (function* () { try { yield 1 } finally { for (const x of [1]) { try { JSON.parse("{") } catch (e) { return e.name } } } })(); a.next(); return a.return(7)`:                                                                       `{"value":"SyntaxError","done":true}`,
		`const a = (function* () { try { for (const x of it()) yield x } finally { log("end") } })(); a.next(); return [a.return(7), l]`:                                                                                                              `[{"value":7,"done":true},["return","end"]]`,
		`const a = (function* () { try { for (const x of it("throws")) yield x } catch (e) { log(e.message); try { JSON.parse("{") } catch (e) { log(e.name) } } })(); a.next(); return [a.return(7), l]`:                                             `[{"done":true},["return","end","SyntaxError"]]`,
		`const a = (function* () { try { o: for (const x of it("throws")) for (const y of it()) yield y } finally { log("f") } })(); a.next(); return [take(() => a.return(7)), a.next(), l]`:                                                         `["threw end",{"done":true},["return","return","f"]]`,
		`const a = (function* () { try { for (const x of it("bad")) yield x } catch (e) { log(e instanceof TypeError) } finally { } })(); a.next(); return [a.return(7), l]`:                                                                          `[{"done":true},["return",true]]`,
		`const a = (function* () { try { for (const x of it("throws")) { yield x } } finally { log("f") } })(); a.next(); return [take(() => a.throw(new Error("first"))), l]`:                                                                        `["threw first",["return","f"]]`,
		`const a = (function* () { try { yield* it() } finally { log("f") } })(); a.next(); return [a.return(7), l]`:                                                                                                                                  `[{"value":7,"done":true},["return","f"]]`,
		`const a = (function* () { try { yield* it("throws") } catch (e) { log(e.message); yield 2 } finally { log("f") } })(); a.next(); return [a.return(7), a.next(), l]`:                                                                          `[{"value":2,"done":false},{"done":true},["return","end","f"]]`,
		`const a = (function* () { try { log(yield* (function* () { try { yield 1 } finally { yield 2; return 3 } })()) } finally { log("f") } })(); a.next(); return [a.return(7), a.next(), l]`:                                                     `[{"value":2,"done":false},{"done":true},[3,"f"]]`,
		`const a = (function* () { try { log(yield 1, yield) } finally { } })(); a.next("x"); a.next("y"); a.next("z"); return l`:                                                                                                                     `[["y","z"]]`,
		`const a = (function* () { try { yield 1 } catch { log("no") } finally { log("f") } })(); a.next(); return [a.return(a === a), l]`:                                                                                                            `[{"value":true,"done":true},["f"]]`,
		`const a = (function* () { try { yield 1 } catch (e) { log(e); yield 2 } finally { log("f") } })(); a.next(); return [a.throw(4), a.return(5), a.next(), l]`:                                                                                  `[{"value":2,"done":false},{"value":5,"done":true},{"done":true},[4,"f"]]`,
		`class A { *m() { return 5 } } class B extends A { *m(...r) { try { yield* super.m(); yield [this instanceof B, arguments.length, r.length] } finally { log("f") } } } const a = new B().m(1, 2); return [a.next().value, l, a.return(3), l]`: `[[true,2,2],["f"],{"value":3,"done":true},["f"]]`,
		`const a = (function* () { try { yield 1 } finally { yield 2 } })(); return [[...a], a.return(4), Object.prototype.toString.call(a), a[Symbol.iterator]() === a]`:                                                                             `[[1,2],{"value":4,"done":true},"[object Generator]",true]`,
		`function* g() { try { yield f() } finally { } function f() { return 1 } function* f() { } function f() { return 2 } } return [...g()]`:                                                                                                       `[2]`,
		`function* g() { var f = 5; try { yield f } finally { } function f() { return 1 } } return [...g()]`:                                                                                                                                          `[5]`,
		`function* g() { try { yield [typeof f, f.name, f()] } finally { } function f() { return typeof f } { var f = 2 } yield f } return [...g()]`:                                                                                                  `[["function","f","function"],2]`,
		`function* g(f) { let n = 3; try { yield f() } finally { } function f() { return 1 } function f() { return n } } return [...g(9)]`:                                                                                                            `[3]`,
		`const a = (function* () { try { yield 1 } finally { try { yield 2 } finally { log("i") } log("no") } })(); a.next(); return [a.return(4), a.return(5), l]`:                                                                                   `[{"value":2,"done":false},{"value":5,"done":true},["i"]]`,
	} {
		cases["(() => { "+iterators+body+" })()"] = want
	}
	runExpressions(t, cases)
}

// TestAsyncGeneratorsThatAreLeft run all of their finally, and wait for what they return.
func TestAsyncGeneratorsThatAreLeft(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`async function* g() { try { yield 1; yield 2 } finally { log("a"); await 0; log("b") } } for await (const z of g()) break; return l`:                                                                                                                                                 `["a","b"]`,
		`async function* g() { try { yield 1 } finally { await 0; throw new Error("end") } } try { for await (const z of g()) break } catch (e) { log(e.message) } return l`:                                                                                                                  `["end"]`,
		`async function* g() { try { yield 1 } finally { await 0 } } const a = g(); await a.next(); return [await a.return(5), await a.next()]`:                                                                                                                                               `[{"value":5,"done":true},{"done":true}]`,
		`async function* g() { try { try { yield 1 } finally { throw new Error("a") } } catch (e) { log(e.message) } } for await (const z of g()) break; return l`:                                                                                                                            `["a"]`,
		`async function* g() { yield* [1, 2] } const a = g(); await a.next(); return [await a.return(Promise.resolve(5)), await a.next()]`:                                                                                                                                                    `[{"value":5,"done":true},{"done":true}]`,
		`const all = { [Symbol.asyncIterator]: () => ({ next: () => ({ value: 1, done: false }), return: (v) => { log(v); return { value: v, done: true } } }) }; async function* g() { yield* all } const a = g(); await a.next(); return [await a.return(Promise.resolve(5)), l]`:           `[{"value":5,"done":true},[5]]`,
		`const all = { [Symbol.asyncIterator]: () => ({ next: () => ({ value: 1, done: false }), throw: (v) => { log(v); throw v } }) }; async function* g() { try { yield* all } catch (e) { yield "c" + e } } const a = g(); await a.next(); return [await a.return(Promise.reject(5)), l]`: `[{"value":"c5","done":false},[5]]`,
		`async function* g() { try { return Promise.reject(4) } catch (e) { yield "c" + e } } return g().next()`:                                                                                                                                                                              `{"value":"c4","done":false}`,
		`async function* g() { try { yield 1 } catch (e) { log(e) } } const a = g(); await a.next(); return [await a.return(Promise.reject(5)), l]`:                                                                                                                                           `[{"done":true},[5]]`,
		`async function* g() { try { yield Promise.reject(4) } catch (e) { yield "c" + e } } return g().next()`:                                                                                                                                                                               `{"value":"c4","done":false}`,
		`async function* g() { yield* [Promise.resolve(1)]; yield* (async function* () { try { yield 2 } finally { await 0; log("f") } })() } const a = g(); return [await a.next(), await a.next(), await a.return(3), l]`:                                                                   `[{"value":1,"done":false},{"value":2,"done":false},{"value":3,"done":true},["f"]]`,
		`async function* g() { for await (const x of (async function* () { try { yield 1 } finally { await 0; log("i") } })()) yield x } for await (const x of g()) break; return l`:                                                                                                          `["i"]`,
		`async function* g() { yield 1; log("on"); yield 2; return 3 } const a = g(); return [await Promise.all([a.next(), a.next(), a.return(9), a.next()]), l]`:                                                                                                                             `[[{"value":1,"done":false},{"value":2,"done":false},{"value":9,"done":true},{"done":true}],["on"]]`,
		`async function* g() { log("no") } const a = g(); return [await a.return(Promise.resolve(1)), await a.throw(2).catch((e) => "c" + e), await a.next(), l]`:                                                                                                                             `[{"value":1,"done":true},"c2",{"done":true},[]]`,
		`async function* g(iter, more) { for await (const x of iter) yield x + more } for await (const x of g([1], 2)) log(x); return l`:                                                                                                                                                      `[3]`,
		`async function* g() {} const a = g(); return [Object.prototype.toString.call(a), a[Symbol.asyncIterator]() === a, Object.keys(a), typeof a.next, take(() => new g())]`:                                                                                                               `["[object AsyncGenerator]",true,[],"function","threw an async generator is not a constructor"]`,
		`async function* g() { yield 1 } const { next } = g(); return next.call({}).catch((e) => e.name)`:                                                                                                                                                                                     `"TypeError"`,
		`function* f() { yield* [1, 2]; try { yield* it() } finally { log("f") } } async function* g() { yield* f() } for await (const x of g()) if (x === 2) break; log([...f()]); return l`:                                                                                                 `["f",[1,2,1,2,3]]`,
		`const i = { [Symbol.iterator]() { return this }, next: () => ({ value: 1 }), return() { log("return"); return {} } }; function* f() { yield* i } const a = f(); a.next(); return [take(() => a.throw(new Error("x"))).slice(0, 12), l]`:                                              `["threw The it",["return"]]`,
		`let n = 0; try { for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => n++ < 5 && 5 }) }) log(x) } catch (e) { log(e.name) } return l`:                                                                                                                                `["TypeError"]`,
		`async function* g(o) { for await (const x of o) yield x } try { for await (const x of g({ [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1 }), return: () => 5 }) })) break } catch (e) { log(e.name) } return l`:                                                      `["TypeError"]`,
		`async function* g() { for (const x of it("throws")) { await 0; yield x } } const a = g(); await a.next(); return [await a.return(4).catch((e) => e.message), l]`:                                                                                                                     `["end",["return"]]`,
	} {
		for _, name := range []string{"t.js", "t.ts"} {
			e := runTypes(t, name, "export default async function run() { "+iterators+body+" }")
			if e.value != want {
				t.Errorf("%s: %s: %s, want %s; %+v", name, body, e.value, want, e.throw)
			}
		}
	}
}

// TestImportedGenerators are lowered in another form, which keeps their names.
func TestImportedGenerators(t *testing.T) {
	t.Parallel()
	const imported = `export const rows = async function* (l) { try { yield* [1, 2] } finally { await 0; l.push("async") } }
		export function* list(l) { try { yield* [1, 2] } finally { l.push("sync") } }`
	c := wire.Check{Name: "t.ts", Imports: true, Source: `import { rows, list } from "./lib.ts"; export default async function run() {
		const l = []; for await (const x of rows(l)) break; for (const x of list(l)) break; return l }`}
	checked, flaws := realm.Check(c, func(string) (wire.Given, error) { return wire.Given{Text: imported}, nil })
	if len(flaws) > 0 {
		t.Fatal(flaws)
	}
	start, err := wire.New(wire.KindStart, wire.Start{Name: c.Name, Digest: c.Source, Source: checked.Source, Map: checked.Map, Entry: checked.Entry, Strict: checked.Strict}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if e := runStart(t, start, nil); e.value != `["async","sync"]` {
		t.Errorf("%s %+v", e.value, e.throw)
	}
}

// TestGeneratorsThatAreRefused name what to write instead.
func TestGeneratorsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body      string
		line, col int
		want      string
	}{
		{"function* g(it) { try { const [a =\n yield 1] = it } finally { } }", 2, 31, "yield in an array pattern"},
		{"async function* g(a) {\n  var a; yield a }", 3, 7, "the name of one of its parameters"},
		{"function* g(a) {\n  let a; try { yield a } finally { } }", 3, 7, "already been declared"},
		{"class A extends Map {\n async *m() { const f = () => super.get(1); yield f() } }", 3, 31, "put it into a method of its own"},
		{"const { a: [c = 5] = [] } = {}", 2, 13, "take it apart in two steps"},
		{"class A { #x = 1; static is(o) { return #x in o instanceof Object } }", 2, 49, "#x in o needs parentheses"},
	} {
		_, flaws := realm.Check(wire.Check{Name: "t.js", Source: "export default async function run() {\n" + c.body + "\n}"}, nil)
		if len(flaws) != 1 || flaws[0].Line != c.line || flaws[0].Col != c.col || !strings.Contains(flaws[0].Msg, c.want) {
			t.Errorf("%s: %+v", c.body, flaws)
		}
	}
}

// TestPrivateIn: what comes behind #x in a is not taken for its operator.
func TestPrivateIn(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`(() => { class A { #x = 1; static f(o) { return [#x in o && o.#x === 1, #x in o || 5, #x in o ?? 4, #x in o == true, #x in o === false, #x in o ? 1 : 2] } } return [A.f({}), A.f(new A())] })()`: `[[false,5,false,false,true,2],[true,true,true,true,false,1]]`,
	})
}
