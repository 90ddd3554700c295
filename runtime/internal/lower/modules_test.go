package lower_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/lower"
)

// folder reads files of a map, and remembers for which it was asked.
func folder(files map[string]string, asked *[]string) lower.Reader {
	return func(name string) (string, error) {
		*asked = append(*asked, name)
		text, ok := files[name]
		if !ok {
			return "", fs.ErrNotExist
		}
		if text == "(a pipe)" {
			return "", fmt.Errorf("this is a named pipe, not a file")
		}
		return text, nil
	}
}

func TestModules(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"util.ts": "export const twice = (n: number): number => 2 * n\nexport type T = string", "old.mjs": "export default 'old'", "lib/a.ts": "import { b } from './b.js'; export const a = () => 'a' + b()",
		"lib/b.ts": "import { a } from './a'; import { top } from '../top.js'; export const b = () => 'b' + top; a", "top.js": "export const top = 'top'", "data.json": `{"x": [1]}`, "q.sql": "select 1",
		"lib/index.ts": "export * from './a'", "cjs.js": "module.exports = { c: require('./top.js').top }",
	}
	for _, c := range []struct{ src, want string }{
		{"import { twice, type T } from './util.ts'; twice(2)", "n) => 2 * n"},
		{"import { twice } from './util.js'; twice", "n) => 2 * n"},
		{"import { twice } from './util'; twice", "n) => 2 * n"},
		{"import old from './old.mjs'; old", `"old"`},
		{"export * from './lib/a.ts'", `"b" + top`},
		{"import { a } from './lib'; a()", `"a" + b()`},
		{"import data from './data.json'; data.x", "x: [1]"},
		{"import data from './data.json' with { type: 'json' }; data.x", "x: [1]"},
		{"import text from './data.json' with { type: 'text' }; text", `{"x": [1]}`},
		{"import q from './q.sql'; q", "select 1"},
		{"import code from './util.ts' with { type: 'text' }; code", "n: number"},
		{"const u = await import('./top.js')", "init_top"},
		{"import { c } from './cjs.js'; c", "__commonJS"},
		{"import * as self from './t.ts'; export const x = 1; self.x", "var x = 1"},
	} {
		var asked []string
		out, flaws := lower.Modules(c.src, lower.Options{Name: "t.ts", TypeScript: true}, folder(files, &asked))
		if len(flaws) > 0 || !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(out.Text, `\"`, `"`), "'", `"`), c.want) {
			t.Errorf("%s: %v\n%s", c.src, flaws, out.Text)
		}
		slices.Sort(asked)
		if once := slices.Compact(slices.Clone(asked)); len(once) != len(asked) && !strings.Contains(c.src, "./lib") {
			t.Errorf("%s: asked for %v", c.src, asked)
		}
	}
}

// TestModulesThatAreRefused: what is no file beside the entry is never asked for.
func TestModulesThatAreRefused(t *testing.T) {
	t.Parallel()
	files := map[string]string{"lib/out.ts": "export * from '../../x.ts'", "broken.ts": "\nlet a: = 1", "pipe.txt": "(a pipe)", "needs.ts": "import 'fs'"}
	for _, c := range []struct{ wanted, want, file string }{
		{"../secret.json", "leads out of the folder", ""},
		{"./a/../../x.ts", "leads out of the folder", ""},
		{"/etc/passwd", "absolute", ""},
		{"file:///etc/passwd", "absolute", ""},
		{"C:/x.ts", "absolute", ""},
		{"https://x.org/a.js", "nothing is loaded from an address", ""},
		{"data:text/javascript,1", "nothing is loaded from an address", ""},
		{"node:fs", "ctx.read", ""},
		{"fs/promises", "ctx.read", ""},
		{"node:other", "a module of Node", ""},
		{"lodash", "npm install lodash", ""},
		{"@a/b", "there is no package @a/b", ""},
		{"./node_modules/a/index.js", "by the name of the package", ""},
		{"./.env", "begin with a dot", ""},
		{"./.git/x.json", "begin with a dot", ""},
		{"./key.pem", `end in ".pem"`, ""},
		{"./a.tsx", ".tsx files cannot be imported", ""},
		{"./none.ts", "there is no such file", ""},
		{"./none", "there is no such file", ""},
		{"./pipe.txt", "named pipe", ""},
		{"./lib/out.ts", "leads out of the folder", "lib/out.ts"},
		{"./broken.ts", "unexpected", "broken.ts"},
		{"./needs.ts", "ctx.read", "needs.ts"},
		{".", "there is no such file", ""},
	} {
		var asked []string
		_, flaws := lower.Modules(fmt.Sprintf("import x from %q; x", c.wanted), lower.Options{Name: "t.ts", TypeScript: true}, folder(files, &asked))
		if len(flaws) == 0 || !strings.Contains(flaws[0].Msg, c.want) || flaws[0].File != c.file || flaws[0].Line == 0 {
			t.Errorf("%s: %+v", c.wanted, flaws)
		}
		for _, name := range asked {
			if lower.Importable(name) != nil {
				t.Errorf("%s: asked for %s", c.wanted, name)
			}
		}
	}
}
