//go:build linux

package protect

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// startUpFiles run when somebody starts an interpreter, a shell, an editor or a session, in
// the folder or with it as home.
var startUpFiles = []string{
	".local/lib/python3.12/site-packages/x.pth", ".local/lib/python3.12/site-packages/sitecustomize.py", ".local/lib/python3.9/site-packages/usercustomize.py", "Library/Python/3.9/lib/python/site-packages/x.pth",
	".ipython/profile_default/startup/x.py", ".jupyter/jupyter_server_config.py", ".pdbrc", ".Rprofile", ".Renviron", ".julia/config/startup.jl", ".irbrc", ".config/irb/irbrc", ".pryrc", ".perldb", ".ghci", ".iex.exs", ".psqlrc", ".sqliterc",
	".emacs.el", ".config/vim/vimrc", ".config/VSCodium/User/tasks.json", ".vscode/tasks.json", ".envrc", ".config/fish/config.fish", ".local/share/fish/vendor_conf.d/x.fish", ".p10k.zsh", ".cargo/env", ".config/git/config",
	".config/systemd/user/x.service", ".local/share/systemd/user/x.service", ".config/autostart/x.desktop", ".config/autostart-scripts/x", ".local/share/dbus-1/services/x.service", ".config/hypr/hyprland.conf", "Library/LaunchAgents/x.plist", ".forward", ".condarc",
	".pre-commit-config.yaml", "lefthook.yml", ".lefthook/pre-commit/x", ".overcommit.yml", ".RData", "_irbrc", "$irbrc", "irb.rc", "jupyter_server_config.py", "jupyter_config.json",
	".config/bash_completion", ".selected_editor", ".gnomerc", ".spacemacs", ".mavenrc", ".asdfrc", ".gitk", ".conkyrc", ".config/containers/systemd/x.container",
	".amp/settings.json", ".factory/mcp.json", ".junie/mcp/mcp.json", ".claude.json", ".copilot/mcp-config.json", ".codeium/windsurf/mcp_config.json", ".config/opencode/opencode.json", ".config/crush/crush.json", ".config/goose/config.yaml", ".config/amp/settings.json",
	".fzf.bash", ".fzf.zsh", ".zinit/bin/zinit.zsh", ".local/share/zinit/zinit.git/zinit.zsh", ".zplug/init.zsh", ".tmux/plugins/tpm/tpm", ".git-prompt.sh", ".git-completion.bash", ".cache/gitstatus/gitstatusd-linux-x86_64",
	".nvm/nvm.sh", ".asdf/asdf.sh", ".sdkman/bin/sdkman-init.sh", ".deno/env", ".ghcup/env", ".opam/opam-init/init.sh",
	".less", ".lessfilter", ".config/lessfilter", ".logout", ".nvm/bash_completion", ".bun/_bun", ".config/broot/launcher/bash/br", ".rvm/scripts/rvm", ".gvm/scripts/gvm", ".antigen/x", ".antidote/x", ".zgen/x", ".zgenom/x", ".znap/x", ".sheldon/x", ".config/sheldon/plugins.toml",
	".fzf/shell/key-bindings.bash", ".config/go/env", ".docker/cli-plugins/docker-x", ".local/share/gh/extensions/gh-x/gh-x", ".duckdbrc", ".mongoshrc.js", ".config/pipewire/pipewire.conf", ".config/wireplumber/x", ".asoundrc", ".config/user-tmpfiles.d/x.conf", ".kde/Autostart/x", ".local/share/nautilus-python/extensions/x.py",
	".xinputrc", ".vnc/xstartup", ".rvmrc", "x.code-workspace",
	".config/qtile/config.py", ".local/share/gnome-shell/extensions/x/extension.js", ".local/share/nvim/lazy/x/plugin/x.lua",
}

