package realm_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ending is what a realm emitted.
type ending struct {
	calls []wire.Call
	args  []string
	logs  []wire.Log
	value string
	large int64
	throw *wire.Throw
}

// host answers the calls of a realm; nil answers nothing.
type host func(r *realm.Realm, call wire.Call, args string)

func run(t testing.TB, src string, answer host) ending {
	t.Helper()
	return runForm(t, src, false, `{"a":1}`, answer)
}

func runForm(t testing.TB, src string, body bool, inputs string, answer host) ending {
	t.Helper()
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: src, Body: body}, nil)
	if len(flaws) > 0 {
		t.Fatalf("flaws: %+v", flaws)
	}
	start, err := wire.New(wire.KindStart, wire.Start{
		Name: "t.js", Digest: src, Source: checked.Source, Entry: checked.Entry, CommonJS: checked.CommonJS,
		Strict: checked.Strict, LineOffset: checked.LineOffset, MaxOutputBytes: 1 << 16, Map: checked.Map,
	}, []byte(inputs))
	if err != nil {
		t.Fatal(err)
	}
	return runStart(t, start, answer)
}

func runStart(t testing.TB, start wire.Frame, answer host) (e ending) {
	t.Helper()
	ends := 0
	var r *realm.Realm
	r = realm.New(realm.Config{Programs: &realm.Programs{}, Emit: func(f wire.Frame) error {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
		decode := func(head any) {
			if err := f.Decode(head); err != nil {
				t.Error(err)
			}
		}
		switch f.Kind {
		case wire.KindCall:
			var call wire.Call
			decode(&call)
			e.calls = append(e.calls, call)
			e.args = append(e.args, string(f.Body))
			if answer != nil {
				answer(r, call, string(f.Body))
			}
		case wire.KindLog:
			var log wire.Log
			decode(&log)
			e.logs = append(e.logs, log)
		case wire.KindReturn:
			var end wire.Return
			decode(&end)
			e.value, e.large = string(f.Body), end.TooLarge
			ends++
		case wire.KindThrow:
			e.throw = &wire.Throw{}
			decode(e.throw)
			ends++
		}
		return nil
	}})
	r.Run(start)
	if ends != 1 {
		t.Errorf("it ended %d times", ends)
	}
	return e
}

func deliver(t testing.TB, r *realm.Realm, head wire.Result, body string) {
	f, err := wire.New(wire.KindResult, head, []byte(body))
	if err != nil {
		t.Error(err)
	}
	r.Deliver(f)
}

