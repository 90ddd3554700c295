package realm_test

import (
	"strings"
	"testing"
)

func TestConsoleMethods(t *testing.T) {
	t.Parallel()
	const box = "┌─────────┬───┬─────┬──────┐\n│ (index) │ a │  b  │  c   │\n├─────────┼───┼─────┼──────┤\n" +
		"│    0    │ 1 │ 'x' │      │\n│    1    │ 2 │     │ true │\n└─────────┴───┴─────┴──────┘"
	for code, want := range map[string]string{
		`console.log("%s is %d and %i, %f %j %o %O %c!", "x", 1.5, "12px", "1.5z", {a: 1}, [1, "q"], "str", "css", "more", {b: 2})`: `log:x is 1.5 and 12, 1.5 {"a":1} [1,"q"] 'str' ! more {"b":2}`,
		`console.log("100%", 5)`:                    "log:100% 5",
		`console.log("%%", 1)`:                      "log:% 1",
		`console.log("%%")`:                         "log:%%",
		`console.log("%x %é %s", 1)`:                "log:%x %é 1",
		`console.log("%s %s", 1)`:                   "log:1 %s",
		`console.log("%d %i %d", Symbol(), 5n, {})`: "log:NaN 5n NaN",
		`console.log("%j", (() => { const a = {}; a.a = a; return a })())`: "log:[Circular]",
		`console.log()`: "log:",
		`console.log(Symbol("s"), 5n, -0, "\ud800")`:                                     "log:Symbol(s) 5n -0 \ufffd",
		`console.log(new Map([["a", {b: 1}], [1, new Set([2])]]))`:                       `log:Map(2) { "a" => {"b":1}, 1 => Set(1) { 2 } }`,
		`console.log(new Set(Array.from({length: 200}, (_, i) => i)).size, new Set())`:   "log:200 Set(0) {}",
		`console.log(new Uint8Array(3), Buffer.from("hi"), new ArrayBuffer(4), /a\/b/g)`: "log:Uint8Array(3) [ 0, 0, 0 ] <Buffer 68 69> ArrayBuffer { byteLength: 4 } /a\\/b/g",
		`console.log(new Float64Array(101)); 0`:                                          "log:Float64Array(101) [ " + strings.Repeat("0, ", 100) + "… 1 more ]",
		`console.table([{a: 1, b: "x"}, {a: 2, c: true}])`:                               "log:" + box,
		`console.table(5)`:                     "log:5",
		`console.table([{a: 1, b: 2}], ["b"])`: "log:┌─────────┬───┐\n│ (index) │ b │\n├─────────┼───┤\n│    0    │ 2 │\n└─────────┴───┘",
		`console.group("G"); console.log("in\nside"); console.group(); console.warn("deep"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("out")`: "log:G|log:  in\n  side|warn:    deep|log:out",
		`for (let i = 0; i < 1000; i++) console.group(); console.log("x")`:                                                                                                   "log:" + strings.Repeat(" ", 40) + "x",
		`console.count(); console.count("x"); console.count(); console.countReset(); console.countReset("y"); console.count()`:                                               "log:default: 1|log:x: 1|log:default: 2|warn:Count for 'y' does not exist|log:default: 1",
		`console.timeEnd("t"); console.timeLog()`: "warn:No such label 't' for console.timeEnd()|warn:No such label 'default' for console.timeLog()",
		`console.assert(true, "no"); console.assert(false, "why %s", 1); console.assert(0); console.assert(null, {a: 1})`: `error:Assertion failed: why 1|error:Assertion failed|error:Assertion failed {"a":1}`,
		`console.dir({a: 1}, {depth: 0})`: `log:{"a":1}`,
		`console.trace("here %d", 1)`:     "error:Trace: here 1\n    at run (t.js:1:31)",
	} {
		e := run(t, "function run() { "+code+" }", nil)
		var got []string
		for _, log := range e.logs {
			got = append(got, log.Level+":"+log.Text)
		}
		if text := strings.Join(got, "|"); text != want || e.throw != nil {
			t.Errorf("%s\n got %s %+v\nwant %s", code, text, e.throw, want)
		}
	}
	e := run(t, `function run() { console.time("t"); console.timeLog("t", 1); console.timeEnd("t"); console.timeEnd("t"); return [console.log.name, String(console)] }`, nil)
	if len(e.logs) != 3 || !strings.HasPrefix(e.logs[0].Text, "t: ") || !strings.HasSuffix(e.logs[0].Text, "ms 1") || e.value != `["log","[object console]"]` {
		t.Errorf("%+v %s", e.logs, e.value)
	}
	// What is logged stays small, however many rows there are and however deep they are indented.
	e = run(t, `function run() { for (let i = 0; i < 50; i++) console.group(); console.log("\n".repeat(1e5)); console.table(Array.from({length: 3000}, (_, i) => [i])); }`, nil)
	for _, log := range e.logs {
		if len(log.Text)+len(log.Tail) > 1<<16 {
			t.Errorf("a log of %d bytes", len(log.Text))
		}
	}
}
