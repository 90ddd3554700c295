package protect

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestProgramsOfAnySettingAreHeld: whatever the setting is called, and however it names the
// program.
func TestProgramsOfAnySettingAreHeld(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		"core.pager ./tools/p", "pager.log ./tools/p", "interactive.diffFilter ./tools/p", "core.alternateRefsCommand ./tools/p", "remote.o.receivepack ./tools/p",
		"remote.o.uploadpack tools/p", "mergetool.x.cmd ./tools/p", "mergetool.x.path tools/p", "difftool.x.cmd ./tools/p", "core.gitProxy './tools/p for example.com'",
		"credential.helper '!sh tools/p'", "credential.https://example.com.helper '!tools/p'", "gpg.program tools/p", "gpg.ssh.defaultKeyCommand ./tools/p", "diff.x.command tools/p",
		"diff.x.textconv tools/p", "filter.x.smudge tools/p", "merge.x.driver 'tools/p %O'", "trailer.x.cmd ./tools/p", "sequence.editor tools/p", "web.browser tools/p", "browser.x.cmd tools/p",
		"man.x.cmd tools/p", "imap.tunnel tools/p", "sendemail.sendmailCmd ./tools/p", "uploadpack.packObjectsHook tools/p", "remote.o.url 'ext::./tools/p %S'",
		"'url.ext::./tools/p %S.insteadOf' https://example.com/", "core.sshCommand 'ssh -o ProxyCommand=./tools/p'", "core.editor 'env X=1 sh -c \"$(tools/p)\"'", "init.templateDir ./tools/p",
		"alias.x '!tools/p'", "core.attributesFile tools/p", "not.known tools/p", "core.pager '\"$(git rev-parse --show-toplevel)\"/tools/p'",
		"alias.x '!$ROOT/tools/p'", "alias.x '!\"${ROOT}/tools/p\" x'", "core.fsmonitor 'sh p'",
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

// TestProgramsOfAliasesAreHeld: git's own commands run programs and take settings too.
func TestProgramsOfAliasesAreHeld(t *testing.T) {
	t.Parallel()
	for alias, held := range map[string]string{
		"rebase --exec ./tools/p HEAD~1": "tools/p", "rebase -x tools/p": "tools/p", "rebase -xtools/p": "tools/p", "rebase -x \"sh tools/f\"": "tools/f", "rebase -x \"tools/p && true\"": "tools/p",
		"-c core.pager=./tools/p log": "tools/p", "-c core.fsmonitor=tools/f status": "tools/f", "-c \"core.editor=sh tools/f\" commit": "tools/f", "-c include.path=$PWD/tools/f status": "tools/f",
		"-c core.hooksPath=./hk commit": "hk", "-c alias.y=!tools/f y": "tools/f", "--exec-path=$PWD/hk status": "hk", "init --template=hk": "hk", "clone --template hk": "hk", "clone --config core.hooksPath=hk": "hk",
		"grep -O./tools/p x": "tools/p", "grep -nOtools/p x": "tools/p", "difftool -x ./tools/p": "tools/p", "difftool --extcmd=tools/p": "tools/p", "bisect run ./tools/p": "tools/p", "bisect run sh tools/f": "tools/f",
		"submodule foreach $PWD/tools/p": "tools/p", "push --receive-pack=tools/p": "tools/p", "!git -c core.hooksPath=hk commit": "hk", "!sh -c \"git -c core.hooksPath=hk commit\"": "hk",
		"rebase -x \"my\\ tools/p\"": "my tools/p",
	} {
		t.Run(alias, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "mkdir tools hk 'my tools'; touch tools/p tools/f 'my tools/p'; chmod +x */p")
			sh(t, dir, "git config alias.x '"+strings.ReplaceAll(alias, "$PWD", dir)+"'")
			v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
			defer v.Leave()
			if !slices.Contains(v.Held, filepath.Join(dir, held)) {
				t.Errorf("held: %q", v.Held)
			}
		})
	}
}

// TestProgramsWithBlanksAreHeld: git runs some programs by a shell and others directly.
func TestProgramsWithBlanksAreHeld(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "a'b", "a=b, (1) $c"} {
		for _, value := range []string{"DIR/p", "\"DIR/p\" -x", "x --with=\"DIR/p\"", "sh -c \"'DIR/p' x\"", "\"DIR\"/p", "!\"DIR/p\""} {
			t.Run(name+" in "+value, func(t *testing.T) {
				t.Parallel()
				if strings.Contains(value, "'") && strings.Contains(name, "'") {
					return // as no shell has it
				}
				dir := newRepository(t, "mkdir \""+strings.ReplaceAll(name, "$", "\\$")+"\"")
				program := filepath.Join(dir, name, "p")
				if err := os.WriteFile(program, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "config", "core.fsmonitor", strings.ReplaceAll(value, "DIR", filepath.Dir(program))).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
				defer v.Leave()
				if !slices.Contains(v.Held, program) {
					t.Errorf("held: %q", v.Held)
				}
			})
		}
	}
}

