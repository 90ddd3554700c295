package shell_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

var everyWay = flag.Bool("plants.every", false, "try each plant in the foreground and in the background, as root and as an ordinary user")

// plant is a line that has something run outside by itself, if it gets through.
type planted struct{ name, line string }

// plants try to change what is protected, in the workspace of newProject.
var plants = []planted{
	{"git's configuration", `echo '[core] fsmonitor = ./evil' >> .git/config`},
	{"git's configuration, by git", `git config core.fsmonitor ./evil`},
	{"git's configuration, replaced", `cp .git/config c; echo '[core] fsmonitor = ./evil' >> c; mv -f c .git/config`},
	{"git's configuration, removed and made", `rm -f .git/config; echo '[core] fsmonitor = ./evil' > .git/config`},
	{"git's configuration, truncated", `: > .git/config`},
	{"git's configuration, through a hard link", `ln .git/config l && echo '[core] fsmonitor = ./evil' >> l`},
	{"git's configuration, through a link", `ln -s .git/config l && echo '[core] fsmonitor = ./evil' >> l`},
	{"git's configuration, through a descriptor of /proc", `exec 3<.git/config; echo '[core] fsmonitor = ./evil' >> /proc/self/fd/3`},
	{"git's configuration, made writable", `chmod 777 .git/config; touch -d 2001-01-01 .git/config; echo '[core]' >> .git/config`},
	{"a configuration of the working folder", `printf '[core]\n\tfsmonitor = ./evil\n' > .git/config.worktree`},
	{"a hook", `printf '#!/bin/sh\ntouch PWNED\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit`},
	{"a hook that a hook leads to", `echo touch PWNED >> scripts/hook`},
	{"a hook that a hook leads to, with its folder", `mv scripts s2; mkdir scripts; echo touch PWNED > scripts/hook`},
	{"the hooks, moved away", `mv .git/hooks .git/h; mkdir .git/hooks; echo touch PWNED > .git/hooks/post-commit`},
	{"the repository, moved away", `mv .git .git2; cp -r .git2 .git; echo '[core] fsmonitor = ./evil' >> .git/config`},
	{"the repository, exchanged", `python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b".git", -100, b"spare", 2)'; echo '[core] fsmonitor = ./evil' >> .git/config`},
	{"the repository, removed and made", `rm -rf .git; git init -q; git config core.fsmonitor ./evil`},
	{"another place for the rest of the repository", `mkdir e; cp .git/HEAD e; printf '[core]\n\tfsmonitor = ./evil\n' > e/config; echo ../e > .git/commondir`},
	{"another place for a working folder's", `echo ../../../e > .git/worktrees/tree/commondir`},
	{"a configuration of a working folder", `printf '[core]\n\tfsmonitor = ./evil\n' > .git/worktrees/tree/config.worktree`},
	{"a submodule's configuration", `echo '[core] fsmonitor = ./evil' >> .git/modules/deep/part/config`},
	{"a submodule's hook", `echo touch PWNED > .git/modules/deep/part/hooks/post-checkout`},
	{"a submodule's repository, moved away", `mv .git/modules/deep .git/modules/d2; cp -r .git/modules/d2 .git/modules/deep; echo '[core]' >> .git/modules/deep/part/config`},
	{"all submodules, moved away", `mv .git/modules .git/m2; cp -r .git/m2 .git/modules; echo '[core]' >> .git/modules/deep/part/config`},
	{"the file that leads to a submodule's repository", `echo 'gitdir: ../../e' > lib/part/.git`},
	{"a repository in a folder", `git -C nested config core.fsmonitor ./evil; echo '[core]' >> nested/.git/config`},
	{"a repository in a folder, moved away", `mv nested n2; cp -r n2 nested; echo '[core]' >> nested/.git/config`},
	{"a repository in a folder, from there", `cd nested && mv .git g; cp -r g .git; echo '[core]' >> .git/config`},
	{"a submodule, with the folder above", `mv lib l2; mkdir -p lib/part; git init -q lib/part; git -C lib/part config core.fsmonitor ./evil`},
	{"a repository that git goes into", `git init -q new; git -C new -c user.name=x -c user.email=x commit -q --allow-empty -m x; git add new; git -C new config core.fsmonitor ./evil`},
	{"what a rebase goes on with", `mkdir .git/rebase-merge; echo exec ./evil > .git/rebase-merge/git-rebase-todo`},
	{"what a rebase of a working folder goes on with", `mkdir .git/worktrees/tree/rebase-merge; echo exec ./evil > .git/worktrees/tree/rebase-merge/git-rebase-todo`},
	{"what a rebase of a submodule goes on with", `mkdir .git/modules/deep/part/rebase-merge; echo exec ./evil > .git/modules/deep/part/rebase-merge/git-rebase-todo`},
	{"what a rebase of a repository in a folder goes on with", `cd nested && mkdir .git/rebase-merge; echo exec ./evil > .git/rebase-merge/git-rebase-todo`},
	{"what a rebase merges with", `mkdir .git/rebase-merge; echo x/evil > .git/rebase-merge/strategy`},
	{"what a pick merges with", `mkdir .git/sequencer; printf '[options]\n\tstrategy = x/evil\n' > .git/sequencer/opts`},
	{"where git writes a branch's log", `mkdir -p .git/logs/refs/heads/f; ln -s $PWD/evil .git/logs/refs/heads/f/x`},
	{"where git writes a resolution", `mkdir -p .git/rr-cache/x; ln -s $PWD/evil .git/rr-cache/x/thisimage`},
	{"where a rebase writes", `mkdir .git/rebase-merge; ln -s $PWD/evil .git/rebase-merge/done`},
	{"where git writes a submodule's log", `mkdir -p .git/modules/deep/part/logs/refs/heads/f; ln -s $PWD/evil .git/modules/deep/part/logs/refs/heads/f/x; chmod 0 .git/modules/deep/part/logs/refs/heads/f`},
	{"where git writes what another working folder picks", `mkdir .git/worktrees/tree/sequencer; ln -s $PWD/evil .git/worktrees/tree/sequencer/abort-safety`},
	{"where git writes a log of a repository in a folder", `mkdir -p nested/.git/logs/refs/heads/f; ln -s $PWD/evil nested/.git/logs/refs/heads/f/x`},
	{"an editor's tasks", `echo evil > .vscode/tasks.json`},
	{"an editor's tasks, changed", `echo evil > .vscode/settings.json`},
	{"an editor's folder, moved away", `mv .vscode v; mkdir .vscode; echo evil > .vscode/tasks.json`},
	{"an editor's folder, through a link", `echo evil > editor/settings.xml; mv editor e2; mkdir editor; echo evil > editor/settings.xml`},
	{"an editor's folder, the link itself", `rm .idea; mkdir .idea; echo evil > .idea/workspace.xml`},
	{"an editor's folder that was not there", `mkdir .cursor; echo evil > .cursor/mcp.json`},
	{"an agent's file that was not there", `echo evil > .mcp.json`},
	{"an agent's file that was not there, moved in", `echo evil > x; mv x .mcp.json`},
	{"an agent's file that was not there, as a link", `echo evil > x; ln -s x .mcp.json`},
	{"an agent's file that was not there, as a hard link", `echo evil > x; ln x .mcp.json`},
	{"what direnv runs", `echo evil >> .envrc; rm -f .envrc; echo evil > .envrc`},
	{"what mise runs, below a folder", `mkdir -p .config/mise; echo evil > .config/mise/config.toml`},
	{"what the desktop starts, below a folder that is there", `mkdir .config/autostart; echo evil > .config/autostart/x`},
	{"the settings of scripts", `echo '[sandbox]' > scriptrun.toml`},
	{"the settings of scripts, moved in", `echo '[sandbox]' > s; mv s scriptrun.toml`},
	{"a tool", `echo evil > my/tools/x.js; mv my/tools my/t; mkdir my/tools; echo evil > my/tools/x.js`},
	{"a tool, with the folder above", `mv my m; mkdir -p my/tools; echo evil > my/tools/x.js`},
	{"the tools, by the link that names them", `rm linked; mkdir linked; echo evil > linked/x.js`},
	{"the tools, by a link on the way", `ln -sfn elsewhere way; mkdir -p elsewhere/tools; echo evil > elsewhere/tools/x.js`},
	{"the tools, by the folder of a link on the way", `mv deep d2; mkdir -p deep/my; ln -s my/tools deep/linked`},
	{"what direnv runs in a folder", `echo evil > far/away/repo/.envrc; mv far f2; mkdir -p far/away; cp -r f2/away/repo far/away/repo; echo evil > far/away/repo/.envrc`},
	{"what direnv runs in a folder, with one on the way", `mv far/away far/f2; mkdir -p far/away; cp -r far/f2/repo far/away/repo; echo evil > far/away/repo/.envrc`},
	{"a submodule's tasks, with the folder above", `mv lib l3; mkdir -p lib; cp -r l3/part lib/part; echo evil > lib/part/.envrc`},
	{"the repository that a file leads to", `echo '[core] fsmonitor = ./evil' >> store/config`},
	{"the hooks of the repository that a file leads to", `echo evil > store/hooks/post-commit`},
	{"the repository that a file leads to, moved away", `mv store s2; cp -r s2 store; echo '[core] fsmonitor = ./evil' >> store/config`},
	{"what the configuration includes", `echo '[core] fsmonitor = ./evil' >> conf/git`},
	{"what the configuration includes, with its folder", `mv conf c2; mkdir conf; echo '[core] fsmonitor = ./evil' >> conf/git`},
	{"what that includes, which is not there", `echo '[core] fsmonitor = ./evil' > conf/later`},
	{"a hook of a folder that is named on one line", `echo evil > hk/post-commit`},
	{"a hook of a folder that a working folder names", `echo evil > hk2/post-commit`},
	{"a program that the configuration names", `echo evil > filters/clean`},
	{"a link on the way, from a file", `ln -sfn v2 env/current`},
	{"a link on the way, from a file, with its folder", `mv env e2; mkdir env; echo evil > env/v2; ln -s v2 env/current`},
	{"a link on the way, from a folder", `ln -sfn v2 ways/cur`},
	{"what a link leads to that is not there", `echo evil > later.toml`},
	{"by a process that is left behind", `(sleep 0.05; mkdir .zed; echo evil > .zed/tasks.json; echo '[core]' >> .git/config) & sleep 0.2`},
}

