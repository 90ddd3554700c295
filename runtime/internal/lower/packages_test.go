package lower_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/lower"
)

// packages are those of the tests, by the files in node_modules.
func packages() map[string]string {
	inline := base64.StdEncoding.EncodeToString([]byte(`{"version":3,"sources":["../../t.ts"],"names":[],"mappings":"AAAA;AACA"}`))
	files := map[string]string{
		"main/package.json": `{"version": "1.2.3", "main": "lib/start"}`, "main/lib/start.js": "exports.x = 'main/lib/start'", "main/other.js": "exports.x = 'main/other'",
		"plain/index.js":     "exports.x = 'plain/index'",
		"plain/package.json": `{}`,
		"both/package.json":  `{"main": "a.cjs", "module": "b.mjs"}`, "both/a.cjs": "exports.x = 'both/a'", "both/b.mjs": "export const x = 'both/b'",
		"asks/package.json": `{}`, "asks/index.js": "exports.x = require('both').x",
		"exports/package.json": `{"exports": {".": [null, {"node": "./node.js", "import": "./import.mjs", "default": "./default.js"}], "./deep/*": "./inner/*.js",
			"./deep/*.json": "./inner/*.json", "./deep/secret": null, "./out": "../main/other.js", "./link": "./node_modules/main/other.js", "./none": {"node": "./node.js"},
			"./stop": {"import": null, "default": "./default.js"}}, "imports": {"#in": "./inner/a.js", "#main": "main", "#out": "./../main/other.js"}}`,
		"exports/import.mjs": "export { x } from '#in'; export { x as y } from '#main'; export { x as z } from 'exports/deep/b'", "exports/default.js": "exports.x = 'exports/default'",
		"exports/inner/a.js": "exports.x = 'exports/inner/a'", "exports/inner/b.js": "exports.x = 'exports/inner/b'", "exports/inner/secret.js": "exports.x = 'secret'",
		"outside/package.json": `{"imports": {"#out": "./../main/other.js"}, "exports": "./index.js"}`, "outside/index.js": "export * from '#out'",
		"@a/b/package.json": `{}`, "@a/b/index.js": "exports.x = '@a/b' + require('main').x", "@a/b/node_modules/main/package.json": `{"version": "2.0.0"}`,
		"@a/b/node_modules/main/index.js": "exports.x = ' with main of its own'",
		"web/package.json":                `{"browser": {"./node.js": "./web.js", "fs": false, "both": "./web.js", "./gone": false}}`,
		"web/index.js":                    "exports.x = require('./node.js').x + typeof require('fs') + require('both').x + typeof require('./gone')", "web/node.js": "exports.x = 'node'", "web/web.js": "exports.x = 'web'", "web/gone.js": "neverThere()",
		"pure/package.json": `{"sideEffects": false, "module": "index.js"}`, "pure/index.js": "export * from './a.js'; export * from './b.js'", "pure/a.js": "export const x = 'pure/a'; g('effect')", "pure/b.js": "export const y = 'pure/b'; g('unused')",
		"some/package.json": `{"sideEffects": ["./eff/**", "*.css.js"], "module": "index.js"}`, "some/index.js": "import './eff/a.js'; import './b.js'; import './c.css.js'; export const x = 1", "some/eff/a.js": "g('one')", "some/b.js": "g('two')", "some/c.css.js": "g('three')",
		"climbs/package.json": `{}`, "climbs/index.js": "require('../../secret.json')", "crosses/package.json": `{}`, "crosses/index.js": "require('../main/other.js')",
		"escapes/package.json": `{"main": "../../t.ts"}`, "absolute/package.json": `{"main": "/etc/passwd"}`, "binary/package.json": `{"main": "./x.node"}`,
		"broken/package.json": `{"exports": `, "odd/package.json": `{"main": 1, "exports": {".": 1}}`, "pipe/package.json": `(a pipe)`,
		"reads/package.json": `{}`, "reads/index.js": "const fs = require('fs'); exports.x = () => fs.readFileSync('/etc/passwd')",
		"maps/package.json": `{}`, "maps/index.js": "exports.x = here()\n//# sourceMappingURL=data:application/json;base64," + inline,
		"zod/package.json": `{"sideEffects": false, "module": "index.js"}`, "zod/index.js": "import * as z from './all.js'; export { z }; export * from './all.js'", "zod/all.js": "export const string = () => 'zod'; export const large = () => 'large'",
		"swaps/package.json": `{"browser": {"fs": "../../secret.json"}}`, "swaps/index.js": "require('fs')",
		"trades/package.json": `{"browser": {"./index.js": "./../../secret.json"}}`, "trades/index.js": "",
		"grows/package.json": `{"exports": {"./*": "./` + strings.Repeat("*", 4000) + `"}}`,
		"tries/package.json": `{}`, "tries/index.js": "try { require('not-there') } catch (e) { exports.x = e.code }; try { require('./build/x.node') } catch {}",
		"needs/package.json": `{"dependencies": {"not-there": "1"}}`, "needs/index.js": "try { require('not-there') } catch (e) { exports.x = e.code }",
		"states/package.json": `{}`, "states/index.mjs": "import x from 'not-there'; export { x }",
		"loops/package.json": `{"browser": {"./index.js": "./index.js"}}`, "loops/index.js": "exports.x = 'loops'",
		"deep/package.json": `{"exports": ` + strings.Repeat(`{"default": `, 100) + `"./x.js"` + strings.Repeat("}", 100) + `}`,
	}
	placed := map[string]string{"secret.json": "{}", "t.ts": "mine"}
	for name, text := range files {
		placed["node_modules/"+name] = text
	}
	return placed
}

