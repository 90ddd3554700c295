//go:build unix

package scripttools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

const importHead = "/*---\nkind: script\ndescription: d\n---*/\n"

// TestImports: a script runs with what it imports, which its digest covers, and a file that has
// changed is read again.
func TestImports(t *testing.T) {
	t.Parallel()
	dir := folders(t, "tools/lib")
	writeFile(t, filepath.Join(dir, "tools", "a.ts"), importHead+"import { b } from './lib/b.js'\nimport data from './data.json'\nexport default () => [b(), data, (globalThis as any).run === undefined]\n")
	writeFile(t, filepath.Join(dir, "tools", "c.mjs"), importHead+"export { run } from './lib/c.js'\n")
	writeFile(t, filepath.Join(dir, "tools", "lib", "b.ts"), "import { again } from './c'\nexport const b = (): string => again()\nexport const name = 'b'\n")
	writeFile(t, filepath.Join(dir, "tools", "lib", "c.js"), "import { name } from './b'\nexport const again = () => name + 1\nexport const run = () => again()\n"+
		"globalThis.run = () => 'taken'; Promise.resolve().then(() => { globalThis.run = globalThis.$default = () => 'taken'; delete globalThis.run })\n")
	writeFile(t, filepath.Join(dir, "tools", "data.json"), `{"x": 1}`)
	runner := newRunner(t)
	load := func() *scripttools.Catalog {
		catalog, err := scripttools.LoadDir(t.Context(), runner, filepath.Join(dir, "tools"))
		if err != nil {
			t.Fatal(err)
		}
		return catalog
	}
	value := func(c *scripttools.Catalog, name string) string {
		report := c.Run(t.Context(), name, nil)
		if report.Err() != nil {
			t.Fatal(report)
		}
		return string(report.Value)
	}
	first := load()
	if got := value(first, "a"); !strings.HasPrefix(got, `["b1",{"x":1},`) {
		t.Errorf("a gives %s", got)
	}
	if got := value(first, "c"); got != `"b1"` {
		t.Errorf("c gives %s", got)
	}
	before, _ := first.Spec("a")
	if files := before.Files(); len(files) != 4 {
		t.Errorf("files %q", files)
	}
	same, _ := load().Spec("a")
	if same.Program != before.Program {
		t.Error("what has not changed is compiled again")
	}
	writeFile(t, filepath.Join(dir, "tools", "data.json"), `{"x": 2}`)
	second := load()
	after, _ := second.Spec("a")
	if got := value(second, "a"); !strings.HasPrefix(got, `["b1",{"x":2},`) || after.Digest == before.Digest {
		t.Errorf("a gives %s after a change, digest %s", got, after.Digest)
	}
	if got := value(first, "a"); !strings.HasPrefix(got, `["b1",{"x":1},`) {
		t.Errorf("what was loaded gives %s", got)
	}

	// A file that breaks keeps what imports it at its last good version, and only that.
	writeFile(t, filepath.Join(dir, "tools", "data.json"), `{`)
	third, err := scripttools.Reload(t.Context(), runner, scripttools.Dir{Path: filepath.Join(dir, "tools")}, second)
	wantProblem(t, err, "data.json:1:")
	if got := value(third, "a"); !strings.HasPrefix(got, `["b1",{"x":2},`) {
		t.Errorf("a gives %s beside a broken file", got)
	}
}