// newProject makes a workspace with all that the plants are about, and the
// names that are protected in it.
func newProject(t *testing.T) (dir string, protected protect.Paths) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", `
		git init -q -b trunk . && mkdir scripts editor my my/tools .vscode .config spare && echo 1 > f
		printf '#!/bin/sh\n' > scripts/hook && chmod +x scripts/hook && rm -f .git/hooks/* && ln -s ../../scripts/hook .git/hooks/pre-commit
		echo '{}' > .vscode/settings.json; ln -s editor .idea; echo '<x/>' > editor/settings.xml; echo ok > .envrc; echo x > my/tools/a.js
		mkdir part && git -C part init -q -b trunk && git -C part -c user.name=x -c user.email=x commit -q --allow-empty -m one
		git -c protocol.file.allow=always submodule add -q --name deep/part ./part lib/part
		git add . 2>/dev/null; git -c user.name=x -c user.email=x commit -qm one; rm -rf part
		git worktree add -q -b side tree
		mkdir nested && git -C nested init -q -b trunk
		mkdir -p far/away/repo && git -C far/away/repo init -q -b trunk && echo ok > far/away/repo/.envrc; echo ok > lib/part/.envrc
		mkdir sep && git -C sep init -q -b trunk --separate-git-dir=$PWD/store && echo 'gitdir: ../store' > sep/.git
		mkdir conf hk hk2 filters && printf '[include] path = later\n' > conf/git && echo ok > hk/pre-push && echo ok > hk2/pre-push && echo ok > filters/clean
		printf '[include] path = ../conf/git\n[core] hooksPath = hk # mine\n[filter "x"] clean = sh ./filters/clean %%f\n' >> .git/config
		git config extensions.worktreeConfig true; printf '[core] hooksPath = "hk2"\n' > .git/config.worktree
		mkdir env ways ways/v1 ways/v2 && echo ok > env/v1 && echo evil > env/v2 && ln -s v1 env/current && ln -s env/current mise.toml
		echo ok > ways/v1/helix && echo evil > ways/v2/helix && ln -s v1 ways/cur && ln -s ways/cur .helix
		ln -s later.toml .mise.toml
		ln -s my/tools linked; ln -s my way; mkdir deep; ln -s ../my/tools deep/linked`)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, protect.Paths{Further: furtherIn(dir)}
}

// furtherIn are the further protected paths of such a workspace: where they are, and as they are
// named.
func furtherIn(dir string) (paths []string) {
	for _, path := range []string{"my/tools", "linked", "way/tools", "deep/linked"} {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(path)))
	}
	return paths
}

// runsByItself is all that would run, with its content: what package protect
// knows by name, what git would be led to, and what links lead to.
func runsByItself(t *testing.T, dir string, protected protect.Paths) map[string]string {
	t.Helper()
	found := map[string]string{}
	note := func(path string) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(path); err == nil {
			found[rel] = "link to " + to
		} else if text, err := os.ReadFile(path); err == nil {
			found[rel] = string(text)
		}
	}
	// What stays of the configuration of a repository of no project.
	const harmless = "[core]\n\trepositoryformatversion = \"0\"\n\tfilemode = \"true\"\n\tbare = \"false\"\n\tlogallrefupdates = \"true\"\n"
	text, _ := os.ReadFile(filepath.Join(dir, "new", ".git", "config"))
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		if entry.Name() == protect.Trash || path == filepath.Join(dir, "l2") || path == filepath.Join(dir, "l3") || path == filepath.Join(dir, "f2") || path == filepath.Join(dir, "far", "f2") { // moved there, it is what it was
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".sample") || path == filepath.Join(dir, "new", ".git", "config") && string(text) == harmless {
			return nil // git does not run it
		}
		rel, parts := strings.TrimPrefix(path, dir+"/"), []string{"config", "config.worktree", "commondir", "git-rebase-todo", "strategy", "opts"}
		if strings.Contains("/"+rel, "/.git/") {
			if slices.Contains(parts, entry.Name()) || entry.Type()&fs.ModeSymlink != 0 || strings.Contains(path, "/hooks/") {
				note(path)
			}
			return nil
		}
		if by, ok := protected.Match(dir, path); ok && !strings.Contains(rel, ".git/") {
			if by.Path != filepath.Base(path) || !entry.IsDir() {
				note(path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	note(filepath.Join(dir, "scripts", "hook"))
	note(filepath.Join(dir, "editor", "settings.xml"))
	for _, at := range []string{"store/config", "store/hooks/post-commit", "conf/git", "conf/later", "hk/post-commit", "hk2/post-commit", "filters/clean", "env/current", "ways/cur", "later.toml", "way", "deep/linked"} {
		note(filepath.Join(dir, filepath.FromSlash(at)))
	}
	return found
}

// TestWhatRunsOutsideIsNotWritten: nothing that git, an editor, an agent or a
// shell would run is written by a command, in any profile but off, in the
// foreground and in the background, as root and by an ordinary user: by default in one of
// the four ways.
func TestWhatRunsOutsideIsNotWritten(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, profile := range []shell.Profile{shell.ProfileReadOnly, shell.ProfileWorkspace} {
		for j, background := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s background %t", profile, background), func(t *testing.T) {
				t.Parallel()
				template, _ := newProject(t)
				var tool *shell.Tool
				var before map[string]string
				for i, p := range plants {
					if leftToOther(i+j) || !*everyWay && i/2%2 != j {
						continue
					}
					if tool == nil || profile != shell.ProfileReadOnly { // where nothing can change, one serves for all
						dir := filepath.Join(t.TempDir(), "w")
						command(t, "/", "cp -a "+template+" "+dir)
						tool = newTool(t)
						tool.Dir, tool.Sandbox.Profile = dir, profile
						tool.Sandbox.Protected.Further = furtherIn(dir)
						before = runsByItself(t, dir, tool.Sandbox.Protected)
					}
					got := output(t, tool, map[string]any{"command": p.line}, background)
					if came := cameSince(before, runsByItself(t, tool.Dir, tool.Sandbox.Protected)); came != "" {
						t.Errorf("%s: %s\n%+v", p.name, came, got)
					}
				}
			})
		}
	}
}

// cameSince is what is new, or another than before. What is gone runs nothing.
func cameSince(before, after map[string]string) string {
	var text strings.Builder
	for name, now := range after {
		if was, ok := before[name]; !ok || was != now {
			fmt.Fprintf(&text, "\n%s: %q, before %q", name, now, was)
		}
	}
	return text.String()
}

// TestPlantsWork: without a sandbox the plants do what they are about, so that
// the test above can be seen to try the right thing.
func TestPlantsWork(t *testing.T) {
	t.Parallel()
	template, _ := newProject(t)
	for _, p := range plants {
		dir := filepath.Join(t.TempDir(), "w")
		if out, err := exec.CommandContext(t.Context(), "cp", "-a", template, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		protected := protect.Paths{Further: furtherIn(dir)}
		before := runsByItself(t, dir, protected)
		tool := newTool(t)
		tool.Dir, tool.Sandbox.Profile = dir, shell.ProfileOff
		_, got := run(t, tool, p.line)
		if cameSince(before, runsByItself(t, dir, protected)) == "" {
			t.Errorf("%s changes nothing outside either: %+v", p.name, got)
		}
	}
}

// TestWhatRunsOutsideIsNotWrittenByAnOrdinaryUser tries the same as a user
// without rights.
func TestWhatRunsOutsideIsNotWrittenByAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestWhatRunsOutsideIsNotWritten")
}

// command runs a line outside of every sandbox.
func command(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", line)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}
