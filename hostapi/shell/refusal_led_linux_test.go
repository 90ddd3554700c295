package shell_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatLinksLeadToIsAdvised: a file of the workspace is read-only because a link of the home
// or a setting leads there, and the result names the setting that allows to write it.
func TestWhatLinksLeadToIsAdvised(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for name, c := range map[string]struct{ line, want string }{
		"written":           {"echo b >> bashrc", `probably refused writing bashrc (bash runs it); allow it with [sandbox] unprotect = [".bashrc"]`},
		"replaced":          {"sed -i s/a/b/ bashrc", `writing bashrc (bash runs it); allow it with [sandbox] unprotect = [".bashrc"]`},
		"by git":            {"git config -f gitconfig alias.x status", `unprotect = [".gitconfig"]`},
		"in a folder":       {"echo b >> nvim/init.lua", `writing nvim/init.lua (Neovim runs it); allow it with [sandbox] unprotect = [".config/nvim"]`},
		"of a setting":      {"echo b >> hooks/pre-push", `unprotect = [".git/hooks"]`},
		"and goes on":       {"echo b >> bashrc; true", `unprotect = [".bashrc"]`},
		"what nothing says": {"echo b >> other", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			command(t, home, `mkdir -p dot/nvim dot/hooks .config; cd dot; git init -q; echo a | tee bashrc other nvim/init.lua hooks/pre-push >/dev/null; echo > gitconfig
				git config core.hooksPath hooks; ln -s dot/bashrc ../.bashrc; ln -s dot/gitconfig ../.gitconfig; ln -s ../dot/nvim ../.config/nvim`)
			tool := newTool(t)
			tool.Dir, tool.Env = filepath.Join(home, "dot"), append(tool.Env, "HOME="+home)
			result, _ := run(t, tool, c.line)
			if said := strings.Join(result.Notes, "\n"); !strings.Contains(said, c.want) || (said == "") != (c.want == "") {
				t.Errorf("%q, expected %q\n%s", said, c.want, result.Output)
			}
		})
	}
}