// TestImportsThatAreRefused: nothing is read but regular files in the folder of the script.
func TestImportsThatAreRefused(t *testing.T) {
	t.Parallel()
	dir := folders(t, "tools/folder.ts")
	tools := filepath.Join(dir, "tools")
	writeFile(t, filepath.Join(dir, "secret.json"), `{"key": "TOP-SECRET"}`)
	writeFile(t, filepath.Join(tools, "large.txt"), strings.Repeat("x", 200<<10))
	writeFile(t, filepath.Join(tools, "deep.js"), strings.Repeat("[", 3000))
	writeFile(t, filepath.Join(tools, "bytes.txt"), "\xff\xfe")
	writeFile(t, filepath.Join(tools, "folder.ts", "x.ts"), "")
	for i := range 8 {
		writeFile(t, filepath.Join(tools, "part"+string(rune('0'+i))+".txt"), strings.Repeat("x", 180<<10))
	}
	for name, target := range map[string]string{"out.json": "../secret.json", "abs.json": filepath.Join(dir, "secret.json"), "up": ".."} {
		if err := os.Symlink(target, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(tools, "pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(tools, "node_modules")
	for name, text := range map[string]string{
		"climbs/package.json": `{}`, "climbs/index.js": "module.exports = require('../../../secret.json')",
		"piped/package.json": `{}`, "reads/package.json": `{"exports": "./a.txt"}`, "reads/a.txt": "",
	} {
		writePackaged(t, modules, name, text)
	}
	writePackaged(t, modules, "out/package.json", `{}`)
	if err := os.Symlink("../../../secret.json", filepath.Join(modules, "out", "index.js")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(modules, "linked")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(tools, ".env"), "KEY=TOP-SECRET")
	writePackaged(t, modules, "hides/package.json", `{}`)
	writePackaged(t, modules, "hides/index.js", ` export { default } from "./a.json" with { type: "text" }`)
	writePackaged(t, modules, "near/package.json", `{}`)
	for link, target := range map[string]string{"hides/a.json": "../../.env", "near/index.js": "../hides/index.js", "alias": "hides"} {
		if err := os.Symlink(target, filepath.Join(modules, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(modules, "piped", "index.js"), 0o600); err != nil {
		t.Fatal(err)
	}
	runner := newRunner(t)
	for _, c := range []struct{ code, want string }{
		{`import x from "../secret.json"`, "leads out of the folder"},
		{`import x from "./out.json"`, "a symbolic link leads out"},
		{`import x from "./abs.json"`, "a symbolic link leads out"},
		{`import x from "./up/secret.json"`, "a symbolic link leads out"},
		{`import x from "/etc/passwd" with { type: "text" }`, "absolute path"},
		{`import x from "./pipe.txt"`, "import \"./pipe.txt\""},
		{`import x from "./large.txt"`, "too large"},
		{`import x from "./bytes.txt"`, "not UTF-8"},
		{`import x from "./deep.js"`, "nested more than 2,000 deep"},
		{`import x from "./folder.ts"`, "directory"},
		{`import x from "./part0.txt"; import a from "./part1.txt"; import b from "./part2.txt"; import c from "./part3.txt"; import d from "./part4.txt"; import e from "./part5.txt"; import f from "./part6.txt"; a, b, c, d, e, f`, "together"},
		{`import x from "node:fs"`, "ctx.read"},
		{`import x from "absent"`, "npm install absent"},
		{`import x from "out"`, "a symbolic link leads out"},
		{`import x from "linked"`, "path escapes"},
		{`import x from "hides"`, "it goes through a symbolic link"},
		{`import x from "near"`, "it goes through a symbolic link"},
		{`import x from "alias"`, "it goes through a symbolic link"},
		{`import x from "climbs"`, "climbs/index.js:1:26: import \"../../../secret.json\": it leads out of its package"},
		{`import x from "piped"`, "import \"piped\": node_modules/piped/index.js: this is a named pipe"},
		{`import x from "reads"`, "there is no file node_modules/reads/a.txt"},
		{`const x = await import(String(1))`, ""},
	} {
		path := filepath.Join(tools, "t.mjs")
		writeFile(t, path, importHead+c.code+"\nexport default () => x\n")
		_, err := scripttools.LoadFile(t.Context(), runner, path, "")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "t.mjs:5:") && !strings.Contains(err.Error(), "index.js:1:26:") && !strings.Contains(err.Error(), "together") {
			t.Errorf("%s: %v", c.code, err)
		} else if strings.Contains(err.Error(), "TOP-SECRET") {
			t.Errorf("%s: the error has what is in the file: %v", c.code, err)
		}
	}
}

// TestLargeImportsAreChecked: TypeScript of 360 KB has the memory that lowering it takes.
func TestLargeImportsAreChecked(t *testing.T) {
	t.Parallel()
	tools := folders(t, "tools")
	dir := filepath.Join(tools, "tools")
	var part strings.Builder
	for n := 0; part.Len() < 180<<10; n++ {
		fmt.Fprintf(&part, "export function f%d<T extends { a: number }>(x: T, ...r: number[]): number { return (x?.a ?? r.map((v: number) => v * 2)[0]) as number + 1 }\n", n)
	}
	writeFile(t, filepath.Join(dir, "a.ts"), part.String())
	writeFile(t, filepath.Join(dir, "b.ts"), part.String())
	path := filepath.Join(dir, "t.ts")
	writeFile(t, path, importHead+"import { f1 } from \"./a.ts\"\nimport { f2 } from \"./b.ts\"\nexport default () => f1({ a: 1 }) + f2({ a: 2 })\n")
	runner := newRunner(t)
	_, err := scripttools.LoadFile(t.Context(), runner, path, "")
	for n := 0; n < 60 && err != nil && strings.Contains(err.Error(), "try again"); n++ { // others have the processors
		_, err = scripttools.LoadFile(t.Context(), runner, path, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// folders makes a folder with another in it.
func folders(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestNamesOfFunctionsAndClassesAreKept, though several files have the same, and classes name themselves.
func TestNamesOfFunctionsAndClassesAreKept(t *testing.T) {
	t.Parallel()
	tools := filepath.Join(folders(t, "tools"), "tools")
	writeFile(t, filepath.Join(tools, "a.js"), "export class A { static make() { return new A() } }\nfunction f() {}\nexport const g = f\nexport default () => 1\n")
	path := filepath.Join(tools, "t.js")
	writeFile(t, path, importHead+`import one, {A as Other, g} from "./a.js"
class A extends Error { constructor() { super(); this.name = new.target.name } static is(e) { return e instanceof A } }
function f() {}
export default () => [Other.name, A.name, String(new A()), g.name, f.name, one.name, (() => {}).name]
`)
	runner := newRunner(t)
	spec, err := scripttools.LoadFile(t.Context(), runner, path, "")
	if err != nil {
		t.Fatal(err)
	}
	const want = `["A","A","A","f","f","default",""]`
	if report := runner.Run(t.Context(), runtime.Request{Program: spec.Program}); string(report.Value) != want {
		t.Errorf("%s, want %s", report, want)
	}
}

// writePackaged writes a file of a package.
func writePackaged(t *testing.T, modules, name, text string) {
	t.Helper()
	path := filepath.Join(modules, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, text)
}

// TestPackagesAreImported: a tool runs with packages of its folder, of which its program names
// version and digest; they cannot take its entry, and places in them are told.
func TestPackagesAreImported(t *testing.T) {
	t.Parallel()
	dir := folders(t, "tools")
	tools := filepath.Join(dir, "tools")
	for name, text := range map[string]string{
		"pad/package.json": `{"name": "pad", "version": "1.2.3"}`, "pad/index.js": "module.exports = (s) => {\n  if (typeof s !== 'string') throw new TypeError('pad: ' + typeof s)\n  return s.padStart(4)\n}\n",
		"thief/package.json": `{"version": "` + strings.Repeat("9", 100_000) + `", "module": "index.js"}`,
		"thief/index.js": "let seen = []\nexport const stolen = () => seen\n" +
			"globalThis.run = () => 'taken'; Promise.resolve().then(() => { globalThis.run = globalThis.$default = () => 'taken' })\n" +
			"const then = Promise.prototype.then; Promise.prototype.then = function (f, g) { return then.call(this, (v) => { if (v?.tool) seen.push(v); return f(v) }, g) }\n",
	} {
		writePackaged(t, filepath.Join(tools, "node_modules"), name, text)
	}
	writePackaged(t, filepath.Join(tools, "node_modules"), "tries/package.json", "{}")
	writePackaged(t, filepath.Join(tools, "node_modules"), "tries/index.js", "const codes = []\nfor (let n = 0; n < 2; n++) try { require('not-there') } catch (e) { codes.push(e.code, e instanceof Error) }\n"+
		"module.exports = async () => { try { await import('not-there') } catch (e) { codes.push(e.message.includes('npm install not-there')) } return codes }\n")
	for name, text := range map[string]string{
		"cjs/package.json": "{}", "cjs/index.js": "exports.__esModule = true; exports.default = () => 1; exports.named = 2",
		"esm/package.json": `{"type": "module"}`, "esm/index.js": "import c from 'cjs'\nexport const x = typeof c + typeof c.default\nexport const fail = () => c.none()\n",
	} {
		writePackaged(t, filepath.Join(tools, "node_modules"), name, text)
	}
	writeFile(t, filepath.Join(tools, "e.mjs"), importHead+"import { x, fail } from 'esm'\nexport default (_, { bad }) => bad ? fail() : x\n")
	writeFile(t, filepath.Join(tools, "d.mjs"), importHead+"import codes from 'tries'\nexport default () => codes()\n")
	writeFile(t, filepath.Join(tools, "a.ts"), importHead+"import pad from 'pad'\nimport { join } from 'node:path'\nexport default (_: unknown, { s }: any) => pad(s ?? join('a', '..', 'b'))\n")
	writeFile(t, filepath.Join(tools, "b.js"), importHead+"import { stolen } from 'thief'\nexport default async (ctx) => { await ctx; await Promise.resolve(ctx); return stolen().length }\n")
	catalog, err := scripttools.LoadDir(t.Context(), newRunner(t), tools)
	if err != nil {
		t.Fatal(err)
	}
	if report := catalog.Run(t.Context(), "a", nil); string(report.Value) != `"   b"` || len(report.Imported) != 1 {
		t.Errorf("a gives %s %v, imports %v", report.Value, report.Err(), report.Imported)
	}
	if report := catalog.Run(t.Context(), "b", nil); string(report.Value) != "0" {
		t.Errorf("b gives %s %v: its package saw or replaced what it does", report.Value, report.Err())
	}
	if report := catalog.Run(t.Context(), "d", nil); string(report.Value) != `["MODULE_NOT_FOUND",true,"MODULE_NOT_FOUND",true,true]` {
		t.Errorf("d gives %s %v", report.Value, report.Err())
	}
	if report := catalog.Run(t.Context(), "e", nil); string(report.Value) != `"objectfunction"` {
		t.Errorf("e gives %s %v, not what Node gives", report.Value, report.Err())
	}
	if err := catalog.Run(t.Context(), "e", map[string]any{"bad": true}).Err(); err == nil || !strings.Contains(err.Error(), "node_modules/esm/index.js:3:") {
		t.Errorf("no place in a module of a package: %v", err)
	}
	report := catalog.Run(t.Context(), "a", map[string]any{"s": 1})
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "node_modules/pad/index.js:2:") {
		t.Errorf("no place in the package: %v", err)
	}
	spec, _ := catalog.Spec("a")
	if got := spec.Program.Imported(); len(got) != 1 || got[0].Path != "node_modules/pad" || got[0].Version != "1.2.3" || got[0].Files != 2 || len(got[0].Digest) != 64 {
		t.Errorf("imports %+v", got)
	}
	if files := spec.Files(); len(files) != 3 || !strings.HasSuffix(files[2], "node_modules/pad/package.json") {
		t.Errorf("files %q", files)
	}
	if about := spec.Describe(); about.ImportedFiles() != "node_modules/pad 1.2.3" {
		t.Errorf("described as %q", about.ImportedFiles())
	}
	spec, _ = catalog.Spec("b")
	if got := spec.Program.Imported()[0].Version; got != strings.Repeat("9", 256)+"… (100000 bytes)" { // what npm takes for a version is whole
		t.Errorf("a version of %d bytes: %.300s", len(got), got)
	}
}

// TestTheEntryIsTheFilesOwn: whatever a package or another file of the folder calls run, exports or
// puts into the globals, the entry is that of the tool's own file, in every form.
func TestTheEntryIsTheFilesOwn(t *testing.T) {
	t.Parallel()
	tools := filepath.Join(folders(t, "tools/lib"), "tools")
	const theft = "const t = () => 'taken'\nglobalThis.run = globalThis.$default = t; Promise.resolve().then(() => { globalThis.run = globalThis.$default = t })\n"
	for name, text := range map[string]string{
		"thief/package.json": `{}`, "thief/index.js": "async function run(ctx) { return 'taken' }\n" + theft + "globalThis.q = run\nexport const x = () => 1\n",
		"helper/package.json": `{}`, "helper/index.js": "export async function run(n) { return n + 1 }\nexport default () => 'taken'\n" + theft,
		"old/package.json": `{}`, "old/index.js": "function run() { return 'taken' }\nmodule.exports = { run, x: () => 1 }\n",
	} {
		writePackaged(t, filepath.Join(tools, "node_modules"), name, text)
	}
	writeFile(t, filepath.Join(tools, "lib", "m.js"), "export async function run(n) { return n + 1 }\nexport default () => 'taken'\n"+theft)
	sources := map[string]string{}
	for i, what := range []string{
		"import { x } from 'thief'; const used = x()", "import { run as r } from 'helper'; const used = r && 1", "import 'thief'; const used = 1",
		"import * as h from 'helper'; const used = h.run && 1", "import { x } from 'old'; const used = x()", "import { run as r } from './lib/m.js'; const used = r && 1",
		"import h from './lib/m.js'; const used = h && 1", "import 'helper'; export * from './lib/m.js'; const used = 1",
	} {
		for j, entry := range []string{
			"async function run(ctx, inputs) { return 'mine ' + used }", "const run = (ctx) => 'mine ' + used", "export async function run() { return 'mine ' + used }",
			"export default () => 'mine ' + used", "function go() { return 'mine ' + used }\nexport { go as run }", "var run = function () { return 'mine ' + used }\nexport default run",
		} {
			if (i+j)%2 == 0 {
				sources[fmt.Sprintf("t%d-%d.%s", i, j, []string{"js", "mjs", "ts", "js"}[(i+j/2)%4])] = what + "\n" + entry + " // the end"
			}
		}
	}
	sources["cjs.ts"] = "async function go() { return 'mine ' + (await import('./lib/m.js')).run.length }\nmodule.exports = { run: go }"
	sources["cjs2.ts"] = "exports.run = async () => 'mine ' + (await import('./lib/m.js')).run.length"
	sources["cjs3.js"] = "import { x } from 'old'; module.exports = { run: async () => 'mine ' + x() }"
	sources["cjs4.js"] = "import { x } from 'old'; exports.run = async () => 'mine ' + x()"
	sources["cjs5.js"] = "module.exports = async () => 'mine ' + (await import('./lib/m.js')).run.length"
	for name, source := range sources {
		writeFile(t, filepath.Join(tools, name), importHead+source+"\n")
	}
	catalog, err := scripttools.LoadDir(t.Context(), newRunner(t), tools)
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range sources {
		report := catalog.Run(t.Context(), strings.TrimSuffix(name, filepath.Ext(name)), nil)
		if string(report.Value) != `"mine 1"` {
			t.Errorf("%s: %s\n%s", name, report, source)
		}
	}
}

// TestWhatIsImportedIsNoEntry: a file that has none is refused, although what it imports is called run.
func TestWhatIsImportedIsNoEntry(t *testing.T) {
	t.Parallel()
	tools := filepath.Join(folders(t, "tools/lib"), "tools")
	writePackaged(t, filepath.Join(tools, "node_modules"), "thief/package.json", `{}`)
	writePackaged(t, filepath.Join(tools, "node_modules"), "thief/index.js", "export async function run() { return 'taken' }\nglobalThis.run = run")
	writeFile(t, filepath.Join(tools, "lib", "m.js"), "export async function run() { return 'taken' }\nglobalThis.run = run")
	runner := newRunner(t)
	for source, want := range map[string]string{
		"import 'thief'": "there is no entry", "import { run } from 'thief'; run": "there is no entry", "import './lib/m.js'": "there is no entry",
		"import { run } from './lib/m.js'": "there is no entry", "export * from 'thief'": "there is no entry", "import 'thief'\n{ function run() {} }": "there is no entry",
		"export const a = 1; import 'thief'\nmodule.exports = { run: () => 1 }": "module.exports is for files that export nothing by export",
	} {
		path := filepath.Join(tools, "t.js")
		writeFile(t, path, importHead+source+"\n")
		if _, err := scripttools.LoadFile(t.Context(), runner, path, ""); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.js:5:1") {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// TestDigestsCoverAllThatWasRead: a package.json decides which files are taken, and data has no code;
// a change of either is another program.
func TestDigestsCoverAllThatWasRead(t *testing.T) {
	t.Parallel()
	tools := filepath.Join(folders(t, "tools"), "tools")
	modules := filepath.Join(tools, "node_modules")
	const one, other = `{"imports": {"#a": "./a.js", "#b": "./b.js"}}`, `{"imports": {"#a": "./b.js", "#b": "./a.js"}}`
	writePackaged(t, modules, "swap/index.js", "import a from '#a'; import b from '#b'; export default a + b")
	writePackaged(t, modules, "swap/a.js", "export default 'a'")
	writePackaged(t, modules, "swap/b.js", "export default 'b'")
	path := filepath.Join(tools, "t.js")
	writeFile(t, path, importHead+"import x from 'swap'\nimport s from './d.txt'\nexport default () => x + s\n")
	runner := newRunner(t)
	seen := map[string]string{}
	for _, c := range []struct{ manifest, data, want string }{{one, "1", `"ab1"`}, {other, "1", `"ba1"`}, {other, "2", `"ba2"`}} {
		writePackaged(t, modules, "swap/package.json", c.manifest)
		writeFile(t, filepath.Join(tools, "d.txt"), c.data)
		spec, err := scripttools.LoadFile(t.Context(), runner, path, "")
		if err != nil {
			t.Fatal(err)
		}
		if report := runner.Run(t.Context(), runtime.Request{Program: spec.Program}); string(report.Value) != c.want {
			t.Errorf("%s, want %s", report, c.want)
		}
		if before, ok := seen[spec.Digest]; ok {
			t.Errorf("%s and %s have one digest", before, c.want)
		}
		seen[spec.Digest] = c.want
	}
}