// TestPackages: what an import of a package means is what it means in Node and for bundlers. What
// is asked for is never anything but a file that can be imported.
func TestPackages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want, gone string }{
		{"import { x } from 'main'; g(x)", "main/lib/start", "other"},
		{"import { x } from 'main/other'; g(x)", "main/other", "start"},
		{"import { x } from 'main/other.js'; g(x)", "main/other", "start"},
		{"import { x } from 'plain'; g(x)", "plain/index", ""},
		{"import { x } from 'both'; g(x)", "both/b", "both/a"},
		{"import { x } from 'asks'; g(x)", "both/a", "both/b"},
		{"import * as e from 'exports'; g(e)", "exports/inner/a", "exports/default"},
		{"import * as e from 'exports'; g(e)", "exports/inner/b", "node.js"},
		{"import { x } from 'exports/deep/a'; g(x)", "exports/inner/a", "inner/b"},
		{"import { x } from '@a/b'; g(x)", "with main of its own", "main/lib"},
		{"import { x } from 'web'; g(x)", `exports.x = "web"`, "neverThere"},
		{"import { x } from 'pure'; g(x)", "pure/a", "unused"},
		{"import { x } from 'some'; g(x)", `"three"`, `"two"`},
		{"import { x } from 'some'; g(x)", `"one"`, `"two"`},
		{"import { x } from 'reads'; g(x)", "module of Node, which is not here", ""},
		{"import { x } from 'loops'; g(x)", "loops", ""},
		{"import { x } from 'tries'; g(x)", "MODULE_NOT_FOUND", ""},
		{"import path from 'node:path'; g(path.join)", "posix", ""},
		{"import { z } from 'zod'; g(z.string())", "zod", "large"},
		{"import { z } from 'zod'; g(z.string(), `import { z } from 'zod'`)", "import { z } from 'zod'", ""},
		{"const u = await import('main')", "main/lib/start", ""},
		{"export * from 'both'", "both/b", ""},
	} {
		var asked []string
		out, flaws := lower.Modules(c.src, lower.Options{Name: "t.ts", TypeScript: true}, folder(packages(), &asked))
		text := strings.ReplaceAll(out.Text, "'", `"`)
		if len(flaws) > 0 || !strings.Contains(text, strings.ReplaceAll(c.want, "'", `"`)) || c.gone != "" && strings.Contains(text, c.gone) {
			t.Errorf("%s: %v\n%s", c.src, flaws, out.Text)
		}
		for _, name := range asked {
			if err := lower.Importable(name); err != nil {
				t.Errorf("%s: asked for %s: %v", c.src, name, err)
			}
		}
	}
}

