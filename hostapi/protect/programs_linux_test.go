package protect

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestProgramsOfAnySettingAreHeld: whatever the setting is called, and however the program is
// named in it.
func TestProgramsOfAnySettingAreHeld(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		"core.pager ./tools/p", "pager.log ./tools/p", "interactive.diffFilter ./tools/p", "core.alternateRefsCommand ./tools/p", "remote.o.receivepack ./tools/p",
		"remote.o.uploadpack tools/p", "mergetool.x.cmd ./tools/p", "mergetool.x.path tools/p", "difftool.x.cmd ./tools/p", "core.gitProxy './tools/p for example.com'",
		"credential.helper '!sh tools/p'", "credential.https://example.com.helper '!tools/p'", "gpg.program tools/p", "gpg.ssh.defaultKeyCommand ./tools/p", "diff.x.command tools/p",
		"diff.x.textconv tools/p", "filter.x.smudge tools/p", "merge.x.driver 'tools/p %O'", "trailer.x.cmd ./tools/p", "sequence.editor tools/p", "web.browser tools/p", "browser.x.cmd tools/p",
		"man.x.cmd tools/p", "imap.tunnel tools/p", "sendemail.sendmailCmd ./tools/p", "uploadpack.packObjectsHook tools/p", "remote.o.url 'ext::./tools/p %S'",
		"'url.ext::./tools/p %S.insteadOf' https://example.com/", "core.sshCommand 'ssh -o ProxyCommand=./tools/p'", "core.editor 'env X=1 sh -c \"$(tools/p)\"'", "init.templateDir ./tools/p",
		"alias.x '!tools/p'", "core.attributesFile tools/p", "not.known tools/p", "core.fsmonitor 'sh p'",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "mkdir tools; touch tools/p p; git config "+setting)
			want := filepath.Join(dir, "tools", "p")
			if strings.HasSuffix(setting, "'sh p'") {
				want = filepath.Join(dir, "p")
			}
			v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
			defer v.Leave()
			if !slices.Contains(v.Held, want) {
				t.Errorf("held: %q", v.Held)
			}
		})
	}
}

// TestSettingsThatRunNothingHoldNothing: a folder that is only named can be written.
func TestSettingsThatRunNothingHoldNothing(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir sub; touch sub/f f; git config safe.directory $PWD/sub; git config maintenance.repo $PWD/sub; git config remote.o.url ./sub; git config core.excludesFile sub/f; git config user.name a/../sub; git config core.pager f; "+
		"mkdir docs; echo x > package.json; echo x > .gitignore; git config branch.docs/guide.vscode-merge-base origin/main; git config branch.sub.pushRemote origin; git config submodule.sub.update rebase; "+
		"git config alias.d 'diff HEAD~1 -- package.json'; git config alias.ign '!f() { echo \"$1\" >> .gitignore; }; f'; git config x.y docs")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	defer v.Leave()
	for _, path := range []string{"sub", "sub/f", "f", "docs", "docs/guide", "package.json", ".gitignore"} {
		if slices.Contains(v.Held, filepath.Join(dir, path)) {
			t.Errorf("%s is held", path)
		}
	}
}

