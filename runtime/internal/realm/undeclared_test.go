package realm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// TestNamesThatNothingDeclaresAreWarnedOf, and no name that a script can use.
func TestNamesThatNothingDeclaresAreWarnedOf(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"const C = class {}; const m = (B) => class extends B {}; return [C, m]": "",
		"return itmes.length":                               "itmes is not defined",
		"const items = [1]; return itmes.length + itmes[0]": "itmes is not defined; did you mean items?",
		"return Jsno.parse('1')":                            "Jsno is not defined; did you mean JSON?",
		"return {itmes}":                                    "itmes is not defined",
		"return `${itmes}`":                                 "itmes is not defined",
		"retrun(1)":                                         "retrun is not defined",
		"return process.env":                                "process is not defined",
		"const f = (a = bb) => a; return f()":               "bb is not defined",
		"class A extends Bb {} return new A()":              "Bb is not defined",
		"return typeof process === 'undefined'":             "",
		"const v = typeof Bun !== 'undefined' ? Bun.version : void 0; if (typeof window !== 'undefined') { window.x = 1 }; return v": "",
		"var g = typeof global == 'object' && global && global.Object === Object && global; return g":                                "",
		"if (globalThis.x) return x":              "",
		"x = 1; return x":                         "", // it makes a global here
		"try { return 1 } catch (e) { return e }": "",
		"try { return 1 } catch { return 2 }":     "",
		"class A { #p = 1; static s = 2; m() { return this.#p } } return new A().m() + A.s": "",
		"const C = class D { m() { return D } }; return new C()":                            "",
		"const f = function g(n) { return n && g(n - 1) }; f(2)":                            "",
		"outer: for (const a of [1]) { continue outer } return 1":                           "",
		"const {a, b: {c}, ...d} = inputs; return [a, c, d]":                                "",
		"const [a, , b = 2, ...c] = inputs; return [a, b, c]":                               "",
		"let a, b; ({a, b} = inputs); [a, b] = [b, a]; return a + b":                        "",
		"for (var i = 0; i < 2; i++) {} for (const k in inputs) k; return i":                "",
		"function f() { return new.target || arguments.length } return f()":                 "",
		"return {a: 1, b() { return 2 }, get c() { return 3 }}.b()":                         "",
		"return [undefined, NaN, Infinity, structuredClone({}), URL, Buffer, DisposableStack, AsyncDisposableStack, SuppressedError, console, setTimeout, Intl, crypto]": "",
		"if (1) { function g() {} } return g()": "",
		"return inputs?.a?.b ?? ctx.x":          "",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source, Body: true, Warn: true}, nil)
		var got []string
		for _, w := range checked.Warnings {
			if strings.Contains(w.Msg, " is not defined") {
				got = append(got, w.Msg)
			}
		}
		if strings.Join(got, ", ") != want || len(flaws) > 0 {
			t.Errorf("%s: %v, %v; want %q", source, checked.Warnings, flaws, want)
		}
	}
	for name, source := range map[string]string{
		"t.mjs": "export default async function run(ctx) { a = 1; return a }", // strict: it makes no global
		"t.ts":  "interface A { b: Bb }\nexport default async function run(ctx: A) { const c: Dd = 1; return a }",
	} {
		checked, flaws := realm.Check(wire.Check{Name: name, Source: source, Warn: true, Module: name == "t.mjs"}, nil)
		if len(checked.Warnings) != 1 || checked.Warnings[0].Msg != "a is not defined" || len(flaws) > 0 {
			t.Errorf("%s: %v, %v", name, checked.Warnings, flaws)
		}
	}
	for _, source := range []string{"module.exports = async () => exports", "exports.run = async () => module"} {
		if checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source, Warn: true}, nil); len(checked.Warnings) > 0 || len(flaws) > 0 {
			t.Errorf("%s: %v, %v", source, checked.Warnings, flaws)
		}
	}
}

// TestAllGlobalsAreKnown: no name that a run has is said not to be defined.
func TestAllGlobalsAreKnown(t *testing.T) {
	t.Parallel()
	end := run(t, "export default () => Object.getOwnPropertyNames(globalThis)", nil)
	var names []string
	if err := json.Unmarshal([]byte(end.value), &names); err != nil || len(names) < 50 {
		t.Fatalf("%+v, %v", end, err)
	}
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: "return [" + strings.Join(names, ",") + "]", Body: true, Warn: true}, nil)
	if len(checked.Warnings) > 0 || len(flaws) > 0 {
		t.Errorf("%v, %v", checked.Warnings, flaws)
	}
}

// TestVeryManyNamesAreNotComparedWithEachOther: that would take longer than a check may.
func TestVeryManyNamesAreNotComparedWithEachOther(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for n := range 9000 {
		fmt.Fprintf(&source, "let v%05d; w%05d\n", n, n)
	}
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source.String(), Body: true, Warn: true}, nil)
	if len(checked.Warnings) != 50 || strings.Contains(checked.Warnings[0].Msg, "did you mean") || len(flaws) > 0 {
		t.Errorf("%v, %v", checked.Warnings, flaws)
	}
}
