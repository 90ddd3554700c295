package scripttools_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// names are those of a catalog's tools.
func names(c *scripttools.Catalog) (all []string) {
	for spec := range c.All() {
		all = append(all, spec.Name)
	}
	return all
}

// TestScriptsThatCannotBeReadKeepTheirTool: what is wrong is in another file than the tool's own.
func TestScriptsThatCannotBeReadKeepTheirTool(t *testing.T) {
	t.Parallel()
	const script = "export default () => 1\n"
	dir := t.TempDir()
	write(t, dir, map[string]string{"tools/g.md": "---\nkind: script\ndescription: d\npath: lib/g.js\n---\n", "lib/g.js": script})
	runner, tools := newRunner(t), scripttools.Dir{Path: filepath.Join(dir, "tools")}
	first, err := scripttools.Reload(t.Context(), runner, tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\xff", "export default ("} {
		if err := os.WriteFile(filepath.Join(dir, "lib", "g.js"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		second, err := scripttools.Reload(t.Context(), runner, tools, first)
		if !slices.Equal(slices.Collect(second.All()), slices.Collect(first.All())) || !errors.As(err, new(*scripttools.LoadError)) {
			t.Errorf("%q: %q, %v", text, names(second), err)
		}
		if second, err := scripttools.Reload(t.Context(), runner, tools, nil); second.Len() > 0 || err == nil {
			t.Errorf("%q, without another before: %q, %v", text, names(second), err)
		}
	}
}

// TestToolsAreAsLoaded until one of their files is another, or is no longer accepted.
func TestToolsAreAsLoaded(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tools/own.js": "/*---\nkind: script\ndescription: d\n---*/\nimport './part.js'\nexport default () => 1\n", "tools/part.js": "export const x = 1\n",
		"tools/far.md": "---\nkind: script\ndescription: d\npath: lib/far.js\n---\n", "lib/far.js": "import './near.js'\nexport default () => 1\n", "lib/near.js": "",
	}
	for name := range files {
		dir := t.TempDir()
		write(t, dir, files)
		runner := newRunner(t)
		var asked []string
		var refused error
		tools := scripttools.Dir{Path: filepath.Join(dir, "tools"), Accept: func(file string) error {
			rel, _ := filepath.Rel(dir, file)
			asked = append(asked, filepath.ToSlash(rel))
			return refused
		}}
		catalog, err := scripttools.Reload(t.Context(), runner, tools, nil)
		if err != nil || catalog.Len() != 2 || !catalog.AsLoaded(tools, nil) {
			t.Fatalf("%q, %v", names(catalog), err)
		}
		if slices.Sort(asked); !slices.Equal(slices.Compact(asked), []string{"lib/far.js", "lib/near.js", "tools/far.md", "tools/own.js", "tools/part.js"}) {
			t.Errorf("it asks for %q", asked)
		}
		refused = errors.New("no")
		if catalog.AsLoaded(tools, nil) || !catalog.AsLoaded(tools, catalog) {
			t.Error("what is not accepted any more is as it was")
		}
		if other, err := scripttools.Reload(t.Context(), runner, tools, nil); other.Len() != 0 || err == nil {
			t.Errorf("%q are accepted, %v", names(other), err)
		}
		refused = nil
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(files[name]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if catalog.AsLoaded(tools, nil) {
			t.Errorf("%s is another, and nothing says so", name)
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
		if catalog.AsLoaded(tools, nil) {
			t.Errorf("%s is gone, and nothing says so", name)
		}
	}
}

// TestDirectoriesAreAsLoaded until a file comes or goes, or a broken one changes.
func TestDirectoriesAreAsLoaded(t *testing.T) {
	t.Parallel()
	runner := newRunner(t)
	load := func(dir scripttools.Dir) *scripttools.Catalog {
		catalog, _ := scripttools.Reload(t.Context(), runner, dir, nil) // one file is broken
		if catalog.Len() != 1 || !catalog.AsLoaded(dir, nil) {
			t.Fatalf("%q", names(catalog))
		}
		return catalog
	}
	for what, change := range map[string]func(dir string) error{
		"comes":              func(dir string) error { return os.WriteFile(filepath.Join(dir, "new.js"), nil, 0o600) },
		"goes":               func(dir string) error { return os.Remove(filepath.Join(dir, "a.js")) },
		"is mended":          func(dir string) error { return os.WriteFile(filepath.Join(dir, "b.js"), nil, 0o600) },
		"the directory goes": os.RemoveAll,
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"tools/a.js": "/*---\nkind: script\ndescription: d\n---*/\nexport default () => 1\n", "tools/b.js": "/*---\nkind: script\n:\n"})
		tools := scripttools.Dir{Path: filepath.Join(dir, "tools")}
		catalog := load(tools)
		if err := change(tools.Path); err != nil {
			t.Fatal(err)
		}
		if catalog.AsLoaded(tools, nil) || catalog.AsLoaded(tools, catalog) {
			t.Errorf("%s: nothing says so", what)
		}
	}
}
