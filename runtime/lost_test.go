package runtime_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// TestWhatJSONLosesIsNoted: a part of the value that JSON writes as something else has a note with its path.
func TestWhatJSONLosesIsNoted(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		runner := workers(t, options)
		for value, want := range map[string]string{
			"({items: new Map([[1, 2]])})":                     "value.items is a Map, which JSON writes as {}; use Object.fromEntries(x) or [...x]",
			"[1, new Set([1])]":                                "value[1] is a Set, which JSON writes as {}; use [...x]",
			"new (class Bag extends Map {})()":                 "value is a Map, which JSON writes as {}; use Object.fromEntries(x) or [...x]",
			"({'a b': {c: /x/}})":                              `value["a b"].c is a RegExp, which JSON writes as {}; use String(x)`,
			"({e: new TypeError('no')})":                       "value.e is an Error, which JSON writes without its message; use String(x)",
			"({e: Object.assign(new Error('no'), {code: 1})})": "value.e is an Error, which JSON writes without its message; use String(x)",
			"new Uint8Array([1, 2])":                           "value is a Uint8Array, which JSON writes as an object; use [...x]",
			"new Float32Array()":                               "value is a Float32Array, which JSON writes as an object; use [...x]",
			"({b: new ArrayBuffer(2)})":                        "value.b is an ArrayBuffer, which JSON writes as {}; use [...new Uint8Array(x)]",
			"({mean: 0 / 0})":                                  "value.mean is NaN, which JSON writes as null",
			"[1 / 0, -1 / 0]":                                  "value[0] is Infinity, which JSON writes as null|value[1] is -Infinity, which JSON writes as null",
			"0 / 0":                                            "value is NaN, which JSON writes as null",
			"({at: new Date('x')})":                            "value.at is an invalid Date, which JSON writes as null",
			"({w: new WeakMap()})":                             "value.w is a WeakMap, which JSON writes as {}; leave it out",
			"({it: [1].values()})":                             "value.it is an Array Iterator, which JSON writes as {}; use [...x]",
			"({k: new (class Key { #k = 1 })()})":              "value.k is a Key, of which JSON sees nothing and writes {}; return what is wanted of it",
			// And what JSON keeps, or an author means.
			"({a: {}, b: [], c: null, d: undefined, e: [undefined], f: new Date(0), g: Object.create(null)})": "",
			"({toJSON: () => ({})})":                             "",
			"({m: Object.assign(new Map(), {toJSON: () => 1})})": "",
			"new (class A { b = 1 })()":                          "",
			"'{} {\"0\":1} null'":                                "",
		} {
			report := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "e", Body: []byte("return " + value), FunctionBody: true}})
			var notes []string
			for _, note := range report.Notes {
				if notes = append(notes, note.Text); note.Code != runtime.NoteLost {
					t.Errorf("%s: %+v", value, note)
				}
			}
			if got := strings.Join(notes, "|"); got != want || report.Outcome != runtime.OutcomeOK {
				t.Errorf("%s: %s, %q", value, report.Outcome, got)
			}
		}
		// The script's code runs once, for the value itself.
		once := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "e", FunctionBody: true, Body: []byte(`
			let n = 0;
			const told = new Proxy({}, {ownKeys() { console.log("keys"); return [] }, get(t, k) { if (k !== "toJSON") console.log("get"); return t[k] }});
			return {m: new Map(), get x() { console.log("x", ++n); return n }, t: {toJSON() { console.log("json"); return 1 }}, told}`)}})
		if string(once.Value) != `{"m":{},"x":1,"t":1,"told":{}}` || len(once.Logs) != 3 || len(once.Notes) != 1 {
			t.Errorf("%s, %+v, %+v", once.Value, once.Logs, once.Notes)
		}
		many := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "e", Body: []byte("return Array.from({length: 1000}, () => new Map())"), FunctionBody: true}})
		if n := len(many.Notes); n != 11 || many.Notes[10].Text != "there are more parts of the value that JSON loses" {
			t.Errorf("%d notes, %+v", n, many.Notes[slices.Max([]int{n - 1, 0})])
		}
	})
}