// echo answers every call with its own arguments.
func echo(t testing.TB) host {
	return func(r *realm.Realm, call wire.Call, args string) {
		deliver(t, r, wire.Result{Seq: call.Seq}, `{"name":"x","output":"out","text":null,"exitCode":0,"data":`+args+`,"metadata":null,"truncated":false}`)
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"default async function":     "export default async function run(ctx, inputs) { return inputs.a }",
		"default function":           "export default function run(ctx, inputs) { return inputs.a }",
		"default with another name":  "export default function main(ctx, inputs) { return inputs.a }",
		"default anonymous":          "export default function (ctx, inputs) { return inputs.a }",
		"default anonymous async":    "export default async function(ctx, inputs) { return inputs.a }\n(0)",
		"default arrow":              "export default (ctx, inputs) => inputs.a",
		"default async arrow":        "export default async (ctx, inputs) => { return inputs.a }",
		"default name":               "const run = (ctx, inputs) => inputs.a;\nexport default run",
		"list":                       "function run(ctx, inputs) { return inputs.a }\nexport { run }",
		"list renamed":               "function main(ctx, inputs) { return inputs.a }\nexport { main as run, main as other };",
		"list default":               "const f = (ctx, inputs) => inputs.a\nexport { f as default }",
		"export const":               "export const run = (ctx, inputs) => inputs.a",
		"export function":            "export async function run(ctx, inputs) { return inputs.a }",
		"plain function":             "function run(ctx, inputs) { return inputs.a }",
		"plain const":                "const run = async (ctx, inputs) => inputs.a",
		"module.exports":             "module.exports = (ctx, inputs) => inputs.a",
		"module.exports.run":         "module.exports.run = (ctx, inputs) => inputs.a",
		"exports.run":                "exports.run = (ctx, inputs) => inputs.a",
		"module.exports object":      "module.exports = { run: (ctx, inputs) => inputs.a }",
		"words in text":              "// export default function\nconst s = `export default ${'export default'}`; /* import x */\nexport default (ctx, inputs) => inputs.a",
		"comment in between":         "export /* here */ default /* and here */ async function run(ctx, inputs) { return inputs.a }",
		"helpers are exported too":   "export const one = 1;\nexport function two() {}\nexport default (ctx, inputs) => inputs.a * one",
		"a thenable":                 "export default (ctx, inputs) => ({ then(f) { f(inputs.a) } })",
		"a name with other alphabet": "export default function привет(ctx, inputs) { return inputs.a }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e := run(t, src, nil); e.throw != nil || e.value != "1" {
				t.Errorf("value %q, throw %+v", e.value, e.throw)
			}
		})
	}
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, src string
		line, col int
		want      string
	}{
		{"no entry", "const x = 1", 1, 1, "there is no entry"},
		{"no entry below a header", "/*---\na\n---*/\nconst x = 1", 4, 1, "there is no entry"},
		{"syntax", "function run( {", 1, 16, "unexpected"},
		{"import", "import x from 'y'\nexport default () => 1", 1, 1, "only a tool file can import"},
		{"import inside", "export default () => import('x')", 1, 22, "only a tool file can import"},
		{"export from", "export { run } from './x.js'", 1, 1, "only a tool file can import"},
		{"export all", "export * from './x.js'", 1, 1, "not supported"},
		{"default class", "export default class {}", 1, 1, "is a class"},
		{"default generator", "export default function* run() {}", 1, 1, "is a generator"},
		{"two defaults", "export default () => 1\nexport default () => 2", 2, 1, "already"},
		{"export inside", "function run() {\n  export default 1\n}", 2, 3, "top level"},
		{"await outside", "const x = await 1\nfunction run() {}", 1, 17, "async functions only"},
		{"for await", "function run() {\n  for await (const x of []) {}\n}", 2, 7, "outside an async function"},
		{"undefined export", "export { run }", 1, 1, "not defined"},
		{"multi-byte column", "const s = 'żółć'; const = 1", 1, 25, "unexpected"},
		{"deep", strings.Repeat("[", 3000), 1, 2001, "nested"},
		{"declared twice", "let a; let a; function run() {}", 1, 12, "already been declared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, flaws := realm.Check(wire.Check{Name: "t.js", Source: c.src}, nil)
			if len(flaws) != 1 {
				t.Fatalf("flaws %+v", flaws)
			}
			if f := flaws[0]; f.Line != c.line || f.Col != c.col || !strings.Contains(f.Msg, c.want) {
				t.Errorf("got %d:%d %s, want %d:%d %s", f.Line, f.Col, f.Msg, c.line, c.col, c.want)
			}
		})
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	if e := runForm(t, "return await 1 + inputs.a", true, `{"a":1}`, nil); e.value != "2" {
		t.Errorf("value %q, throw %+v", e.value, e.throw)
	}
	if e := runForm(t, "\nthrow new Error('x')", true, `{}`, nil); e.throw == nil || e.throw.Stack[0].Line != 2 {
		t.Errorf("throw %+v", e.throw)
	}
	for src, line := range map[string]int{"} function x() {": 1, "}; run = 1; {": 1, "return (": 1, "\nreturn )": 2} {
		_, flaws := realm.Check(wire.Check{Name: "t.js", Source: src, Body: true}, nil)
		if len(flaws) != 1 || flaws[0].Line != line {
			t.Errorf("%q: %+v", src, flaws)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"undefined": "null", "null": "null", "1": "1", "1.5": "1.5", "NaN": "null", "'a<\"b'": `"a<\"b"`, "true": "true",
		"[1, undefined]": "[1,null]", "({a: 1, b: undefined})": `{"a":1}`, "new Date(0)": `"1970-01-01T00:00:00.000Z"`,
		"({toJSON() { return 7 }})": "7", "'é😀'": `"é😀"`, "1e21": "1e+21", "-0": "0",
	} {
		if e := run(t, "function run() { return "+src+" }", nil); e.value != want || e.throw != nil {
			t.Errorf("%s: value %q, throw %+v, want %s", src, e.value, e.throw, want)
		}
	}
	for src, cause := range map[string]wire.Cause{
		"() => 1": wire.CauseNotJSON, "Symbol('x')": wire.CauseNotJSON, "10n": wire.CauseNotJSON,
		"(() => { const a = []; a.push(a); return a })()": wire.CauseNotJSON,
		"({toJSON() { throw new Error('no') }})":          wire.CauseNotJSON,
		"new Promise(() => {})":                           wire.CausePending,
	} {
		if e := run(t, "function run() { return "+src+" }", nil); e.throw == nil || e.throw.Cause != cause {
			t.Errorf("%s: value %q, throw %+v, want %s", src, e.value, e.throw, cause)
		}
	}
	if e := run(t, "function run() { return ['x'.repeat(70000)] }", nil); e.large != 70004 || e.value != "" {
		t.Errorf("too large: %d, %q", e.large, e.value)
	}
	if e := run(t, "function run() { return 'x'.repeat(70000) }", nil); e.large != 0 || len(e.value) != 70002 {
		t.Errorf("a text, which the host cuts: %d, %d bytes", e.large, len(e.value))
	}
	if e := run(t, "function run() { return ['\"'.repeat(65530)] }", nil); e.large != 0 {
		t.Errorf("what counts is the text: %d", e.large)
	}
}

