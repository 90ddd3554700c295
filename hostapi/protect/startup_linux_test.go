//go:build linux

package protect

import (
	"os"
	"path/filepath"
	"testing"
)

// startUpFiles run when somebody starts an interpreter, a shell, an editor or a session, in
// the folder or with it as home.
var startUpFiles = []string{
	".local/lib/python3.12/site-packages/x.pth", ".local/lib/python3.12/site-packages/sitecustomize.py", ".local/lib/python3.9/site-packages/usercustomize.py", "Library/Python/3.9/lib/python/site-packages/x.pth",
	".ipython/profile_default/startup/x.py", ".jupyter/jupyter_server_config.py", ".pdbrc", ".Rprofile", ".Renviron", ".julia/config/startup.jl", ".irbrc", ".config/irb/irbrc", ".pryrc", ".perldb", ".ghci", ".iex.exs", ".psqlrc", ".sqliterc",
	".emacs.el", ".config/vim/vimrc", ".config/VSCodium/User/tasks.json", ".vscode/tasks.json", ".envrc", ".config/fish/config.fish", ".local/share/fish/vendor_conf.d/x.fish", ".p10k.zsh", ".cargo/env", ".config/git/config",
	".config/systemd/user/x.service", ".local/share/systemd/user/x.service", ".config/autostart/x.desktop", ".config/autostart-scripts/x", ".local/share/dbus-1/services/x.service", ".config/hypr/hyprland.conf", "Library/LaunchAgents/x.plist", ".forward", ".condarc",
}

// TestStartUpFiles: what a command makes of them in a workspace does not stay, and no file
// tool writes them.
func TestStartUpFiles(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p .local/share .config")
	g := newGuard(t, dir, Paths{})
	for _, name := range startUpFiles {
		if _, ok := g.paths.Match(dir, filepath.Join(dir, name)); !ok {
			t.Errorf("tools write %s", name)
		}
	}
	visit := enter(t, g, Folders{Cwd: dir})
	for _, name := range startUpFiles {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("evil"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	visit.Leave()
	for _, name := range startUpFiles {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s stayed", name)
		}
	}
}