// TestPackagesThatAreRefused: no package leads out of itself, and each error says where it is.
func TestPackagesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ wanted, want, file string }{
		{"absent", "npm install absent", ""},
		{"exports/inner/a.js", "does not export", ""},
		{"exports/deep/secret", "does not export", ""},
		{"exports/none", "does not export", ""},
		{"exports/stop", "does not export", ""},
		{"exports/out", "no file of its own", ""},
		{"exports/link", "no file of its own", ""},
		{"outside", "no such import", "node_modules/outside/index.js"},
		{"climbs", "leads out of its package", "node_modules/climbs/index.js"},
		{"crosses", "leads out of its package", "node_modules/crosses/index.js"},
		{"escapes", "no file of package", ""},
		{"absolute", "", ""},
		{"binary", "there is no file", ""},
		{"broken", "package.json is no JSON object", ""},
		{"odd", "does not export", ""},
		{"swaps", "no file of its own", "node_modules/swaps/index.js"},
		{"trades", "no file of its own", ""},
		{"grows/" + strings.Repeat("a", 1000), "does not export", ""},
		{"deep", "nested too deep", ""},
		{"pipe", "named pipe", ""},
		{"main/../../secret.json", "no file of package", ""},
		{"main/none", "there is no file", ""},
		{"main/l\x00", "no path of a file", ""},
		{"./node_modules/main/other.js", "by the name of the package", ""},
		{"./lib/node_modules/main/other.js", "only from the node_modules of", ""},
		{"..\\main", "no name of a package", ""},
		{"@a", "no name of a package", ""},
		{".main", "no name of a package", ""},
		{"", "could not resolve", ""},
		{"#x", "there is no such import", ""},
		{"needs", "npm install not-there", "node_modules/needs/index.js"},
		{"states", "npm install not-there", "node_modules/states/index.mjs"},
		{"fs", "ctx.read", ""},
		{"node:fs/promises", "ctx.read", ""},
		{"node:other", "a module of Node", ""},
	} {
		var asked []string
		_, flaws := lower.Modules(fmt.Sprintf("import x from %q; g(x)", c.wanted), lower.Options{Name: "t.ts", TypeScript: true}, folder(packages(), &asked))
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

// TestPackagesTellTheirPlaces: places in packages are those of their files, whatever these say of
// where they come from, and what stands for Node's modules is nobody's.
func TestPackagesTellTheirPlaces(t *testing.T) {
	t.Parallel()
	src := "import { x } from 'maps';\nimport path from 'path';\ng(x, path)"
	var asked []string
	out, flaws := lower.Modules(src, lower.Options{Name: "t.ts", TypeScript: true}, folder(packages(), &asked))
	if len(flaws) > 0 {
		t.Fatal(flaws)
	}
	places := parsed(t, out.Map)
	for word, want := range map[string]string{"here()": "node_modules/maps/index.js", "normalize(joined)": lower.Ours, "g(import_maps": "t.ts"} {
		line, col := placeOf(out.Text, word)
		if source, _, _, _, _ := places.Source(line, col); source != want {
			t.Errorf("%s is of %q, want %q", word, source, want)
		}
	}
}

func TestPackageOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"node_modules/a/x.js": "node_modules/a", "node_modules/@a/b/c/x.js": "node_modules/@a/b", "node_modules/a/node_modules/b/x.js": "node_modules/a/node_modules/b",
		"a.js": "", "lib/node_modules/a/x.js": "", "node_modules": "", "node_modules/@a": "",
	} {
		if got := lower.PackageOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// FuzzManifest: whatever a package.json says, its package gives files of its own, or none.
func FuzzManifest(f *testing.F) {
	for name, text := range packages() {
		if strings.HasSuffix(name, "package.json") {
			f.Add(text, "main/lib/x")
		}
	}
	f.Fuzz(func(t *testing.T, text, wanted string) {
		files := packages()
		files["node_modules/main/package.json"] = text
		var asked []string
		_, _ = lower.Modules(fmt.Sprintf("import %q; import 'main'", strings.ToValidUTF8(wanted, "")), lower.Options{Name: "t.ts", TypeScript: true}, folder(files, &asked))
		for _, name := range asked {
			if err := lower.Importable(name); err != nil {
				t.Errorf("asked for %s: %v", name, err)
			}
		}
	})
}