// Files have any names.
func TestStackNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b (c).js", "at x (y:1:2(3)).js", "dir/ö.js", "x:y.js", "a"} {
		checked, flaws := realm.Check(wire.Check{Name: name, Source: "function inner() {\n  throw new Error('x')\n}\nexport default () => inner()"}, nil)
		if len(flaws) > 0 {
			t.Fatal(flaws)
		}
		start, err := wire.New(wire.KindStart, wire.Start{Name: name, Digest: name, Source: checked.Source, Entry: checked.Entry, MaxOutputBytes: 1000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := runStart(t, start, nil)
		if e.throw == nil || len(e.throw.Stack) != 2 || e.throw.Stack[0].Func != "inner" || e.throw.Stack[0].Line != 2 || e.throw.Stack[1].Line != 4 {
			t.Errorf("%s: %+v", name, e.throw)
		}
	}
}

func TestThrows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, src     string
		cause         wire.Cause
		errName, text string
		line          int
	}{
		{"error", "function run() {\n  throw new TypeError('bad')\n}", wire.CauseThrown, "TypeError", "bad", 2},
		{"async", "async function run() {\n  await 1\n  throw new Error('later')\n}", wire.CauseThrown, "Error", "later", 3},
		{"text", "function run() { throw 'text' }", wire.CauseThrown, "Error", "it threw text", 1},
		{"undefined", "function run() { throw undefined }", wire.CauseThrown, "Error", "it threw undefined", 1},
		{"object", "function run() { throw {a: 1} }", wire.CauseThrown, "Error", `it threw {"a":1}`, 1},
		{"top level", "\nnope()\nfunction run() {}", wire.CauseThrown, "ReferenceError", "nope is not defined", 2},
		{"hostile getter", "function run() { throw {get name() { throw 1 }} }", wire.CauseThrown, "Error", "throws when it is read", 1},
		{"hostile toString", "function run() { throw {name: {toString() { throw 1 }}} }", wire.CauseThrown, "Error", "throws when it is read", 1},
		{"recursion", "function run() { return run() }", wire.CauseStack, "RangeError", "nested", 1},
		{"caught recursion", "function f() { return f() }\nfunction run() { try { f() } catch {} return 1 }", wire.CauseStack, "RangeError", "nested", 1},
		{"timer", "function run() { return new Promise(() => setTimeout(() => { throw new Error('t') })) }", wire.CauseThrown, "Error", "t", 1},
		{"engine panic", "function run() { Reflect.ownKeys(new Proxy({}, { ownKeys() { return { length: 2 ** 53 - 1 } } })) }", wire.CausePanic, "", "", 0},
		{"not a function", "const run = 5", wire.CauseEntry, "TypeError", "not a function", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := run(t, c.src, nil)
			if e.throw == nil {
				t.Fatalf("it returned %s", e.value)
			}
			line := 0
			if len(e.throw.Stack) > 0 {
				line = e.throw.Stack[0].Line
			}
			if e.throw.Cause != c.cause || e.throw.Name != c.errName || !strings.Contains(e.throw.Message, c.text) || line != c.line {
				t.Errorf("%+v", e.throw)
			}
		})
	}
}