// TestNamesThatBeginAlike: in a home each name counts that begins as a row of the table says, also
// with a machine's name in it; what existed is held, and what a command makes does not stay.
func TestNamesThatBeginAlike(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	sh(t, dir, "mkdir home; cd home; touch .zcompdump .zcompdump-box-5.9 .zshx; mkdir .cache; touch .cache/p10k-dump-me.zsh .cache/x")
	for _, workspace := range []string{home, dir} {
		g := newGuard(t, workspace, Paths{Homes: []string{home}})
		visit := enter(t, g, Folders{Cwd: workspace})
		for name, row := range map[string]string{".zcompdump": ".zcompdump*", ".zcompdump-box-5.9": ".zcompdump*", ".cache/p10k-dump-me.zsh": ".cache/p10k-*"} {
			if !slices.Contains(visit.Held, filepath.Join(home, name)) {
				t.Errorf("%s is not held: %q", name, visit.Held)
			}
			if by, ok := g.paths.Match(home, filepath.Join(home, name)); !ok || by.Except != row {
				t.Errorf("tools write %s: %+v", name, by)
			}
		}
		sh(t, home, "touch .zcompdump.zwc .zcompdump-other-5.9.zwc .zshy .cache/p10k-instant-prompt-me.zsh .cache/y; mkdir -p p/.cache; touch p/.zcompdump p/.cache/p10k-x")
		if away := visit.Leave(); len(away) != 3 || isThere(filepath.Join(home, ".cache/p10k-instant-prompt-me.zsh")) || !isThere(filepath.Join(home, ".cache/y")) || isThere(filepath.Join(home, ".zcompdump.zwc")) || isThere(filepath.Join(home, ".zcompdump-other-5.9.zwc")) || !isThere(filepath.Join(home, ".zshy")) {
			t.Errorf("%+v", away)
		}
	}
	cache := filepath.Join(dir, "cache")
	sh(t, dir, "mkdir cache; touch cache/p10k-dump-me.zsh cache/x; mkdir home/.cargo; touch home/.cargo/config.toml")
	g := newGuard(t, dir, Paths{Homes: []string{home}, Elsewhere: map[string][]string{cache: {".cache"}}})
	visit := enter(t, g, Folders{Cwd: dir})
	for _, name := range []string{"cache/p10k-dump-me.zsh", "home/.cargo/config.toml"} {
		if !slices.Contains(visit.Held, filepath.Join(dir, name)) {
			t.Errorf("%s is not held: %q", name, visit.Held)
		}
	}
	sh(t, dir, "touch cache/p10k-instant-prompt-me.zsh cache/y")
	if away := visit.Leave(); len(away) != 1 || away[0].Path != "cache/p10k-instant-prompt-me.zsh" {
		t.Errorf("%+v", away)
	}
	excepted := Paths{Homes: []string{home}, Except: []string{".zcompdump*"}}
	if err := excepted.Check(home); err != nil {
		t.Error(err)
	}
	if visit := enter(t, newGuard(t, home, excepted), Folders{Cwd: home}); slices.Contains(visit.Held, filepath.Join(home, ".zcompdump")) {
		t.Error("the exception counts for nothing")
	} else {
		visit.Leave()
	}
}

// TestNamesThatEndAlike: in any folder each name counts that ends as a row of the table says.
func TestNamesThatEndAlike(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "touch mine.code-workspace code-workspace; mkdir -p .cargo .gradle sub")
	g := newGuard(t, dir, Paths{})
	visit := enter(t, g, Folders{Cwd: dir})
	if !slices.Contains(visit.Held, filepath.Join(dir, "mine.code-workspace")) || slices.Contains(visit.Held, filepath.Join(dir, "code-workspace")) {
		t.Errorf("held: %q", visit.Held)
	}
	for name, want := range map[string]bool{"sub/X.Code-Workspace": true, ".code-workspace": true, "a.code-workspace/x": true, "a.code-workspace2": false, "code-workspace": false} {
		if by, ok := g.paths.Match(dir, filepath.Join(dir, name)); ok != want || ok && by.Except != "*.code-workspace" {
			t.Errorf("%s: %+v, %t", name, by, ok)
		}
	}
	sh(t, dir, "touch new.code-workspace .cargo/config.toml .gradle/init.gradle") // the last two count in homes alone
	if away := visit.Leave(); len(away) != 1 || away[0].Path != "new.code-workspace" || away[0].Name() != "*.code-workspace" {
		t.Errorf("%+v", away)
	}
	excepted := Paths{Except: []string{"*.code-workspace"}}
	if err := excepted.Check(dir); err != nil {
		t.Error(err)
	}
	if visit := enter(t, newGuard(t, dir, excepted), Folders{Cwd: dir}); slices.Contains(visit.Held, filepath.Join(dir, "mine.code-workspace")) {
		t.Error("the exception counts for nothing")
	}
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