// TestFoldersThatGitRunsFromAreHeld: with the targets of links in them.
func TestFoldersThatGitRunsFromAreHeld(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"core.hooksPath t", "init.templateDir t", "init.templateDir $PWD/t", "instaweb.modulePath t"} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "mkdir -p t/hooks s; touch s/one s/two s/three; ln -s ../s/one t/one; ln -s ../../s/two t/hooks/two; git config "+setting)
			v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
			defer v.Leave()
			for path, held := range map[string]bool{"t": true, "s/one": true, "s/two": true, "s/three": false} {
				if slices.Contains(v.Held, filepath.Join(dir, path)) != held {
					t.Errorf("%s: held are %q", path, v.Held)
				}
			}
		})
	}
}

// TestTheUsersSettingsCountWithoutARepository: in the workspace and in folders of write.
func TestTheUsersSettingsCountWithoutARepository(t *testing.T) { // alone, because it sets the home
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	sh(t, home, "mkdir work w w/hooks w/t; touch w/t/fs w/t/pg w/t/ed w/inc w/other; git config --global core.pager '\"$HOME\"/w/t/pg'; git config --global core.editor '${HOME}/w/t/ed -w'; git config --global core.hooksPath $PWD/w/hooks; git config --global core.fsmonitor $PWD/w/t/fs; git config --global include.path '~/w/inc'")
	for name, where := range map[string]struct {
		workspace string
		further   []string
	}{"the workspace": {"w", nil}, "a folder of write": {"work", []string{filepath.Join(home, "w")}}} {
		t.Run(name, func(t *testing.T) {
			workspace := filepath.Join(home, where.workspace)
			v := enter(t, newGuard(t, workspace, Paths{}), Folders{Cwd: workspace, Further: where.further})
			defer v.Leave()
			for path, held := range map[string]bool{"w/hooks": true, "w/t/fs": true, "w/t/pg": true, "w/t/ed": true, "w/inc": true, "w/other": false} {
				if slices.Contains(v.Held, filepath.Join(home, path)) != held {
					t.Errorf("%s: held are %q", path, v.Held)
				}
			}
		})
	}
}

// TestSettingsThatRunNothingHoldNothing: a folder that is only named can be written.
func TestSettingsThatRunNothingHoldNothing(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir sub; touch sub/f f; git config safe.directory $PWD/sub; git config maintenance.repo $PWD/sub; git config remote.o.url ./sub; git config core.excludesFile sub/f; git config user.name a/../sub; git config core.pager f; "+
		"mkdir docs; echo x > package.json; echo x > .gitignore; git config branch.docs/guide.vscode-merge-base origin/main; git config branch.sub.pushRemote origin; git config submodule.sub.update rebase; "+
		"git config alias.d 'diff HEAD~1 -- package.json'; mkdir src; touch src/main.go src/run; chmod +x src/run; git config alias.l 'log -- src/main.go src/run'; git config alias.h 'update-index --assume-unchanged src/main.go'; git config alias.c 'checkout sub/f'; git config core.editor /sub/g; mkdir -p usr/bin; touch usr/bin/env; git config core.askPass /usr/bin/env; git config alias.r '-c color.ui=sub/f restore package.json'; git config alias.ign '!f() { echo \"$1\" >> .gitignore; }; f'; git config x.y docs; touch TODO.md; git config alias.todo '!cat TODO.md'")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	defer v.Leave()
	for _, path := range []string{"sub", "sub/f", "f", "docs", "docs/guide", "package.json", ".gitignore", "src", "src/main.go", "src/run", "usr/bin/env", "TODO.md"} {
		if slices.Contains(v.Held, filepath.Join(dir, path)) {
			t.Errorf("%s is held", path)
		}
	}
}

// TestNamesOfAHomeThatLeadIntoTheWorkspace: a file in the workspace to which a link of a home
// leads is protected like that link's name, and a new one there is put away.
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

