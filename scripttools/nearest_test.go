package scripttools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestMisspeltImports: an import of a file or a package that is not there proposes the one beside it
// that it may have meant, and nobody is told to install what has a misspelt name.
func TestMisspeltImports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, folder := range []string{"lib", "node_modules/yaml", "node_modules/@a/core", "node_modules/.yamls"} {
		if err := os.MkdirAll(filepath.Join(dir, "tools", filepath.FromSlash(folder)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"yaml", "@a/core", ".yamls"} {
		at := filepath.Join(dir, "tools", "node_modules", filepath.FromSlash(name))
		writeFile(t, filepath.Join(at, "package.json"), `{"name": "x", "type": "module", "main": "index.js"}`)
		writeFile(t, filepath.Join(at, "index.js"), "export const parse = 1, stringify = 2\n")
	}
	writeFile(t, filepath.Join(dir, "tools", "lib", "slug.ts"), "export const slug = 1\n")
	runner := newRunner(t)
	for wanted, want := range map[string]string{
		"{ x } from 'yamll'":                 "there is no package yamll in the node_modules of the tool file's folder; did you mean yaml?\n",
		"{ x } from 'yamls/a'":               "did you mean yaml?\n",
		"{ x } from '@a/cor'":                "did you mean @a/core?\n",
		"{ x } from 'react'":                 "npm install react\n",
		"{ x } from './lib/slgu.ts'":         "there is no such file in the folder of the tool file; did you mean ./lib/slug.ts?\n",
		"{ x } from './lib/slgu'":            "did you mean ./lib/slug.ts?\n",
		"{ x } from './lib/other.ts'":        "there is no such file in the folder of the tool file\n",
		"{ x } from './libb/slug.ts'":        "there is no such file in the folder of the tool file\n",
		"{ parze as x } from 'yaml'":         `no matching export in "node_modules/yaml/index.js" for import "parze"; did you mean "parse"?`,
		"{ sluk as x } from './lib/slug.ts'": `no matching export in "lib/slug.ts" for import "sluk"; did you mean "slug"?`,
	} {
		writeFile(t, filepath.Join(dir, "tools", "a.ts"), "/*---\nkind: script\ndescription: d\n---*/\nimport "+wanted+"\nexport default () => x\n")
		_, err := scripttools.LoadFile(t.Context(), runner, filepath.Join(dir, "tools", "a.ts"), dir)
		wantProblem(t, err, want)
	}
}
