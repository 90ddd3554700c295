package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// a3sFiles is the workspace of the cases below.
var a3sFiles = map[string]string{
	"a.txt":     "one\ntwo\nthree\n     1\tlook-alike\n(showing lines 1-2 of 9)\n",
	"src/x.go":  "package x // TODO a\n// todo b\n",
	"src/y.txt": "TODO c\n",
	"wide.txt":  strings.Repeat("漢", 30000) + "\n",
}

// a3sCase is a script that runs with these rules in that workspace. The
// numbers are those of a comparison with A3S; "WA" are its weaknesses, and what
// stands there is our answer.
type a3sCase struct {
	id, what string
	allow    string // allowed_tools, in YAML
	header   string // further lines
	script   string // the body of run, or a whole file if it has an export
	inputs   string
	outcome  runtime.Outcome // empty: ok
	value    string          // the value as JSON; empty: whatever
	says     string          // in the failure
	calls    string          // statuses
}

var a3sCases = []a3sCase{
	{"1b-24", "a caller's inputs are inputs, whatever they are called", "[]", "limits: {maxToolCalls: 3}", "return inputs.limits", `{"limits":{"maxToolCalls":99},"path":"/etc/passwd"}`, "", `{"maxToolCalls":99}`, "", ""},
	{"1b-25", "no inputs are an empty object", "[]", "", "return inputs", "", "", "{}", "", ""},
	{"1b-26", "a pinned number of calls", "[ls]", "limits: {maxToolCalls: 1}", "await ctx.ls(); await ctx.ls()", "", "limit", "", "exceeded maxToolCalls=1", "ok over_limit"},
	{"1b-26", "a registered tool that is not listed", "[ls]", "", `await ctx.tool("read", {file_path: "a.txt"})`, "", "denied", "", `tool "read" is not allowed`, "denied"},
	{"1b-33 WA1", "words in comments and strings are no reason to refuse", "[]", "", "// import x, import(, eval(, Function(, Worker(, WebSocket, fetch(\nconst retrieval = () => 'prefetch('; return retrieval()", "", "", `"prefetch("`, "", ""},
	{"1b-33 WA1", "what is absent is absent by every road", "[]", "", "const out = []; for (const f of [() => (0, eval)('1'), () => new Function ('return 1')(), () => (() => 1).constructor('return 1')(), () => [].constructor.constructor('return 1')(), () => fetch('x'), () => new Worker('x')]) try { out.push(f()) } catch (e) { out.push(e.name) } return out", "", "", `["EvalError","EvalError","EvalError","EvalError","ReferenceError","ReferenceError"]`, "", ""},
	{"1b-34 WA2", "the entry is parsed: its name in a string", "[]", "", "const s = 'export default async function run'; /* function run */\nexport default (ctx, inputs) => s.length", "", "", "33", "", ""},
	{"1b-34 WA2", "export default of a name", "[]", "", "const run = () => 1\nexport default run", "", "", "1", "", ""},
	{"1b-34 WA2", "export list", "[]", "", "function run() { return 2 }\nexport { run }", "", "", "2", "", ""},
	{"1b-34 WA2", "export const", "[]", "", "export const run = () => 3", "", "", "3", "", ""},
	{"1b-35", "nothing is allowed unless it is listed", "", "", "await ctx.ls()", "", "denied", "", "no tool is", "denied"},
	{"1b-37", "a failure inside is an outcome", "[]", "", "null.x", "", "script_error", "", "TypeError", ""},
	{"1c-38", "recursion ends", "[]", "", "const f = () => f(); f()", "", "limit", "", "nested", ""},
	{"1c-38", "a loop ends", "[]", "limits: {timeoutMs: 100}", "for (;;) {}", "", "timeout", "", "100ms", ""},
	{"1c-39", "ctx is frozen; what reaches out is undefined", "[]", "", "return [Object.isFrozen(ctx), typeof fetch, typeof WebSocket, typeof Worker, typeof process, typeof require]", "", "", `[true,"undefined","undefined","undefined","undefined","undefined"]`, "", ""},
	{"1c-40", "the shape of a result", "[read]", "", `const r = await ctx.tool("read", {file_path: "a.txt"}); return [Object.keys(r).sort().join(), r.name, r.exitCode, typeof r.output, typeof r.text]`, "", "", `["data,exitCode,metadata,name,output,text,truncated","read",0,"string","string"]`, "", "ok"},
	{"1c-40", "args are an object by default; text may be null", "[ls]", "", `const r = await ctx.tool("ls"); return r.text`, "", "", "null", "", "ok"},
	{"1c-41", "tools by property obey the list", "[ls]", "", `return [typeof ctx.tools.anything, ctx.tools.then === undefined, (await ctx.tools.ls({path: "src"})).output, await ctx.tools.read({file_path: "a.txt"}).catch((e) => e.code)]`, "", "", `["function",true,"x.go\ny.txt","denied"]`, "", "ok denied"},
	{"1c-42", "helpers give text", "[search, ls, bash]", "", `return [await ctx.grep("TODO", {path: "src"}), await ctx.grep("todo", {path: "src", glob: "*.go", "-i": true}), await ctx.glob("**/*.go"), await ctx.ls("src"), await ctx.bash("echo hi")]`, "", "", `["src/x.go:1:package x // TODO a\nsrc/y.txt:1:TODO c","src/x.go:1:package x // TODO a\nsrc/x.go:2:// todo b","src/x.go","x.go\ny.txt","hi\n"]`, "", "ok ok ok ok ok"},
	{"1c-42", "search and bm25 are modes of search", "[search]", "", `return [await ctx.search("TODO c", {path: "src"}), (await ctx.bm25("three")).includes("a.txt:3")]`, "", "", `["src/y.txt:1:TODO c",true]`, "", "ok ok"},
	{"1c-42", "their options are those of search", "[search]", "", `return [await ctx.grep("TODO", {path: "src", include: "*.go"}), await ctx.grep("todo", {path: "src", case_sensitive: false, output_mode: "count", limit: 5}), await ctx.search("**/*.go", {mode: "glob", sort: "path"}), await ctx.search("TODO", {mode: "grep", path: "src", include: "*.txt", context: 0}), (await ctx.bm25("todo", {glob: "*.go", limit: 1, context: 0})).split(":")[0].split(" ").pop(), await ctx.glob("*.txt", {path: "src", sort: "backend", limit: 5})]`, "", "", `["src/x.go:1:package x // TODO a","src/x.go:2\nsrc/y.txt:1","src/x.go","src/y.txt:1:TODO c","src/x.go","src/y.txt"]`, "", "ok ok ok ok ok ok"},
	{"1c-42", "git, verify and webSearch give results", "[git, bash]", "", `const none = (e) => e.code + " " + e.output.slice(0, 17); return [await ctx.git(["status"]).catch(none), await ctx.git({command: "status"}).catch(none), (await ctx.verify({command: "exit 7", timeout: 5000})).exitCode, await ctx.webSearch({query: "x"}).catch((e) => [e.code, e.tool])]`, "", "", `["failed no git repository","failed no git repository",7,["unknown_tool","web_search"]]`, "", "failed failed failed denied"},
	{"1c-43", "readFile is plain, with look-alikes kept", "[read]", "", `return await ctx.readFile("a.txt", {offset: 2, limit: 3})`, "", "", `"three\n     1\tlook-alike\n(showing lines 1-2 of 9)\n"`, "", "ok"},
	{"1c-43", "read keeps its line numbers", "[read]", "", `return (await ctx.read("a.txt", {limit: 1})).output`, "", "", `"     1\tone"`, "", "ok"},
	{"1c-44", "a denied call rejects, runs nothing and is not counted", "[ls]", "limits: {maxToolCalls: 1}", `const e = await ctx.bash("touch made").catch((e) => e); await ctx.ls(); return [e.name, e.code, e.tool]`, "", "", `["ToolError","denied","bash"]`, "", "denied ok"},
	{"1c-46", "a mode grants search", "[grep]", "", `return [(await ctx.tool("search", {mode: "grep", query: "TODO c", path: "src"})).output, await ctx.tool("search", {mode: "bm25", query: "x"}).catch((e) => e.code)]`, "", "", `["src/y.txt:1:TODO c","denied"]`, "", "ok denied"},
	{"1c-47", "a call counts although it fails, and the script may go on", "[read]", "limits: {maxToolCalls: 2}", `const out = []; for (let i = 0; i < 3; i++) out.push(await ctx.tool("read", {file_path: "none"}).then((r) => r.exitCode, (e) => e.code)); return out`, "", "", `[1,1,"over_limit"]`, "", "failed failed over_limit"},
	{"1c-48", "a tool that failed resolves", "[bash]", "", `return (await ctx.tool("bash", {command: "exit 7"})).exitCode`, "", "", "7", "", "failed"},
	{"1c-48", "our answer: a tool that is not there rejects, with the nearest name", "[bash]", "", `await ctx.tool("bsh", {})`, "", "denied", "", `"bash"`, "denied"},
	{"1c-49 WA7", "a cut says so, keeps head and tail, and whole characters", "[read]", "limits: {maxOutputBytes: 1000}", `const r = await ctx.tool("read", {file_path: "wide.txt"}); return [r.truncated, r.text.startsWith("漢"), r.text.includes("of 90001 bytes dropped"), r.text.trim().endsWith("漢"), r.text.includes("\ufffd")]`, "", "", "[true,true,true,true,false]", "", "ok"},
	{"1c-51", "Promise.all runs at once; the ledger has the script's order", "[bash]", "", `await Promise.all([ctx.bash("sleep 0.2; echo a"), ctx.bash("echo b")]); return 1`, "", "", "1", "", "ok ok"},
	{"1d-54", "our answer: a function in it is refused by its place, not dropped", "[]", "", "return {f() {}}", "", "invalid_output", "", "value.f is a function", ""},
	{"1d-54", "the value is JSON and back", "[]", "", "return {at: new Date(0), skip: undefined}", "", "", `{"at":"1970-01-01T00:00:00.000Z"}`, "", ""},
	{"1d-56 WA5", "a throw keeps the ledger", "[ls]", "", "await ctx.ls(); throw new Error('mine')", "", "script_error", "", "mine", "ok"},
	{"1d-57 WA5", "a deadline keeps the ledger and cancels what runs", "[ls, bash]", "limits: {timeoutMs: 3000}", "await ctx.ls(); await ctx.bash('sleep 64')", "", "timeout", "", "3s", "ok cancelled"},
	{"WA3", "a stuck builtin does not hold the deadline", "[]", "limits: {timeoutMs: 20}", "[].indexOf.call({length: 15e5}, 1)", "", "timeout", "", "20ms", ""},
	{"WA4", "text does not make an outcome", "[]", "", "throw new Error('InternalError: interrupted, timed out')", "", "script_error", "", "interrupted", ""},
	{"WA4", "nor does a look-alike of an error", "[]", "", "throw Object.assign(new Error('not allowed'), {name: 'ToolError', code: 'denied'})", "", "script_error", "", "not allowed", ""},
	{"WA6", "the value is within the limit", "[]", "limits: {maxOutputBytes: 100}", "return ['x'.repeat(200)]", "", "invalid_output", "", "204 bytes", ""},
	{"WA8", "a helper that fails rejects", "[read, bash]", "", "return [await ctx.readFile('none').catch((e) => [e.code, e.exitCode, e.output]), await ctx.bash('echo out; exit 3').catch((e) => [e.code, e.exitCode, e.output])]", "", "", `[["failed",1,"none does not exist"],["failed",3,"out\n"]]`, "", "failed failed"},
	{"WA9", "calls that nobody awaited are waited for", "[bash]", "", "ctx.bash('sleep 0.1'); return 1", "", "", "1", "", "ok"},
	{"WA9", "and end with the run", "[bash]", "limits: {timeoutMs: 3000}", "ctx.bash('sleep 64; touch made'); return 1", "", "timeout", "", "was under way", "cancelled"},
	{"WA10", "a script that returns nothing returns null", "[]", "", "", "", "", "null", "", ""},
	{"WA11", "a refusal says which limit, not that the tool is not allowed", "[ls]", "limits: {maxToolCalls: 1}", "await ctx.ls(); await ctx.ls()", "", "limit", "", "call 2 to tool \"ls\" was not made", "ok over_limit"},
	{"WA15", "eight calls at once", "[bash]", "", "await Promise.all(Array.from({length: 9}, () => ctx.bash('true'))); console.log('captured'); return 1", "", "", "1", "", "ok ok ok ok ok ok ok ok ok"},
	{"WA17", "what holds a pipe does not hold the command", "[bash]", "", "const began = Date.now(); await ctx.bash('sleep 65 & echo done'); return Date.now() - began < 20000", "", "", "true", "", "ok"},
}