// TestPartsOfAHomeThatLieElsewhere: a folder that a variable such as XDG_CONFIG_HOME names
// counts as that part of a home, for commands and for tools, and git's configuration there is
// followed.
func TestPartsOfAHomeThatLieElsewhere(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p w/hooks xdg/git xdg/other; git init -q w; touch w/p; printf '[core]\n\thooksPath = '$PWD'/w/hooks\n\tpager = '$PWD'/w/p\n' > xdg/git/config")
	xdg, work := filepath.Join(dir, "xdg"), filepath.Join(dir, "w")
	paths := Paths{Homes: []string{dir}, Elsewhere: map[string][]string{xdg: {".config"}}}
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

// TestConfigurationsThatVariablesName: a file that GIT_CONFIG_GLOBAL names is protected like
// .gitconfig, and so is its target.
func TestConfigurationsThatVariablesName(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p w/hooks; git init -q w; touch w/p; printf '[core]\n\thooksPath = '$PWD'/w/hooks\n\tpager = '$PWD'/w/p\n' > w/gc")
	work := filepath.Join(dir, "w")
	paths := Paths{Elsewhere: map[string][]string{filepath.Join(work, "gc"): {".gitconfig"}}}
	v := enter(t, newGuard(t, work, paths), Folders{Cwd: work})
	defer v.Leave()
	for _, path := range []string{"gc", "hooks", "p"} {
		if !slices.Contains(v.Held, filepath.Join(work, path)) {
			t.Errorf("%s is not held: %q", path, v.Held)
		}
	}
	if by, ok := paths.Match(work, filepath.Join(work, "gc")); !ok || by.Except != ".gitconfig" {
		t.Errorf("%+v, %t", by, ok)
	}
}

// TestAFolderStandsForSeveralParts: a folder that two variables name counts for both, also if
// it is a home.
func TestAFolderStandsForSeveralParts(t *testing.T) {
	t.Parallel()
	for range 8 { // maps have no order
		dir := newRepository(t, "mkdir -p x/git h/git; touch x/.zshrc h/.zshrc")
		x, home := filepath.Join(dir, "x"), filepath.Join(dir, "h")
		paths := Paths{Homes: []string{home}, Elsewhere: map[string][]string{x: {".config", ""}, home: {".config"}}}
		v := enter(t, newGuard(t, dir, paths), Folders{Cwd: dir})
		for _, path := range []string{"x/git", "x/.zshrc", "h/git", "h/.zshrc"} {
			if _, ok := paths.AtHome(filepath.Join(dir, path)); !ok || !slices.Contains(v.Held, filepath.Join(dir, path)) {
				t.Errorf("%s is not held: %q", path, v.Held)
			}
		}
		v.Leave()
	}
}

// TestRelativeNamesOfVariables: git takes GIT_CONFIG_GLOBAL=gc from the folder in which it
// runs: in the workspace and in each repository, whether the file exists or not.
func TestRelativeNamesOfVariables(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "git init -q sub; mkdir hooks; printf '[core]\n\thooksPath = hooks\n' > gc")
	paths := Paths{Elsewhere: map[string][]string{"gc": {".gitconfig"}, "cfg": {".config"}}}
	v := enter(t, newGuard(t, dir, paths), Folders{Cwd: dir})
	for _, path := range []string{"gc", "hooks"} {
		if !slices.Contains(v.Held, filepath.Join(dir, path)) {
			t.Errorf("%s is not held: %q", path, v.Held)
		}
	}
	sh(t, dir, "echo > sub/gc; mkdir -p cfg/git; echo > cfg/git/config; echo > sub/free")
	if v.Leave(); isThere(filepath.Join(dir, "sub/gc")) || isThere(filepath.Join(dir, "cfg/git")) || !isThere(filepath.Join(dir, "sub/free")) {
		t.Error("what git reads stays, or another file went")
	}
	for path, want := range map[string]bool{"gc": true, "sub/gc": true, "cfg/git/config": true, "sub/free": false, "gcx": false} {
		if by, ok := paths.Match(dir, filepath.Join(dir, path)); ok != want {
			t.Errorf("%s: %+v, %t", path, by, ok)
		}
	}
}

// TestHomesOfOthersInSettings: git takes `~user/` for a home.
func TestHomesOfOthersInSettings(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir w hk; ln -s ../hk w/l; touch inc")
	sh(t, dir, `git config core.hooksPath "~root/..$PWD/w/l/../hk"; git config include.path "~root/..$PWD/inc"`)
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	defer v.Leave()
	for _, path := range []string{"hk", "inc"} {
		if !slices.Contains(v.Held, filepath.Join(dir, path)) {
			t.Errorf("%s is not held: %q", path, v.Held)
		}
	}
}

