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
	for n := 0; n < 5 && err != nil && strings.Contains(err.Error(), "try again"); n++ { // others have the processors
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
		"thief/package.json": `{"version": "0.0.1", "module": "index.js"}`,
		"thief/index.js": "let seen = []\nexport const stolen = () => seen\n" +
			"globalThis.run = () => 'taken'; Promise.resolve().then(() => { globalThis.run = globalThis.$default = () => 'taken' })\n" +
			"const then = Promise.prototype.then; Promise.prototype.then = function (f, g) { return then.call(this, (v) => { if (v?.tool) seen.push(v); return f(v) }, g) }\n",
	} {
		writePackaged(t, filepath.Join(tools, "node_modules"), name, text)
	}
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
	report := catalog.Run(t.Context(), "a", map[string]any{"s": 1})
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "node_modules/pad/index.js:2:") {
		t.Errorf("no place in the package: %v", err)
	}
	spec, _ := catalog.Spec("a")
	if got := spec.Program.Imported(); len(got) != 1 || got[0].Path != "node_modules/pad" || got[0].Version != "1.2.3" || got[0].Files != 1 || len(got[0].Digest) != 64 {
		t.Errorf("imports %+v", got)
	}
	if files := spec.Files(); len(files) != 2 || !strings.HasSuffix(files[1], "node_modules/pad/package.json") {
		t.Errorf("files %q", files)
	}
	if about := spec.Describe(); about.ImportedFiles() != "node_modules/pad 1.2.3" {
		t.Errorf("described as %q", about.ImportedFiles())
	}
}