func TestA3SRuns(t *testing.T) {
	t.Parallel()
	for i, c := range a3sCases {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			report, dir := a3sRun(t, fmt.Sprintf("case%d", i), c)
			want := c.outcome
			if want == "" {
				want = runtime.OutcomeOK
			}
			var calls []string
			for _, call := range report.Calls {
				calls = append(calls, string(call.Status))
			}
			if report.Outcome != want || c.value != "" && string(report.Value) != c.value || strings.Join(calls, " ") != c.calls {
				t.Errorf("value %s, calls %v, %s", report.Value, calls, report)
			}
			if c.says != "" && (report.Failure == nil || !strings.Contains(report.Failure.Error(), c.says)) {
				t.Errorf("the failure does not say %q: %v", c.says, report.Failure)
			}
			if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
				t.Error("something ran that was not to run")
			}
		})
	}
}

func a3sRun(t *testing.T, name string, c a3sCase) (*runtime.Report, string) {
	t.Helper()
	dir := t.TempDir()
	source := c.script
	if !strings.Contains(source, "\nexport") && !strings.HasPrefix(source, "export") {
		source = "export default async function run(ctx, inputs) {\n" + source + "\n}"
	}
	header := "kind: script\npath: scripts/" + name + ".js\n"
	if c.allow != "" {
		header += "allowed_tools: " + c.allow + "\n"
	}
	if c.header != "" {
		header += c.header + "\n"
	}
	files := map[string]string{"scripts/" + name + ".js": source, "tools/" + name + ".md": "---\n" + header + "---\nA case.\n"}
	for path, text := range a3sFiles {
		files[path] = text
	}
	for path, text := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := hostFlags{workspace: dir}
	h, err := f.open(t.Context(), env{stderr: t.Output()}, runtime.Observer{}, purpose{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	spec, err := scripttools.LoadFile(t.Context(), h.runner, filepath.Join(dir, "tools", name+".md"), dir)
	if err != nil {
		t.Fatal(err)
	}
	return scripttools.RunSpec(t.Context(), h.runner, spec, json.RawMessage(c.inputs), scripttools.RunOptions{}), dir
}

// 1b-27: a host that is gone is a report, not a crash.
func TestA3SClosedHost(t *testing.T) {
	t.Parallel()
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte("export default () => 1")})
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Close(); err != nil {
		t.Fatal(err)
	}
	if report := runner.Run(t.Context(), runtime.Request{Program: program}); report.Outcome != runtime.OutcomeCancelled || len(report.Calls) != 0 {
		t.Errorf("got %s", report)
	}
}