// TestNamesOfVariablesCountAsTheyStand: if a command makes a path that a variable names, or
// replaces a link there, neither git nor a shell uses it.
func TestNamesOfVariablesCountAsTheyStand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, part, line, gone string }{
		"a folder that is not there": {"", ".config", "mkdir -p x/git; echo > x/git/config", "x/git"},
		"a link to a folder":         {"mkdir conf; ln -s conf x", ".config", "rm x; mkdir -p x/git; echo > x/git/config", "x/git"},
		"a file that is not there":   {"", ".gitconfig", "echo > x", "x"},
		"a link to a file":           {"touch g; ln -s g x", ".gitconfig", "rm x; echo > x", "x"},
		"a home that is not there":   {"", "", "mkdir x; echo > x/.zshrc", "x/.zshrc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.before)
			v := enter(t, newGuard(t, dir, Paths{Elsewhere: map[string][]string{filepath.Join(dir, "x"): {c.part}}}), Folders{Cwd: dir})
			sh(t, dir, c.line)
			if away := v.Leave(); len(away) == 0 || isThere(filepath.Join(dir, c.gone, "config")) || !isThere(filepath.Join(dir, "g")) && isThere(filepath.Join(dir, c.gone)) {
				t.Errorf("%+v", away)
			}
		})
	}
}

// TestLinksInProtectedFoldersAreFollowed: the target of a link in a folder of the table is
// protected like the folder's own files, and so on, to a depth.
func TestLinksInProtectedFoldersAreFollowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ made, held, free string }{
		"a link in a folder":                {"mkdir .vscode; ln -s ../c/f .vscode/f", "c/f", "c/g"},
		"in one below":                      {"mkdir -p .husky/sub; ln -s ../../c/f .husky/sub/pre-commit", "c/f", "c/g"},
		"in one that a link leads to":       {"ln -s ../f c/a/f; ln -s c/a .vscode", "c/f", "c/g"},
		"in one that a link in it leads to": {"ln -s ../f c/a/f; mkdir .vscode; ln -s ../c/a .vscode/a", "c/f", "c/g"},
		"three folders deep":                {"ln -s ../f c/a/f; mkdir c/b .vscode; ln -s ../a c/b/a; ln -s ../c/b .vscode/b", "c/f", "c/g"},
		"round and round":                   {"ln -s ../f c/a/f; ln -s ../a c/a/a; ln -s . c/a/b; ln -s c/a .vscode", "c/f", "c/g"},
		"a hook":                            {"rm -r .git/hooks; ln -s ../c/a .git/hooks; ln -s ../f c/a/pre-commit", "c/f", "c/g"},
		"of a setting":                      {"git config core.hooksPath h; ln -s c/a h; ln -s ../f c/a/pre-commit", "c/f", "c/g"},
		"a home's folder":                   {"mkdir home; mkdir c/a/git; ln -s ../../f c/a/git/config; ln -s ../c/a home/.config", "c/f", "c/g"},
		"a home's folder in one":            {"mkdir -p home/.config; ln -s ../f c/a/config; ln -s ../../c/a home/.config/git", "c/f", "c/g"},
		"behind more than is sought":        {"mkdir .vscode; cd .vscode; mkdir $(seq -f 0%.0f 120); j=$(seq 100); for i in $(seq 120); do printf \"0$i/%s\\n\" $j; done | xargs touch; cd ..; ln -s /usr c/a/usr; ln -s ../f c/a/f; ln -s c/a .zed", "c/f", "c/g"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "mkdir -p c/a; touch c/f c/g; "+c.made)
			v := enter(t, newGuard(t, dir, Paths{Homes: []string{filepath.Join(dir, "home")}}), Folders{Cwd: dir})
			defer v.Leave()
			if !slices.Contains(v.Held, filepath.Join(dir, c.held)) || slices.Contains(v.Held, filepath.Join(dir, c.free)) {
				t.Errorf("held: %q", v.Held)
			}
		})
	}
}

// TestIncludesStandBesideTheNameOfTheirFile: relative includes count from a link's name, not
// from its target.
func TestIncludesStandBesideTheNameOfTheirFile(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]string{
		"by an absolute path": "git config include.path $PWD/a/inc; ln -s ../b/real a/inc",
		"by a relative path":  "git config include.path ../a/inc; ln -s ../b/real a/inc",
		"twice":               "git config include.path ../c/first; mkdir c; ln -s ../d/one c/first; mkdir d; printf '[include]\\n\\tpath = ../a/inc\\n' > d/one; ln -s ../b/real a/inc",
	} {
		dir := newRepository(t, "mkdir a b; printf '[include]\\n\\tpath = more\\n' > b/real; "+made)
		g := newGuard(t, dir, Paths{})
		v := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, "printf '[core]\\n\\tfsmonitor = evil\\n' > a/more; touch b/more")
		if away := v.Leave(); len(away) != 1 || away[0].Path != "a/more" {
			t.Errorf("%s: %+v", name, away)
		}
		sh(t, dir, "printf '[core]\\n\\tbare = false\\n' > a/more")
		v = enter(t, g, Folders{Cwd: dir})
		if !slices.Contains(v.Held, filepath.Join(dir, "a/more")) {
			t.Errorf("%s: held: %q", name, v.Held)
		}
		v.Leave()
	}
}
