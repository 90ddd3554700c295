package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// twoFiles makes a repository with two files committed, of which one lies in sub.
func twoFiles(t *testing.T, top string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(top, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "git init -q -b trunk && echo 1 > a && echo 1 > sub/b && git add . && git -c user.name=x -c user.email=x commit -qm one && echo secret > untracked")
	cmd.Dir, cmd.Env = top, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

const commits = "echo 2 > new && git add -A && git -c user.name=x -c user.email=x commit -qm two && git show --name-status --format=%s && git stash list && git status --porcelain -uno"

// TestGitWorksBelowARepository: in a folder of a repository git sees all of it,
// so that nothing else is taken for deleted, and commits; only the folder's own
// files can be changed.
func TestGitWorksBelowARepository(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	top := t.TempDir()
	twoFiles(t, top)
	tool := newTool(t)
	tool.Dir = filepath.Join(top, "sub")
	if _, got := run(t, tool, commits+"; echo x > ../a; rm -f ../a; git rev-parse --show-prefix"); got.Stdout != "two\n\nA\tsub/new\nA\tuntracked\nsub/\n" { // git add -A means all of it
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(top, "a")); string(text) != "1\n" || err != nil {
		t.Errorf("the file beside the workspace is %q, %v", text, err)
	}
	reader := newTool(t)
	reader.Dir, reader.Sandbox.Profile = tool.Dir, shell.ProfileReadOnly
	if _, got := run(t, reader, "git log --format=%s -1; git branch other 2>/dev/null || echo refused"); got.Stdout != "two\nrefused\n" {
		t.Errorf("a reader: %+v", got)
	}
}

// TestGitWorksInAWorktree: the repository of a workspace that is one of its
// working folders is written, and its other files are not there.
func TestGitWorksInAWorktree(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	top, tree := t.TempDir(), filepath.Join(t.TempDir(), "tree")
	twoFiles(t, top)
	if out, err := exec.CommandContext(t.Context(), "git", "-C", top, "worktree", "add", "-q", "-b", "side", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tool := newTool(t)
	tool.Dir = tree
	if _, got := run(t, tool, commits+"; cat "+top+"/untracked 2>/dev/null"); got.Stdout != "two\n\nA\tnew\n" {
		t.Errorf("%+v", got)
	}
	// The repository lies outside: what git there would run stays as it is.
	hook := filepath.Join(top, ".git", "hooks", "pre-commit")
	_, got := run(t, tool, "git config core.fsmonitor ./x; echo '[core]' >> "+top+"/.git/config; echo x > "+hook+"; mv "+top+"/.git/hooks "+top+"/.git/h; git commit -q --allow-empty -m still && echo committed")
	if config, err := os.ReadFile(filepath.Join(top, ".git", "config")); err != nil || strings.Contains(string(config), "fsmonitor") || strings.Count(string(config), "[core]") != 1 {
		t.Errorf("the configuration is %q, %v", config, err)
	}
	if _, err := os.Stat(hook); err == nil || !strings.HasSuffix(got.Stdout, "committed\n") {
		t.Errorf("a hook was planted: %v; %+v", err, got)
	}
	for _, git := range []string{top + "/.git", top + "/.git/worktrees/tree"} {
		run(t, tool, "mkdir "+git+"/rebase-merge; echo exec ./evil > "+git+"/rebase-merge/git-rebase-todo")
		if text, err := os.ReadFile(filepath.Join(git, "rebase-merge", "git-rebase-todo")); err == nil {
			t.Errorf("in %s a rebase goes on with %q", git, text)
		}
	}
}

// TestARebaseGoesOnInTheNextCommand: one that stops in a command is gone on with by
// others, in a working folder whose repository lies elsewhere too.
func TestARebaseGoesOnInTheNextCommand(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, where := range []string{"", "sub", "tree"} {
		top := t.TempDir()
		twoFiles(t, top)
		command(t, top, "git config user.name x; git config user.email x; git checkout -qb other; echo 2 > sub/b; git commit -qam two; git checkout -q trunk; echo 3 > sub/b; git commit -qam three; git worktree add -q -b side tree")
		tool := newTool(t)
		tool.Dir = filepath.Join(top, where)
		change := "cd $(git rev-parse --show-toplevel); echo 4 > sub/b; git add sub/b; "
		if where == "sub" {
			change = "echo 4 > b; git add b; "
		}
		_, stopped := run(t, tool, "git rebase other")
		_, got := run(t, tool, change+"GIT_EDITOR=true git rebase --continue; git status -uno --porcelain; git log --format=%s -2")
		if stopped.ExitCode == 0 || got.ExitCode != 0 || !strings.HasSuffix(got.Stdout, "three\ntwo\n") {
			t.Errorf("in %q: %+v, %+v", where, stopped, got)
		}
	}
}

// TestFurtherWorkingFoldersWorkInTheNextCommand: those of a repository that is not at the top
// of the workspace, and of a bare one.
func TestFurtherWorkingFoldersWorkInTheNextCommand(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	tool := newTool(t)
	const me = "git -c user.name=x -c user.email=x "
	for _, line := range []string{
		"git init -q a && cd a && " + me + "commit -q --allow-empty -m one && git worktree add -q ../a-fix",
		"git clone -q --bare a b.git && cd b.git && git worktree add -q -b side ../b-fix",
		"git -C a worktree add -q sub",
		"for d in a-fix b-fix a/sub; do (cd $d && touch x && git add x && " + me + "commit -qm two && git log --oneline) || exit 1; done",
	} {
		if result, got := run(t, tool, line); got.ExitCode != 0 || len(result.Notes) > 0 {
			t.Errorf("%s: %+v, %q", line, got, result.Notes)
		}
	}
}

// TestFurtherWorkingFoldersWorkForAnOrdinaryUser tries the same as a user without rights.
func TestFurtherWorkingFoldersWorkForAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestFurtherWorkingFoldersWorkInTheNextCommand")
}

// TestWhatIsInGitsWayIsTold: a checkout leaves a protected file there that it was to remove, and
// what brings that again says why it fails.
func TestWhatIsInGitsWayIsTold(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	tool := newTool(t)
	command(t, tool.Dir, "git init -q -b a; git config user.name x; git config user.email x; git commit -q --allow-empty -m one; git checkout -qb b; mkdir .vscode; echo 1 > .vscode/x; echo 1 > f; git add .; git commit -qm two")
	const want = `probably refused writing .vscode/x (VS Code and its kin run the tasks and programs that it names), which is in git's way: delete it outside of a command; allow it with [sandbox] unprotect = [".vscode"]`
	run(t, tool, "git checkout -q a")
	for _, line := range []string{"git checkout b", "git checkout b; git status", "git rebase b a", "git merge b", "git cherry-pick b"} {
		if result, got := run(t, tool, line); len(result.Notes) != 1 || !strings.Contains(result.Notes[0], want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
	command(t, tool.Dir, "rm -r .vscode; echo 2 > f")
	if result, got := run(t, tool, "git checkout b"); got.ExitCode == 0 || len(result.Notes) > 0 {
		t.Errorf("a file that is not protected: %+v", got)
	}
}

// TestRepositoriesOpenNoMore: a home folder that is a repository is not opened
// by it, and neither is one to which a file in the workspace leads.
func TestRepositoriesOpenNoMore(t *testing.T) { //nolint:paralleltest // HOME is of the process
	if !keeps(t, "modes") {
		return
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	twoFiles(t, home)
	tool := newTool(t)
	tool.Dir = filepath.Join(home, "sub")
	if _, got := run(t, tool, "cat ../untracked ../.git/HEAD; git status"); strings.Contains(got.Stdout, "secret") || strings.Contains(got.Stdout, "ref:") || got.ExitCode == 0 {
		t.Errorf("a home folder: %+v", got)
	}
	other := t.TempDir()
	twoFiles(t, other)
	for name, link := range map[string]string{"a file": "gitdir: " + other + "/.git\n", "a working folder of nobody": "gitdir: " + other + "/.git/worktrees/x\n"} {
		tool := newTool(t)
		if err := os.WriteFile(filepath.Join(tool.Dir, ".git"), []byte(link), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, got := run(t, tool, "cat "+other+"/.git/HEAD "+other+"/untracked; git log"); strings.Contains(got.Stdout, "ref:") || strings.Contains(got.Stdout, "secret") || got.ExitCode == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	linked := newTool(t)
	if err := os.Symlink(filepath.Join(other, ".git"), filepath.Join(linked.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if _, got := run(t, linked, "cat .git/HEAD "+other+"/.git/HEAD"); strings.Contains(got.Stdout, "ref:") {
		t.Errorf("a link: %+v", got)
	}
}
