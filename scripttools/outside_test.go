package scripttools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestOutside: what .md files name outside of their directory is known with all that it may
// import, without loading anything.
func TestOutside(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	long := "./lib/" + strings.Repeat("d/", 120) + "e.js" // a folder of lib, by a long path
	md := func(path string) string { return "---\nkind: script\ndescription: d\npath: " + path + "\n---\n" }
	for name, text := range map[string]string{
		"tools/a.md": md("lib/x.mjs"), "tools/b.md": md("plain.js"), "tools/c.md": md("tools/own.js"), "tools/d.md": md("../up.js"), "tools/e.md": md("gone.ts"),
		"tools/f.js": "/*---\nkind: script\ndescription: d\n---*/\nimport './g.js'", "tools/README.md": "no header", "tools/same.md": md("lib/x.mjs"),
		"lib/x.mjs":                   "import { y } from \"./y.js\"\nexport * from './sub/z.ts'; import data from \"./d.json\" with { type: 'json' }\nimport(`./late.mjs`); require ( './old' ); const s = 'from ../no.js'; import '../up.js'; import p from 'p/deep'; import '@s/q'",
		"lib/y.js":                    "import './y.js'; import 'node:path'; import '" + long[:2] + strings.TrimPrefix(long[2:], "lib/") + "'",
		"lib/sub/z.ts":                "import w from '../w.txt'; import n from 'none'",
		"lib/node_modules/p/index.js": "", "plain.js": "import fs from 'p'; export default () => 1",
		"tools/h.md": md("alone/z.js"), "alone/z.js": "import path from 'path'; import 'node:util'\n// adapted from \"foo\"\nexport default () => 1",
	} {
		path := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, path := range scripttools.Outside(scripttools.Dir{Path: filepath.Join(base, "tools")}) {
		rel, err := filepath.Rel(base, path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	for _, want := range strings.Fields("gone.ts plain.js lib/x.mjs lib/y.js lib/y.ts lib/sub/z.ts lib/d.json lib/late.mjs lib/late.mts lib/old lib/old.js lib/old/index.ts lib/w.txt lib/node_modules node_modules " + long[2:]) {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, no := range got {
		if strings.HasPrefix(no, "tools/") || strings.Contains(no, "..") || no == "up.js" || strings.Contains(no, "none") || strings.HasPrefix(no, "alone/") && no != "alone/z.js" {
			t.Errorf("%s is no part of a tool", no)
		}
	}
	if got := scripttools.Outside(scripttools.Dir{Path: filepath.Join(base, "nowhere")}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// TestImportsAreFoundAsTheyAreWritten: what the host does not run it knows nevertheless, in every
// form in which JavaScript names a module.
func TestImportsAreFoundAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	many := strings.Builder{}
	for i := range 150 {
		fmt.Fprintf(&many, "const s%d = 'from \"./q%d\"' /* from './p%d' */\n", i, i, i)
	}
	for name, text := range map[string]string{
		"CR": "// a tool\rimport z from './z.js'\r", "LS": "// a\u2028import z from './z.js'", "the end of a comment": "/*\n// doc */ import z from './z.js'",
		"NBSP": "import z from\u00a0'./z.js'", "BOM": "import z from\ufeff'./z.js'", "a comment": "import z /* 'x' */ from /* it's */ './z.js'", "comments": "export * from // it's\n // \"so\"\n'./z.js'",
		"nothing": "import'./z.js'", "an escape": "import z from './\\x7a.js'", "escapes": "import '\\u002e/\\u{0007A}\\.j\\\ns'", "a quote before": "/* from ' */ import z from './z.js'",
		"quotes before": "const s = \"from '\"; import z from './z.js' // it's", "late": "await import(`./z.js`)", "late, with a comment": "import(/* it's */ './z.js', {with: {type: 'x'}})",
		"one of two": "import((1 < 2) ? ('./y.js') : './z.js')", "CommonJS": "const z = require ( './z.js' )", "TypeScript": "import z = require('./z.js')", "behind many": many.String() + "import z from './z.js'",
		"names": "import { " + strings.Repeat("a, ", 1000) + "z } from './z.js'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lib, found := outsideOf(t, text)
			if !slices.Contains(found, filepath.Join(lib, "z.js")) && !slices.Contains(found, lib) {
				t.Errorf("it is not among %.500q", found)
			}
		})
	}
	for _, text := range []string{"Array.from(list, (x) => './z.js')", "import('./y.js').then(() => './z.js')", "const from = (a) => a\nconst z = './z.js'", "import fs from 'fs'\nfs.write('./z.js')"} {
		if lib, found := outsideOf(t, text); slices.Contains(found, filepath.Join(lib, "z.js")) || slices.Contains(found, lib) {
			t.Errorf("%s imports no z.js: %q", text, found)
		}
	}
}

// outsideOf is what is known of a tool whose script, lib/x.ts, has that text.
func outsideOf(t *testing.T, text string) (lib string, found []string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lib = filepath.Join(base, "lib")
	for _, folder := range []string{lib, filepath.Join(base, "tools")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(base, "tools", "a.md"), "---\nkind: script\ndescription: d\npath: lib/x.ts\n---\n")
	writeFile(t, filepath.Join(lib, "x.ts"), text)
	writeFile(t, filepath.Join(lib, "z.js"), "export default 1\n")
	return lib, scripttools.Outside(scripttools.Dir{Path: filepath.Join(base, "tools")})
}