// TestNamesOfAHomeThatLeadIntoTheWorkspace: a file in the workspace to which a link of a home leads is
// kept as the name there is, and one that comes there goes.
func TestNamesOfAHomeThatLeadIntoTheWorkspace(t *testing.T) {
	t.Parallel()
	const dot = "mkdir -p dot/git dot/bash dot/config/git; touch dot/git/gitconfig dot/bash/.bashrc dot/config/git/config; "
	for name, c := range map[string]struct{ before, held, line, gone string }{
		"a file":                {"ln -s dot/git/gitconfig .gitconfig", "dot/git/gitconfig", "", ""},
		"another":               {"ln -s dot/bash/.bashrc .bashrc", "dot/bash/.bashrc", "", ""},
		"its folder":            {"ln -s dot/config .config", "dot/config/git", "", ""},
		"a link to a link":      {"ln -s git/gitconfig dot/l; ln -s dot/l .gitconfig", "dot/git/gitconfig", "ln -sf bash/.bashrc dot/l", ""},
		"a link in it":          {"touch dot/git/config; mkdir -p .config/git; ln -s ../../dot/git/config .config/git/config", "dot/git/config", "", ""},
		"a link deep in it":     {"touch dot/x.service; mkdir -p .config/systemd/user/y.wants; ln -s ../../../../dot/x.service .config/systemd/user/y.wants/x.service", "dot/x.service", "", ""},
		"what was not there":    {"ln -s dot/config .config", "", "mkdir dot/config/fish; echo evil > dot/config/fish/config.fish", "dot/config/fish"},
		"a file that was not":   {"ln -s dot/zsh/.zshrc .zshrc; mkdir dot/zsh", "", "echo evil > dot/zsh/.zshrc", "dot/zsh/.zshrc"},
		"a folder that was not": {"ln -s dot/zsh/.zshrc .zshrc", "", "mkdir dot/zsh; echo evil > dot/zsh/.zshrc", "dot/zsh/.zshrc"},
	} {
		for place, where := range map[string]func(home string) (string, Folders){
			"the workspace": func(home string) (string, Folders) {
				return filepath.Join(home, "dot"), Folders{Cwd: filepath.Join(home, "dot")}
			},
			"a folder of write": func(home string) (string, Folders) {
				return filepath.Join(home, "work"), Folders{Cwd: filepath.Join(home, "work"), Further: []string{filepath.Join(home, "dot")}}
			},
			"the home": func(home string) (string, Folders) { return home, Folders{Cwd: home} },
		} {
			t.Run(name+" in "+place, func(t *testing.T) {
				t.Parallel()
				home := newRepository(t, "mkdir work; "+dot+c.before)
				workspace, folders := where(home)
				v := enter(t, newGuard(t, workspace, Paths{Homes: []string{home}}), folders)
				if c.held != "" && !slices.Contains(v.Held, filepath.Join(home, c.held)) {
					t.Errorf("held: %q", v.Held)
				}
				before := tree(t, filepath.Join(home, "dot"))
				if c.line != "" {
					sh(t, home, c.line)
				}
				away := v.Leave()
				if isThere(filepath.Join(home, c.gone)) && c.gone != "" || (len(away) > 0) != (c.line != "") || tree(t, filepath.Join(home, "dot")) != before {
					t.Errorf("%+v", away)
				}
			})
		}
	}
}

// TestPartsOfAHomeThatLieElsewhere: what a variable such as XDG_CONFIG_HOME names counts as the part of a
// home does, for commands and for tools, and git's configuration there is followed.
func TestPartsOfAHomeThatLieElsewhere(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p w/hooks xdg/git xdg/other; git init -q w; touch w/p; printf '[core]\n\thooksPath = '$PWD'/w/hooks\n\tpager = '$PWD'/w/p\n' > xdg/git/config")
	xdg, work := filepath.Join(dir, "xdg"), filepath.Join(dir, "w")
	paths := Paths{Homes: []string{dir}, Elsewhere: map[string]string{xdg: ".config"}}
	v := enter(t, newGuard(t, work, paths), Folders{Cwd: work, Further: []string{xdg}})
	for path, held := range map[string]bool{"xdg/git": true, "xdg/other": false, "w/hooks": true, "w/p": true} {
		if slices.Contains(v.Held, filepath.Join(dir, path)) != held {
			t.Errorf("%s: held is %q", path, v.Held)
		}
	}
	sh(t, dir, "mkdir xdg/fish; echo evil > xdg/fish/config.fish")
	if away := v.Leave(); len(away) != 1 || away[0].Path != "../xdg/fish" || isThere(filepath.Join(xdg, "fish")) {
		t.Errorf("%+v", away)
	}
	for _, path := range []string{"git/config", "fish/config.fish"} {
		by, ok := paths.Match(dir, filepath.Join(xdg, path))
		if in, at := paths.AtHome(filepath.Join(xdg, path)); !ok || !at || by.Except != in.Except || !strings.HasPrefix(by.Except, ".config/") {
			t.Errorf("%s: %+v, %+v", path, by, in)
		}
	}
}

// TestLinksInProtectedFoldersAreFollowed: what a link in a folder of the table leads to is
// kept as what lies in it.
func TestLinksInProtectedFoldersAreFollowed(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p common .vscode .husky/sub; touch common/tasks common/pc common/other; ln -s ../common/tasks .vscode/tasks.json; ln -s ../../common/pc .husky/sub/pre-commit")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	defer v.Leave()
	for path, held := range map[string]bool{"common/tasks": true, "common/pc": true, "common/other": false} {
		if slices.Contains(v.Held, filepath.Join(dir, path)) != held {
			t.Errorf("%s: held is %q", path, v.Held)
		}
	}
}
