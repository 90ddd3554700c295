package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitWritesThroughNoNewLink: a link that a command leaves at a path that git writes is put
// away, and an old one stays.
func TestGitWritesThroughNoNewLink(t *testing.T) {
	t.Parallel()
	const (
		mine   = "ln -s ../mine .git/ORIG_HEAD"
		module = "mkdir .git/modules; git init -q --separate-git-dir=.git/modules/m m"
		tree   = "git -c user.name=x -c user.email=x commit -q --allow-empty -m x; git worktree add -q tree"
	)
	for name, c := range map[string]struct{ made, line, path, to string }{
		"a log":                     {"", "mkdir -p .git/logs; ln -sf /evil .git/logs/HEAD", ".git/logs/HEAD", ""},
		"a branch's log":            {"", "mkdir -p .git/logs/refs/heads; ln -s /evil .git/logs/refs/heads/x", ".git/logs/refs/heads/x", ""},
		"all logs":                  {"", "rm -rf .git/logs; ln -s /evil .git/logs", ".git/logs", ""},
		"a message":                 {"", "ln -s /evil .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG", ""},
		"one of a submodule":        {module, "ln -s /evil .git/modules/m/COMMIT_EDITMSG", ".git/modules/m/COMMIT_EDITMSG", ""},
		"one of a tree":             {tree, "ln -s /evil .git/worktrees/tree/COMMIT_EDITMSG", ".git/worktrees/tree/COMMIT_EDITMSG", ""},
		"one of a new one":          {"", "git init -q n; ln -s /evil n/.git/FETCH_HEAD", "n/.git/FETCH_HEAD", ""},
		"one that was there":        {mine, "git status", ".git/ORIG_HEAD", "../mine"},
		"one that is another":       {mine, "ln -sf /evil .git/ORIG_HEAD", ".git/ORIG_HEAD", "../mine"},
		"a log with a slash":        {"", "mkdir -p .git/logs/refs/heads/f/g; ln -s /evil .git/logs/refs/heads/f/g/x", ".git/logs/refs/heads/f/g/x", ""},
		"a log like objects":        {"", "mkdir -p .git/logs/refs/heads/objects/pack; ln -s /evil .git/logs/refs/heads/objects/pack/x", ".git/logs/refs/heads/objects/pack/x", ""},
		"a log like a work tree":    {"", "mkdir -p .git/logs/refs/heads/f; git init -q .git/logs/refs/heads/f; ln -s /evil .git/logs/refs/heads/f/x", ".git/logs/refs/heads/f/x", ""},
		"a remote's log":            {"", "mkdir -p .git/logs/refs/remotes/origin; ln -s /evil .git/logs/refs/remotes/origin/main", ".git/logs/refs/remotes/origin/main", ""},
		"a submodule's log":         {module, "mkdir -p .git/modules/m/logs/refs/heads/f; ln -s /evil .git/modules/m/logs/refs/heads/f/x", ".git/modules/m/logs/refs/heads/f/x", ""},
		"a resolution":              {"", "mkdir -p .git/rr-cache/x; ln -s /evil .git/rr-cache/x/thisimage", ".git/rr-cache/x/thisimage", ""},
		"of a rebase":               {"", "mkdir .git/rebase-merge; ln -s /evil .git/rebase-merge/done", ".git/rebase-merge/done", ""},
		"of a rebase there":         {"mkdir .git/rebase-merge", "ln -s /evil .git/rebase-merge/author-script", ".git/rebase-merge/author-script", ""},
		"of patches":                {"", "mkdir .git/rebase-apply; ln -s /evil .git/rebase-apply/patch", ".git/rebase-apply/patch", ""},
		"of picks":                  {"", "mkdir .git/sequencer; ln -s /evil .git/sequencer/abort-safety", ".git/sequencer/abort-safety", ""},
		"of a tree's rebase":        {tree, "mkdir .git/worktrees/tree/rebase-merge; ln -s /evil .git/worktrees/tree/rebase-merge/message", ".git/worktrees/tree/rebase-merge/message", ""},
		"a sparse checkout":         {"", "mkdir -p .git/info; ln -sf /evil .git/info/sparse-checkout", ".git/info/sparse-checkout", ""},
		"exclusions":                {"", "mkdir -p .git/info; ln -sf /evil .git/info/exclude", ".git/info/exclude", ""},
		"alternates":                {"", "ln -s /evil .git/objects/info/alternates", ".git/objects/info/alternates", ""},
		"all packs":                 {"", "rmdir .git/objects/pack; ln -s /evil .git/objects/pack", ".git/objects/pack", ""},
		"objects":                   {"", "ln -s /evil .git/objects/ab", ".git/objects/ab", ""},
		"notes":                     {"", "mkdir .git/NOTES_MERGE_WORKTREE; ln -s /evil .git/NOTES_MERGE_WORKTREE/x", ".git/NOTES_MERGE_WORKTREE/x", ""},
		"large files":               {"", "mkdir -p .git/lfs/tmp; ln -s /evil .git/lfs/tmp/x", ".git/lfs/tmp/x", ""},
		"stores of large files":     {"", "mkdir -p .git/lfs/objects/ab; ln -s /evil .git/lfs/objects/ab/cd", ".git/lfs/objects/ab/cd", ""},
		"a branch":                  {"", "ln -s /evil .git/refs/heads/evil", ".git/refs/heads/evil", ""},
		"a folder of branches":      {"", "ln -s /evil .git/refs/heads/f", ".git/refs/heads/f", ""},
		"of a helper":               {"", "mkdir -p .git/any/x; ln -s /evil .git/any/x/y", ".git/any/x/y", ""},
		"a submodule":               {module, "ln -s /evil .git/modules/n", ".git/modules/n", ""},
		"a submodule's tree":        {module, "mkdir -p .git/modules/m/worktrees/x; ln -s /evil .git/modules/m/worktrees/x/HEAD", ".git/modules/m/worktrees/x/HEAD", ""},
		"a tree":                    {tree, "ln -s /evil .git/worktrees/n", ".git/worktrees/n", ""},
		"a bare one":                {"git init -q --bare b", "mkdir -p b/logs/refs/heads/f; ln -s /evil b/logs/refs/heads/f/x", "b/logs/refs/heads/f/x", ""},
		"deep, there":               {"mkdir -p .git/logs/refs/heads/f; ln -s /mine .git/logs/refs/heads/f/x", "true", ".git/logs/refs/heads/f/x", "/mine"},
		"deep, another":             {"mkdir -p .git/logs/refs/heads/f; ln -s /mine .git/logs/refs/heads/f/x", "ln -sf /evil .git/logs/refs/heads/f/x", ".git/logs/refs/heads/f/x", "/mine"},
		"in a shut folder":          {"", "mkdir -p .git/logs/refs/heads/f; ln -s /evil .git/logs/refs/heads/f/x; chmod 0 .git/logs/refs/heads/f", ".git/logs/refs/heads/f/x", ""},
		"a long name":               {"", "ln -s /evil .git/" + strings.Repeat("l", 255), ".git/" + strings.Repeat("l", 255), ""},
		"behind one that was there": {"rm -rf .git/logs; mkdir -p l/refs; ln -s ../l .git/logs", "ln -s /evil l/refs/x", "l/refs/x", ""},
		"behind one, there":         {"rm -rf .git/logs; mkdir -p l/refs; ln -s ../l .git/logs; ln -s /mine l/refs/x", "true", "l/refs/x", "/mine"},
		"a hook's sample":           {"rmdir .git/hooks", "mkdir .git/hooks; ln -s /evil .git/hooks/x.sample", ".git/hooks/x.sample", ""},
		"in a working folder":       {"git -c user.name=x -c user.email=x commit -q --allow-empty -m x; git clone -q --bare . b; git -C b worktree add -q tree", "ln -s /mine b/tree/x; ln -s x b/tree/y", "b/tree/x", "/mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.made)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if to, _ := os.Readlink(filepath.Join(dir, c.path)); to != c.to {
				t.Errorf("it leads to %q, put away: %+v", to, away)
			}
			for _, away := range away {
				if away.Reason != writesReason {
					continue
				}
				if name := away.Name(); name == gitFolder || name != "" && (Paths{Except: []string{name}}).Check(dir) != nil || name == "" && !strings.Contains(c.path, "any") && !strings.Contains(c.path, "lll") {
					t.Errorf("%s is allowed by %q", c.path, name)
				}
			}
			if c.to == "" && (len(away) == 0 || away[0].To == "") {
				t.Errorf("put away: %+v", away)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}

// TestGitWorksWithoutLinks: git itself leaves no link there, and none of its files goes.
func TestGitWorksWithoutLinks(t *testing.T) {
	t.Parallel()
	const me = "git config user.name x; git config user.email x; "
	dir := newRepository(t, me+"echo 1 > f; git add f; git commit -qm 1; git clone -q --bare . up; git remote add up $PWD/up")
	g := newGuard(t, dir, Paths{})
	for _, line := range []string{
		"git checkout -qb a/b; echo 2 > f; git commit -qam 2; git checkout -q -; echo 3 > f; git commit -qam 3",
		"git -c rerere.enabled=true merge a/b || git merge --abort; git -c rerere.enabled=true rebase a/b || git rebase --abort; rm -r .git/rr-cache",
		"git rebase a/b || true", "git rebase --abort", "git cherry-pick a/b || true", "git cherry-pick --abort",
		"git push -q up a/b; git fetch -q up; git gc -q; git pack-refs --all; git repack -qad; git commit-graph write",
		"git notes add -m n; git stash list; git bisect start; git bisect reset; git sparse-checkout set x; git sparse-checkout disable",
		"git worktree add -q ../" + filepath.Base(dir) + "/w; git -c protocol.file.allow=always submodule --quiet add ./up s; git tag t; git reflog expire --all",
	} {
		v := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, line)
		if away := v.Leave(); len(away) > 0 {
			t.Errorf("%s: %+v", line, away)
		}
	}
}

// TestANewLinkTakesNothingAlong: the target of a link that goes stays as it is.
func TestANewLinkTakesNothingAlong(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir src")
	g := newGuard(t, dir, Paths{})
	v := enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "ln -s ../../src .git/refs/x; ln -s /mine src/link")
	away := v.Leave()
	if to, _ := os.Readlink(filepath.Join(dir, "src", "link")); to != "/mine" || len(away) != 1 || away[0].Path != ".git/refs/x" {
		t.Errorf("%q, %+v", to, away)
	}
}
