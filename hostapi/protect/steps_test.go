//go:build linux

package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stopped is a rebase that stops at its second commit, and one of picks.
const stopped = `
	git config user.name x; git config user.email x
	echo 1 > f; git add f; git commit -qm one; git branch side; echo 2 > f; git commit -qam two
	git checkout -q side; echo 3 > f; git commit -qam three; echo 4 > f; git commit -qam four
	! git rebase @{-1} 2>/dev/null >&2`

// TestWhatARebaseGoesOnWithIsJudged: commands that an unfinished rebase or pick would run are
// removed from it, and the rest stays.
func TestWhatARebaseGoesOnWithIsJudged(t *testing.T) {
	t.Parallel()
	const todo = ".git/rebase-merge/git-rebase-todo"
	for name, c := range map[string]struct{ made, line, file, want string }{
		"a line":                   {stopped, "echo exec evil >> " + todo, todo, "four\n"},
		"a short line":             {stopped, "printf ' \\tx evil\\n' >> " + todo, todo, "four\n"},
		"a line, in another file":  {stopped, "(echo x evil; cat " + todo + ") > t; mv t " + todo, todo, "four\n"},
		"a list of its own":        {"", "mkdir .git/rebase-merge; echo exec evil > " + todo, todo, ""},
		"a list behind a link":     {"", "mkdir r; echo exec evil > r/git-rebase-todo; ln -s ../r .git/rebase-merge", ".git/rebase-merge/git-rebase-todo", ""},
		"a list that is a link":    {stopped, "echo exec evil > r; ln -sf ../../r " + todo, todo, ""},
		"a strategy":               {stopped, "echo x/evil > .git/rebase-merge/strategy", ".git/rebase-merge/strategy", ""},
		"a strategy of the other":  {"", "mkdir .git/rebase-apply; echo x/evil > .git/rebase-apply/strategy", ".git/rebase-apply/strategy", ""},
		"a pick's strategy":        {"", "mkdir .git/sequencer; printf '[options]\\n\\tstrategy = x/evil\\n' > .git/sequencer/opts", ".git/sequencer/opts", ""},
		"a pick's list":            {"", "mkdir .git/sequencer; echo exec evil > .git/sequencer/todo", ".git/sequencer/todo", ""},
		"a working folder's list":  {"git commit -q --allow-empty -m x; git worktree add -q tree", "mkdir .git/worktrees/tree/rebase-merge; echo exec evil > .git/worktrees/tree/rebase-merge/git-rebase-todo", ".git/worktrees/tree/rebase-merge/git-rebase-todo", ""},
		"a submodule's list":       {"mkdir .git/modules; git init -q --separate-git-dir=.git/modules/m sub", "mkdir .git/modules/m/rebase-merge; echo exec evil > .git/modules/m/rebase-merge/git-rebase-todo", ".git/modules/m/rebase-merge/git-rebase-todo", ""},
		"options of a patch":       {"", "mkdir .git/rebase-apply; echo \"'--build-fake-ancestor=evil'\" > .git/rebase-apply/apply-opt", ".git/rebase-apply/apply-opt", ""},
		"another option, later":    {"", "mkdir .git/rebase-apply; echo \" '-p1' '--unsafe-paths=evil'\" > .git/rebase-apply/apply-opt", ".git/rebase-apply/apply-opt", ""},
		"options beside others'":   {"mkdir .git/rebase-apply; echo \"'--directory=mine'\" > .git/rebase-apply/apply-opt", "echo \"'--directory=evil'\" > .git/rebase-apply/apply-opt", ".git/rebase-apply/apply-opt", "mine'\n"},
		"options of a strategy":    {stopped, "echo ' --index-output=evil' > .git/rebase-merge/strategy_opts", ".git/rebase-merge/strategy_opts", ""},
		"those of the other":       {"", "mkdir .git/rebase-apply; echo '--ours --index-output=evil' > .git/rebase-apply/strategy_opts", ".git/rebase-apply/strategy_opts", ""},
		"those of a pick":          {"", "mkdir .git/sequencer; printf '[options]\\n\\tstrategy-option = index-output=evil\\n' > .git/sequencer/opts", ".git/sequencer/opts", ""},
		"an option to sign":        {"", "mkdir .git/rebase-apply; echo --evil > .git/rebase-apply/gpg_sign_opt", ".git/rebase-apply/gpg_sign_opt", ""},
		"a resolution to note":     {"", "printf '%040d\\t/evil\\0' 0 > .git/MERGE_RR", ".git/MERGE_RR", ""},
		"one of a working folder":  {"git commit -q --allow-empty -m x; git worktree add -q tree", "printf '%040d\\t/evil\\0' 0 > .git/worktrees/tree/MERGE_RR", ".git/worktrees/tree/MERGE_RR", ""},
		"a list in a nested one":   {"git init -q n", "mkdir n/.git/rebase-merge; echo exec evil > n/.git/rebase-merge/git-rebase-todo", "n/.git/rebase-merge/git-rebase-todo", ""},
		"a NUL in a pick's":        {"", "mkdir .git/sequencer; printf '[options \"strategy\\0\"]\\n\\tedit = evil/p\\n' > .git/sequencer/opts", ".git/sequencer/opts", ""},
		"a NUL in a list":          {stopped, "printf 'pick 1\\0evil\\n' >> " + todo, todo, "four\n"},
		"a NUL in a patch's":       {"", "mkdir .git/rebase-apply; printf \"'--exclude=a\\0evil'\" > .git/rebase-apply/apply-opt", ".git/rebase-apply/apply-opt", ""},
		"beside a line of others'": {stopped + "; echo exec mine >> " + todo, "echo exec evil >> " + todo, todo, "exec mine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "git config user.name x; git config user.email x; "+c.made)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			text, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.file)))
			if strings.Contains(string(text), "evil") || !strings.HasSuffix(string(text), c.want) || len(away) != 1 || away[0].To == "" || away[0].Err != nil {
				t.Errorf("%q, %+v", text, away)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}

// TestRebasesGoOn: a stopped rebase with harmless steps of every kind stays as it is and the
// next command continues it; lines of the operator's own stay too.
func TestRebasesGoOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ made, first, then string }{
		"stopped by a command":   {"", stopped, "echo 5 > f; git add f; GIT_EDITOR=true git rebase --continue || { echo 6 > f; git add f; GIT_EDITOR=true git rebase --continue; }; test ! -e .git/rebase-merge"},
		"stopped before":         {stopped, "echo 5 > f; git add f; GIT_EDITOR=true git rebase --continue || true", "git rebase --abort"},
		"with a line before":     {stopped + "; echo exec touch mine >> .git/rebase-merge/git-rebase-todo", "git rebase --skip || git rebase --skip", "test -e mine"},
		"with merges and labels": {"", "git config user.name x; git config user.email x; for i in 1 2 3; do git commit -q --allow-empty -m $i; done; git checkout -qb s HEAD~; git commit -q --allow-empty -m s; git checkout -q -; git merge -q s; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -r -i --keep-empty --root", "git rebase --continue"},
		"a pick of two":          {stopped + "; git rebase --abort; git checkout -q -", "! git cherry-pick -x -s --strategy=ort side~ side; test -e .git/sequencer/opts", "echo 7 > f; git add f; git -c core.editor=true cherry-pick --continue || git cherry-pick --abort"},
		"by patches":             {"", strings.Replace(stopped, "git rebase", "git rebase --apply", 1), "git rebase --abort"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.made)
			g := newGuard(t, dir, Paths{})
			for _, line := range []string{c.first, c.then} {
				v := enter(t, g, Folders{Cwd: dir})
				sh(t, dir, line)
				if away := v.Leave(); len(away) > 0 {
					t.Errorf("%s: %+v", line, away)
				}
			}
		})
	}
}