// What a script must not have is not there, by whatever road.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"typeof require", "typeof process", "typeof fetch", "typeof global", "typeof module", "typeof WebAssembly", "typeof window",
	} {
		if e := run(t, "function run() { return "+src+" }", nil); e.value != `"undefined"` {
			t.Errorf("%s is %s, %+v", src, e.value, e.throw)
		}
	}
	for _, src := range []string{
		"Function('return 1')()", "new Function('return 1')", "(() => 1).constructor('return 1')()", "(async () => 1).constructor('return 1')",
		"(function* () {}).constructor('return 1')", "(function*/**/g() {}).constructor('return 1')", "(function/**/*/**/() {}).constructor('return 1')",
		"({ *g() {} }).g.constructor('return 1')", "Object.getPrototypeOf(function* () {}).constructor('return 1')", "['/*', (function* () {}).constructor('/* */')]", "Object.getPrototypeOf(async () => {}).constructor('return 1')",
		"Reflect.construct(Function, ['return 1'])", "class F extends Function {}; new F('return 1')",
		"Object.defineProperty(Function.prototype, 'constructor', {value: 1})", "Object.getPrototypeOf(Object.getPrototypeOf(async () => {}).constructor)('return 1')()",
		"Object.getPrototypeOf(Object.getPrototypeOf((function* () {})).constructor)('return 1')()", "delete Function.prototype.constructor, (() => 1).constructor('return 1')()",
		"console.log.constructor('return 1')", "ctx.tool.constructor('return 1')", "setTimeout('1')", "setTimeout.constructor('return 1')()",
		"(0, eval)('1')", "eval('1')", "globalThis.eval('1')", "eval.constructor('return 1')()", "delete globalThis.eval, eval('1')", "ctx.constructor.constructor('return 1')()", "Buffer.constructor('return 1')()", "new URL('http://x').constructor.constructor('return 1')",
	} {
		if e := run(t, "function run(ctx) { return "+strings.Replace(src, "class F extends Function {}; ", "", 1)+" }", nil); e.throw == nil {
			t.Errorf("%s gave %s", src, e.value)
		}
	}
}