// 1b-32: sources up to 196,608 bytes, and both sizes in the refusal.
func TestA3SSourceSize(t *testing.T) {
	t.Parallel()
	runner := newTestRunner(t)
	source := func(size int) runtime.Source {
		text := "export default () => 1 //"
		return runtime.Source{Name: "x.js", Body: []byte(text + strings.Repeat("x", size-len(text)))}
	}
	for _, size := range []int{140 << 10, 196608} {
		if _, err := runner.Compile(t.Context(), source(size)); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := runner.Compile(t.Context(), source(196609)); err == nil || !strings.Contains(err.Error(), "196609 bytes; at most 196608") {
		t.Errorf("got %v", err)
	}
}

// 1c-38: nothing of one run is left for the next.
func TestA3SFreshWorld(t *testing.T) {
	t.Parallel()
	runner := newTestRunner(t)
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte(
		"let n = 0; export default () => { Array.prototype.mine = 1; globalThis.seen = (globalThis.seen || 0) + 1; return [++n, seen, [].mine] }")})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if report := runner.Run(t.Context(), runtime.Request{Program: program}); string(report.Value) != "[1,1,1]" {
			t.Errorf("got %s", report)
		}
	}
}

// 1d-58: a cancel ends a nested command within a second or so, with the ledger.
func TestA3SCancel(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	f := hostFlags{workspace: t.TempDir()}
	h, err := f.open(t.Context(), env{stderr: t.Output()}, runtime.Observer{CallStarted: func(c hostapi.Call) {
		if c.Seq == 2 { // the first makes the sandbox ready, which nothing interrupts
			close(started)
		}
	}}, purpose{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	program, err := h.runner.Compile(t.Context(), runtime.Source{Name: "x", FunctionBody: true, Body: []byte("await ctx.bash('true'); await ctx.bash('sleep 66')")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var asked time.Time
	go func() { <-started; asked = time.Now(); cancel() }()
	report := h.runner.Run(ctx, runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "bash"}}})
	t.Logf("it took %v", time.Since(asked))
	if report.Outcome != runtime.OutcomeCancelled || report.Calls[1].Status != hostapi.StatusCancelled {
		t.Errorf("got %s", report)
	}
}
