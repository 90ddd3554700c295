//go:build unix

package scripttools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestSymbolicLinks: a link leads inside its folder or nowhere.
func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	const secret = "the text of a file outside"
	for _, c := range []struct {
		name  string
		links map[string]string // link → target; "ABS/" is the workspace
		want  []string          // empty: it loads
	}{
		{"1a-5 a tool file that leads outside", map[string]string{"tools/a.js": "../../outside/tool.js"},
			[]string{"tools/a.js: the symbolic link leads outside the tools directory"}},
		{"a tool file that leads elsewhere in the workspace", map[string]string{"tools/a.js": "../scripts/tool.js"},
			[]string{"tools/a.js: the symbolic link leads outside the tools directory"}},
		{"1a-6 a dangling link is told", map[string]string{"tools/a.md": "none.md"},
			[]string{"tools/a.md: the symbolic link leads nowhere"}},
		{"a link to itself", map[string]string{"tools/a.md": "a.md"}, []string{"tools/a.md: the symbolic link leads nowhere"}},
		{"1a-6 a link that stays inside", map[string]string{"tools/linked.js": "module.txt"}, nil},
		{"a link that stays inside by an absolute target", map[string]string{"tools/a.js": "ABS/tools/module.txt"},
			[]string{"tools/a.js: the symbolic link leads back here"}},
		{"other links are not looked at", map[string]string{"tools/a.txt": "/none", "tools/b": "../../outside"}, nil},
		{"a script that leads outside the workspace", map[string]string{"scripts/x.js": "../../outside/tool.js", "tools/m.md": "module.md"},
			[]string{"tools/m.md:3:7", "leads outside the workspace"}},
		{"a script behind a folder that leads outside", map[string]string{"scripts/sub": "../../outside", "tools/m.md": "sub.md"},
			[]string{"tools/m.md:3:7", "leads outside the workspace"}},
		{"a script behind a link that stays inside", map[string]string{"scripts/x.js": "tool.js", "tools/m.md": "module.md"}, nil},
		{"a script behind a link with an absolute target", map[string]string{"scripts/x.js": "ABS/scripts/tool.js", "tools/m.md": "module.md"},
			[]string{"tools/m.md:3:7", "absolute target"}},
		{"WA13 the tools directory leads outside the workspace", map[string]string{"tools": "../outside"},
			[]string{"a symbolic link leads the tools directory out of"}},
		{"the tools directory leads elsewhere in the workspace", map[string]string{"tools": "scripts"}, nil},
		{"the tools directory is the workspace", map[string]string{"tools": "."}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			dir := filepath.Join(base, "workspace")
			write(t, base, map[string]string{
				"outside/tool.js":              tool("description: " + secret),
				"workspace/scripts/tool.js":    tool("name: inside", "description: d"),
				"workspace/module.md":          md("path: scripts/x.js"),
				"workspace/tools/module.md":    "",
				"workspace/tools/module.txt":   tool("name: linked", "description: d"),
				"workspace/tools/readme.md":    "text",
				"workspace/tools/sub.md.later": "",
			})
			if err := os.Remove(filepath.Join(dir, "tools/module.md")); err != nil {
				t.Fatal(err)
			}
			for link, target := range c.links {
				path := filepath.Join(dir, filepath.FromSlash(link))
				switch {
				case link == "tools":
					if err := os.RemoveAll(path); err != nil {
						t.Fatal(err)
					}
					if err := os.Remove(filepath.Join(dir, "module.md")); err != nil {
						t.Fatal(err)
					}
				case strings.HasSuffix(link, "m.md"):
					script := "scripts/x.js"
					if target == "sub.md" {
						script = "scripts/sub/tool.js"
					}
					write(t, dir, map[string]string{link: md("path: " + script)})
					continue
				}
				if err := os.Symlink(strings.ReplaceAll(target, "ABS/", dir+"/"), path); err != nil {
					t.Fatal(err)
				}
			}
			_, err := scripttools.Load(t.Context(), newRunner(t), scripttools.Dir{Path: filepath.Join(dir, "tools"), Workspace: dir})
			if len(c.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantProblem(t, err, c.want...)
			if strings.Contains(err.Error(), secret) {
				t.Errorf("1a-7 the error carries text from outside: %v", err)
			}
		})
	}
}