func TestGlobals(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"new URL('https://a.example/b?c=1').searchParams.get('c')":                                       `"1"`,
		"new URLSearchParams('a=1&b=2').get('b')":                                                        `"2"`,
		"Buffer.from('hé').toString('base64')":                                                           `"aMOp"`,
		"Array.from(new TextEncoder().encode('é'))":                                                      `[195,169]`,
		"new TextDecoder().decode(new Uint8Array([195, 169]))":                                           `"é"`,
		"new TextDecoder().decode(new Uint8Array([255]))":                                                `"�"`,
		"atob(btoa('hÿ'))":                                                                               `"hÿ"`,
		"structuredClone({a: [new Date(0)], m: new Map([[1, {b: 2}]])}).m.get(1)":                        `{"b":2}`,
		"(() => { const a = {}; a.a = a; const b = structuredClone(a); return b.a === b && b !== a })()": "true",
		"new Promise(f => setTimeout(f, 1, 'x'))":                                                        `"x"`,
		"new Promise(f => { const t = setInterval(() => { clearInterval(t); f(7) }, 1) })":               "7",
		"new Promise(f => queueMicrotask(() => f(8)))":                                                   "8",
		"new Promise(f => setImmediate(f, 9))":                                                           "9",
		"(() => { const c = new AbortController(); let n = 0; c.signal.addEventListener('abort', () => n++); c.abort(); c.abort(); return [n, c.signal.aborted, c.signal.reason.name] })()": `[1,true,"AbortError"]`,
		"(() => { URL = 5; return URL })()": "5",
		"typeof globalThis.console.log":     `"function"`,
		"'console' in globalThis":           "true",
		"Object.isFrozen(ctx) && Object.isFrozen(ctx.tool) && Object.isFrozen(ctx.shell.run) && Object.isFrozen(ctx.tools)": "true",
		"(() => { 'use strict'; try { ctx.tool = 1 } catch (e) { return e.name } })()":                                      `"TypeError"`,
		"JSON.stringify({t: ctx.tools}) + (() => { try { return `${ctx.tools}` } catch (e) { return e.name } })()":          `"{\"t\":{}}TypeError"`,
		"ctx.tools.then === undefined && ctx.tool === ctx.tool":                                                             "true",
		"Object.keys(ctx).sort().join()": `"approve,bash,bm25,edit,fail,git,glob,grep,ls,progress,read,readFile,search,shell,tool,tools,verify,webSearch,write"`,
	} {
		if e := run(t, "async function run(ctx) { return "+src+" }", nil); e.value != want || e.throw != nil {
			t.Errorf("%s: %s, %+v, want %s", src, e.value, e.throw, want)
		}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"ctx.tool('t', {a: 1})":                                `t {"a":1}`,
		"ctx.tool('t')":                                        `t {}`,
		"ctx.tools.my_tool({b: 2})":                            `my_tool {"b":2}`,
		"ctx.readFile('x', {offset: 1, limit: 2})":             `read {"offset":1,"limit":2,"file_path":"x"}`,
		"ctx.read('x')":                                        `read {"file_path":"x"}`,
		"ctx.write('x', 'y')":                                  `write {"file_path":"x","content":"y"}`,
		"ctx.edit('x', 'a', 'b', {replace_all: true})":         `edit {"replace_all":true,"file_path":"x","old_string":"a","new_string":"b"}`,
		"ctx.ls()":                                             `ls {}`,
		"ctx.ls('src')":                                        `ls {"path":"src"}`,
		"ctx.glob('*.go', {path: 'src'})":                      `glob {"path":"src","pattern":"*.go"}`,
		"ctx.grep('q', {path: 'p', glob: '*.go', '-i': true})": `grep {"path":"p","glob":"*.go","case_sensitive":false,"pattern":"q"}`,
		"ctx.search('q', {glob: '*.go'})":                      `search {"mode":"grep","glob":"*.go","query":"q"}`,
		"ctx.bm25('q')":                                        `search {"mode":"bm25","query":"q"}`,
		"ctx.bash('ls -l', {timeoutMs: 5})":                    `bash {"timeoutMs":5,"command":"ls -l"}`,
		"ctx.shell.run(['ls', '-l'], {cwd: 'x'})":              `bash {"cwd":"x","argv":["ls","-l"]}`,
		"ctx.shell.run('ls')":                                  `bash {"command":"ls"}`,
	} {
		e := run(t, "async function run(ctx) { await "+src+" }", echo(t))
		if len(e.calls) != 1 || e.calls[0].Tool+" "+e.args[0] != want || e.throw != nil {
			t.Errorf("%s: %+v %q, %+v", src, e.calls, e.args, e.throw)
		}
	}
	e := run(t, "async function run(ctx) {\n  return (await Promise.all([\n    ctx.tool('a'),\n    ctx.tool('b'),\n  ])).length\n}", echo(t))
	if len(e.calls) != 2 || e.calls[0].Line != 3 || e.calls[1].Line != 4 || e.calls[1].Col != 13 || e.value != "2" {
		t.Errorf("%+v %s", e.calls, e.value)
	}
}

