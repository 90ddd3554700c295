package scripttools_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestHeadersNeedNothing: no runner, no script that parses, no host tool.
func TestHeadersNeedNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"tools/a.js":   "/*---\nkind: script\nname: first\ndescription: One.\nallowed_tools: [mcp__x__y, 'bash(git *)', bash, nosuch]\n---*/\nthis is (no script",
		"tools/b.md":   "---\nkind: script\npath: scripts/gone.js\n---\nTwo.\n",
		"tools/c.js":   "export default () => 1",
		"tools/d.md":   "---\nkind: mcp\ncommand: x\n---\n",
		"tools/e.js":   "/*---\nkind: nothing\ndescription: d\n---*/\n",
		"tools/bad.js": "/*---\nkind: [\n---*/\n",
		"tools/x.ts":   "1",
	})
	got := scripttools.Headers(scripttools.Dir{Path: filepath.Join(dir, "tools")})
	if len(got) != 2 || got[0].Name != "first" || got[0].Description != "One." || got[1].Name != "b" || got[1].Description != "Two." {
		t.Fatalf("got %+v", got)
	}
	if want := []string{"mcp__x__y", "bash", "nosuch"}; !slices.Equal(got[0].Tools, want) {
		t.Errorf("got %q, want %q", got[0].Tools, want)
	}
	if one := scripttools.Headers(scripttools.Dir{Path: filepath.Join(dir, "tools", "a.js")}); len(one) != 1 || one[0].Name != "first" {
		t.Errorf("got %+v", one)
	}
	if none := scripttools.Headers(scripttools.Dir{Path: filepath.Join(dir, "nowhere")}); len(none) != 0 {
		t.Errorf("got %+v", none)
	}
}