// TestStepsAreReadAsGitReadsThem: every line that git would take for a command is found.
func TestStepsAreReadAsGitReadsThem(t *testing.T) {
	t.Parallel()
	for line, harmless := range map[string]bool{
		"pick 1234 exec evil": true, "p 1234": true, "# exec evil": true, "": true, " \t": true, "noop": true, "merge -C 12 side # x": true, "update-ref refs/heads/x": true,
		"exec evil": false, "x evil": false, "exec\tevil": false, "  x\tevil": false, "x": false, "exec": false, "x\rpick": false, "x\x00": false, "new-in-a-later-git evil": false,
	} {
		if harmlessStep(line+"\n") != harmless {
			t.Errorf("%q is harmless: %t", line, !harmless)
		}
	}
}

// TestOptionsOfStepsAreReadAsGitReadsThem: options that git passes on to apply and to merges
// name no file to write.
func TestOptionsOfStepsAreReadAsGitReadsThem(t *testing.T) {
	t.Parallel()
	for text, harmless := range map[string]bool{
		"": true, "\n": true, " '--whitespace=fix' '-p1' '-C3'\n": true, "'--reject' '--exclude=a b' '--include=*.go' '--ignore-whitespace'": true,
		"'--build-fake-ancestor=x'": false, "'-p1' '--build-fake-ancestor=x'": false, "'-p1''--unsafe-paths'": false, "'--exclude=a'\\''b'": false,
		"'--exclude=a'\\'' --build-fake-ancestor=x'": false, "--whitespace=fix": false, "'--whitespace=fix": false, "'-p'": false, "'-p1' 'x'": false, "'--directory=x'": false, "'--exclude' '--stat'": false,
	} {
		if harmlessApply(text) != harmless {
			t.Errorf("%q for apply is harmless: %t", text, !harmless)
		}
	}
	for text, harmless := range map[string]bool{
		"": true, " --ours --find-renames=60%\n": true, "\"--theirs\" \"--subtree=a/b\"\n": true, "diff-algorithm=histogram": true, "--ignore-space-change --patience": true,
		"--index-output=x": false, "--ours --index-output=x": false, "--ours\t--index-output=x": false, "\"--index-output=x\"": false, "--subtree=--index-output=x y": false,
		"--subtree=a;b": false, "-": false, "--subtree='a": false, "---ours": false,
	} {
		if harmlessMerge(text) != harmless {
			t.Errorf("%q for a merge is harmless: %t", text, !harmless)
		}
	}
}