// TestWhatIsNotJSONIsNamedByItsPath: in a value that is returned, in arguments, in the data of
// ctx.fail, and in a log, which is written all the same.
func TestWhatIsNotJSONIsNamedByItsPath(t *testing.T) {
	t.Parallel()
	for setup, want := range map[string]string{
		"const v = {items: [{}, {}]}; v.items[1].parent = v.items;":                             "value.items[1].parent leads back to value.items; ",
		"const v = {}; v.self = v;":                                                             "value.self leads back to value; ",
		"const v = {a: {'b c': [1n]}};":                                                         `value.a["b c"][0] is a BigInt; `,
		"const v = {list: [1, () => 1]};":                                                       "value.list[1] is a function, ",
		"const v = {s: Symbol('x'), n: 1n};":                                                    "value.s is a symbol; ",
		"const v = {p: Promise.resolve(1)};":                                                    "value.p is a promise; await it",
		"const o = {}, v = {a: o, b: [o, o], c: {toJSON: () => v}};":                            "value.c leads back to value; ",
		"const v = {}; let at = v; for (let i = 0; i < 900; i++) at = at.abc = {}; at.end = v;": "….",
	} {
		if e := run(t, "function run() { "+setup+" return v }", nil); e.throw == nil || e.throw.Cause != wire.CauseNotJSON || e.throw.Name != "TypeError" || !strings.HasPrefix(e.throw.Message, strings.TrimSuffix(want, ".")) || len(e.throw.Message) > 600 {
			t.Errorf("%s: %+v", setup, e.throw)
		}
		if e := run(t, "async function run(ctx) { "+setup+" await ctx.tool('x', v) }", echo(t)); len(e.calls) != 0 || e.throw == nil || !strings.HasPrefix(e.throw.Message, `the arguments of tool "x": `+strings.TrimSuffix(want, ".")) {
			t.Errorf("%s: %+v %+v", setup, e.calls, e.throw)
		}
		if e := run(t, "function run(ctx) { "+setup+" ctx.fail('a', v) }", nil); e.throw == nil || !strings.Contains(e.throw.Message, "the data of ctx.fail is not JSON: "+strings.TrimSuffix(want, ".")) {
			t.Errorf("%s: %+v", setup, e.throw)
		}
	}
	e := run(t, "function run() { const v = {a: [{}]}; v.a[0].b = v; console.log(v); console.log({f() {}}); const o = {}; return {x: o, y: [o, o]} }", nil)
	if e.throw != nil || e.value != `{"x":{},"y":[{},{}]}` || len(e.logs) != 2 || e.logs[0].Text != "[object Object] (value.a[0].b leads back to value; leave it out, or name it by an id)" || e.logs[1].Text != "{}" {
		t.Errorf("%s %+v %+v", e.value, e.throw, e.logs)
	}
}

func TestCallsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"ctx.tool()": "needs a name", "ctx.tool({})": "needs a name", "ctx.tool('x', 5)": "must be an object", "ctx.tool('x', [])": "must be an object",
		"ctx.tool('x', {a: 10n})": "BigInt", "ctx.tool('x', {toJSON() { throw new Error('mine') }})": "mine",
		"ctx.progress(5)":      "needs an object",
		"ctx.grep('a', 'src')": `as in ctx.grep("x", {path: "src"})`, "ctx.glob('a', ['src'])": `as in ctx.glob("x", {path: "src"})`, "ctx.ls('a', 5)": "as in ctx.ls(",
		"ctx.read('a', 5)": `as in ctx.read("a.txt", {limit: 10})`, "ctx.readFile('a', 'utf8')": `as in ctx.readFile("a.txt", {limit: 10})`, "ctx.edit('a', 'b', 'c', true)": "{replace_all: true}",
		"ctx.bash('ls', 'src')": `as in ctx.bash("ls", {cwd: "src"})`, "ctx.shell.run('ls', 'src')": `as in ctx.shell.run("ls", {cwd: "src"})`, "ctx.bm25('a', 5)": "as in ctx.bm25(",
		"ctx.git('log')": `as in ctx.git(["log", "-5"])`,
	} {
		e := run(t, "async function run(ctx) { await "+src+" }", echo(t))
		if len(e.calls) != 0 || e.throw == nil || !strings.Contains(e.throw.Message, want) {
			t.Errorf("%s: %+v %+v", src, e.calls, e.throw)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	deny := func(r *realm.Realm, call wire.Call, _ string) {
		deliver(t, r, wire.Result{Seq: call.Seq, Refusal: &wire.Refusal{Code: "denied", Message: "not allowed"}}, "")
	}
	e := run(t, "async function run(ctx) {\n  await ctx.tool('x')\n}", deny)
	if e.throw == nil || e.throw.Seq != 1 || e.throw.Name != "ToolError" || e.throw.Stack[0].Line != 2 {
		t.Errorf("%+v", e.throw)
	}
	e = run(t, "async function run(ctx) { try { await ctx.tool('x') } catch (e) { return [e instanceof Error, e.name, e.code, e.tool, e.message] } }", deny)
	if e.value != `[true,"ToolError","denied","x","not allowed"]` {
		t.Errorf("%s %+v", e.value, e.throw)
	}
	e = run(t, "function run() { const e = new Error('fake'); e.name = 'ToolError'; e.code = 'denied'; throw e }", nil)
	if e.throw == nil || e.throw.Seq != 0 {
		t.Errorf("a look-alike passed for a refusal: %+v", e.throw)
	}
	fail := func(r *realm.Realm, call wire.Call, _ string) {
		deliver(t, r, wire.Result{Seq: call.Seq, Failed: true, Why: "no such thing"}, `{"name":"bash","output":"no such thing\nmore","text":null,"exitCode":3,"data":null,"metadata":null,"truncated":false}`)
	}
	e = run(t, "async function run(ctx) { const r = await ctx.tool('bash'); try { await ctx.bash('x') } catch (e) { return [r.exitCode, e.code, e.exitCode, e.output, e.message] } }", fail)
	if e.value != `[3,"failed",3,"no such thing\nmore","tool \"bash\" failed with exit code 3: no such thing"]` {
		t.Errorf("%s %+v", e.value, e.throw)
	}
	unstarted := func(r *realm.Realm, call wire.Call, _ string) {
		deliver(t, r, wire.Result{Seq: call.Seq, Failed: true, Why: "/no/such was not started"}, `{"name":"bash","output":"/no/such was not started","text":null,"exitCode":-1,"data":null,"metadata":null,"truncated":false}`)
	}
	e = run(t, "async function run(ctx) { try { return await ctx.shell.run(['/no/such']) } catch (e) { return [e.name, e.code, e.exitCode, e.output, e.message] } }", unstarted)
	if e.value != `["ToolError","failed",-1,"/no/such was not started","tool \"bash\" failed: /no/such was not started"]` {
		t.Errorf("%s %+v", e.value, e.throw)
	}
	refuse := func(r *realm.Realm, call wire.Call, _ string) {
		deliver(t, r, wire.Result{Seq: call.Seq, Failed: true, Why: "no\nthe sandbox refused it"}, `{"name":"bash","output":"1\nno","exitCode":1}`)
	}
	e = run(t, "async function run(ctx) { try { await ctx.bash('x') } catch (e) { return e.message } }", refuse)
	if e.value != `"tool \"bash\" failed with exit code 1: no\nthe sandbox refused it"` {
		t.Errorf("%s %+v", e.value, e.throw)
	}
	e = run(t, "async function run(ctx) { ctx.tool('x'); await ctx.tool('y').catch(() => 0); return 1 }", deny)
	if e.value != "1" || len(e.logs) != 1 || !strings.Contains(e.logs[0].Text, "unhandled rejection: ToolError: not allowed") {
		t.Errorf("%s %+v", e.value, e.logs)
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	e := run(t, "function run() { console.log('a', 1, {b: [2]}, undefined, null, () => 1); console.error(new TypeError('bad')); console.warn('x'.repeat(70000)) }", nil)
	if len(e.logs) != 3 || e.logs[0].Text != `a 1 {"b":[2]} undefined null [function ]` || e.logs[0].Level != "log" {
		t.Fatalf("%+v", e.logs)
	}
	if !strings.HasPrefix(e.logs[1].Text, "TypeError: bad\n    at run (t.js:1:") || e.logs[1].Level != "error" {
		t.Errorf("%+v", e.logs[1])
	}
	if e.logs[2].Bytes != 70000 || len(e.logs[2].Text) != 1<<14 || len(e.logs[2].Tail) != 1<<14 {
		t.Errorf("%d of %d", len(e.logs[2].Text), e.logs[2].Bytes)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"waiting":               "await ctx.tool('x')",
		"looping":               "ctx.tool('x'); for (;;) {}",
		"looping in a callback": "ctx.tool('x'); [1].map(() => { for (;;) {} })",
		"looping in finally":    "ctx.tool('x'); try { for (;;) {} } finally { for (;;) {} }",
		"looping in toJSON":     "ctx.tool('x'); return { toJSON() { for (;;) {} } }",
		"looping in a log":      "ctx.tool('x'); console.log({ toJSON() { for (;;) {} } }); for (;;) {}",
		"looping in arguments":  "ctx.tool('x'); ctx.tool('y', { toJSON() { for (;;) {} } }); for (;;) {}",
		"looping in an error":   "ctx.tool('x'); throw { get name() { for (;;) {} } }",
		"microtasks":            "ctx.tool('x'); const f = () => Promise.resolve().then(f); return f()",
		"timers":                "ctx.tool('x'); return new Promise(() => setInterval(() => {}, 1))",
		"awaiting in a loop":    "ctx.tool('x'); for (;;) await 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := run(t, "async function run(ctx) { "+body+" }", func(r *realm.Realm, call wire.Call, _ string) {
				if call.Tool == "x" {
					stop, _ := wire.New(wire.KindStop, struct{}{}, nil)
					go r.Deliver(stop)
				}
			})
			if e.throw == nil || e.throw.Cause != wire.CauseInterrupted {
				t.Errorf("value %q, %+v", e.value, e.throw)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"export default () => 1", "export { run }", "module.exports = 1", "export\ndefault 1", "export/**/default function(){}", "`${export}`", "\ufeffexport const run=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4096 {
			return
		}
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: src}, nil)
		if len(flaws) == 0 && checked.Map == "" && (checked.Entry == "" || strings.Count(checked.Source, "\n") != strings.Count(src, "\n") || len(checked.Source) != len(src)) {
			t.Errorf("%q became %q", src, checked.Source)
		}
		for _, flaw := range flaws {
			if flaw.Line < 1 || flaw.Col < 1 || flaw.Msg == "" {
				t.Errorf("%q: %+v", src, flaw)
			}
		}
	})
}
