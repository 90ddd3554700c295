package protect

import (
	"path/filepath"
	"strings"
	"testing"
)

// commitIn is a line that makes a repository with a commit.
func commitIn(dir string) string {
	return "git init -q -b trunk " + dir + "; git -C " + dir + " -c user.name=x -c user.email=x commit -q --allow-empty -m one; "
}

// TestFurtherWorkingFoldersOfAnyRepositoryStay: working folders and submodules that git makes
// beside and in repositories of the workspace lead to them, and they lead back.
func TestFurtherWorkingFoldersOfAnyRepositoryStay(t *testing.T) {
	t.Parallel()
	const bare = "git clone -q --bare a b.git; "
	for name, c := range map[string]struct{ before, line, trees string }{
		"beside":            {commitIn("a"), "cd a; git worktree add -q ../tree", "tree"},
		"inside":            {commitIn("a"), "git -C a worktree add -q tree", "a/tree"},
		"of a new one":      {"", commitIn("a") + "git -C a worktree add -q ../tree", "tree"},
		"of a bare one":     {commitIn("a") + bare, "git -C b.git worktree add -q ../tree", "tree"},
		"in a bare one":     {commitIn("a") + bare, "git -C b.git worktree add -q tree", "b.git/tree"},
		"of a new bare one": {"", commitIn("a") + bare + "git -C b.git worktree add -q ../tree", "tree"},
		"of another's":      {commitIn("a") + "git -C a worktree add -q ../one", "git -C one worktree add -q ../tree", "one tree"},
		"two, one deep":     {commitIn("x/y/a"), "git -C x/y/a worktree add -q ../tree; git -C x/y/a worktree add -q -b z ../../../z/tree", "x/y/tree z/tree"},
		"a submodule":       {commitIn("a"), commitIn("b") + "cd b; git -c protocol.file.allow=always submodule --quiet add ../a sub/tree; cd ..", "b/sub/tree"},
		"a nested one": {commitIn("a"), commitIn("b") + commitIn("c") + "cd b; git -c protocol.file.allow=always submodule --quiet add ../a tree; git -c user.name=x -c user.email=x commit -qm two; cd ../c;" +
			"git -c protocol.file.allow=always submodule --quiet add ../b sub; git -c protocol.file.allow=always submodule --quiet update --init --recursive", "b/tree c/sub c/sub/tree"},
		"moved by git": {commitIn("a") + "git -C a worktree add -q ../tree", "git -C a worktree move ../tree ../t2", "t2"},
	} {
		for _, top := range []string{"", "rm -rf .git; "} {
			t.Run(name+" "+top, func(t *testing.T) {
				t.Parallel()
				dir := newRepository(t, c.before)
				if top != "" {
					sh(t, dir, top)
				}
				g := newGuard(t, dir, Paths{})
				v := enter(t, g, Folders{Cwd: dir})
				sh(t, dir, c.line)
				if away := v.Leave(); len(away) > 0 {
					t.Fatalf("put away: %+v", away)
				}
				next := enter(t, g, Folders{Cwd: dir})
				for tree := range strings.FieldsSeq(c.trees) {
					sh(t, dir, "git -C "+tree+" status --short")
					found := false
					for _, held := range next.Held {
						found = found || held == filepath.Join(dir, tree, gitFolder)
					}
					if !found {
						t.Errorf("%s/.git may be written next: %q", tree, next.Held)
					}
				}
				if away := next.Leave(); len(away) > 0 {
					t.Errorf("the next command: %+v", away)
				}
			})
		}
	}
}

// TestWhatLeadsToNoWorkingFolderGoes: a file .git that no other repository lists, or with which
// git would run files of a command, does not stay.
func TestWhatLeadsToNoWorkingFolderGoes(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	sh(t, outside, commitIn("out")+"printf '[core]\n\tfsmonitor = evil\n' > config")
	const evil = `printf '[core]\n\tfsmonitor = evil\n' > `
	// fake makes what looks like a further working folder x of a repository.
	fake := func(git string) string {
		return "d=" + git + "/worktrees/n; mkdir -p $d/objects $d/refs x; echo 'ref: refs/heads/m' > $d/HEAD; " + evil + "$d/config; echo ../.. > $d/commondir; echo $PWD/x/.git > $d/gitdir; echo gitdir: $PWD/$d > x/.git; "
	}
	for name, c := range map[string]struct{ before, line, gone string }{
		"it does not lead back":             {commitIn("a") + "git -C a worktree add -q ../tree", "mkdir x; cp tree/.git x/.git", "x/.git"},
		"nor in another repository":         {commitIn("a"), fake("a/.git") + "echo $PWD/y/.git > a/.git/worktrees/n/gitdir", "x/.git"},
		"of no repository":                  {"", fake("a"), "x/.git"},
		"outside":                           {"", "git -C " + outside + "/out worktree add -q $PWD/x", "x/.git"},
		"a link to outside":                 {"", "ln -s " + outside + " way; mkdir x; git -C " + outside + "/out worktree add -q y; echo $PWD/x/.git > " + outside + "/out/.git/worktrees/y/gitdir; echo 'gitdir: ../way/out/.git/worktrees/y' > x/.git", "x/.git"},
		"a repository of its own":           {commitIn("a"), fake("a/.git") + "rm a/.git/worktrees/n/commondir", "a/.git/worktrees/n/config"},
		"one with settings":                 {commitIn("a"), fake("a/.git") + evil + "a/.git/worktrees/n/config.worktree", "a/.git/worktrees/n/config.worktree"},
		"of a new one with settings":        {"", commitIn("a") + evil + "a/.git/config; " + fake("a/.git"), "a/.git/config"},
		"of a new one deep":                 {"", commitIn("1/2/3/4/5/a") + evil + "1/2/3/4/5/a/.git/config; " + fake("1/2/3/4/5/a/.git"), "1/2/3/4/5/a/.git/config"},
		"another place for the rest":        {commitIn("a"), fake("a/.git") + "echo ../../../../e > a/.git/worktrees/n/commondir", "!../../../../e"},
		"a place that looks like it":        {commitIn("a"), fake("a/.git") + "mkdir -p 'a/.git/worktrees/n/ ..'; echo ' ../..' > a/.git/worktrees/n/commondir", "! ../.."},
		"so at the top":                     {"", fake(".git") + "mkdir -p '.git/worktrees/n/ ..'; echo ' ../..' > .git/worktrees/n/commondir", "! ../.."},
		"a place with a tab behind":         {commitIn("a"), fake("a/.git") + "mkdir -p 'a/.git/..\t'; printf '../..\\t\\n' > a/.git/worktrees/n/commondir", "!../..\t"},
		"what a rebase goes on with":        {commitIn("a"), fake("a/.git") + "mkdir a/.git/worktrees/n/rebase-merge; echo exec evil > a/.git/worktrees/n/rebase-merge/git-rebase-todo", "!exec evil"},
		"a program of the folder":           {commitIn("a") + "git -C a config core.hooksPath hooks", "git -C a worktree add -q ../x; mkdir x/hooks; echo evil > x/hooks/pre-commit", "x/hooks"},
		"a NUL":                             {commitIn("a"), "git -C a worktree add -q ../y; printf '%s\\0' \"$(cat y/.git)\" > y/.git", "y/.git"},
		"a submodule that leads elsewhere":  {commitIn("a"), "mkdir -p a/.git/modules x; git init -q a/.git/modules/m; mv a/.git/modules/m/.git a/.git/modules/n; rm -r a/.git/modules/m; git config -f a/.git/modules/n/config core.bare false; git config -f a/.git/modules/n/config core.worktree ../../../../y; echo 'gitdir: ../a/.git/modules/n' > x/.git", "x/.git"},
		"a submodule with settings":         {commitIn("a"), "mkdir -p a/.git/modules x; git init -q --separate-git-dir=a/.git/modules/n x; git config -f a/.git/modules/n/config core.worktree ../../../../x; git -C x config core.fsmonitor evil", "a/.git/modules/n/config"},
		"a repository that lies in a trash": {"", commitIn(Trash+"/a") + evil + Trash + "/a/.git/config; " + fake(Trash+"/a/.git"), Trash + "/a/.git/config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.before)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if text, written := strings.CutPrefix(c.gone, "!"); written {
				if left := stays(t, dir, text+"\n"); len(left) > 0 {
					t.Errorf("%q stay: %+v", left, away)
				}
			} else if !gone(filepath.Join(dir, c.gone)) {
				t.Errorf("%s is still there: %+v", c.gone, away)
			}
			if again := enter(t, g, Folders{Cwd: dir}).Leave(); len(again) > 0 {
				t.Errorf("the next command: %+v", again)
			}
		})
	}
}

// TestAFileThatLeadsElsewhereIsJudgedAgain: a file .git is unchanged, but a link on its way has
// changed.
func TestAFileThatLeadsElsewhereIsJudgedAgain(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	sh(t, outside, commitIn("E")+"cd E; git worktree add -q ../V; git config core.fsmonitor evil")
	long := strings.Repeat("l", 250)
	before := commitIn("R") + "git -C R worktree add -q ../V; ln -s R/.git/worktrees l; ln -s R/.git/worktrees " + long + "; ln -s l m; "
	for name, c := range map[string]struct{ gitdir, line string }{
		"a link":          {"../l/V", "rm l; ln -s " + outside + "/E/.git/worktrees l"},
		"a long name":     {"../" + long + "/V", "rm " + long + "; ln -s " + outside + "/E/.git/worktrees " + long},
		"a link to it":    {"../m/V", "rm l; ln -s " + outside + "/E/.git/worktrees l"},
		"a folder for it": {"../l/V", "rm l; mkdir l; ln -s " + outside + "/E/.git/worktrees/V l/V"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, before+"echo 'gitdir: "+c.gitdir+"' > V/.git; git -C V status")
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			if came := v.came; len(came) > 0 {
				t.Errorf("%+v", came)
			}
			sh(t, dir, c.line)
			away := v.Leave()
			e := newEffort(t.Context(), generous)
			if to, err := e.gitOf(filepath.Join(dir, "V")); err == nil && !filepath.IsLocal(relTo(dir, to)) || len(away) == 0 {
				t.Errorf("it leads to %s: %+v", to, away)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}

// TestAFileThatLeadsNowhereStays: git runs nothing because of it, and says how to repair it.
func TestAFileThatLeadsNowhereStays(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, commitIn("R")+"git -C R worktree add -q ../V")
	g := newGuard(t, dir, Paths{})
	v := enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "mv R S")
	if away := v.Leave(); len(away) > 0 {
		t.Errorf("%+v", away)
	}
	outside := t.TempDir()
	sh(t, outside, commitIn("R")+"cd R; git worktree add -q ../V; git config core.fsmonitor evil")
	v = enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "ln -s "+outside+"/R R")
	if away := v.Leave(); len(away) == 0 || isThere(filepath.Join(dir, "R")) {
		t.Errorf("%+v", away)
	}
	sh(t, dir, "git -C S worktree repair ../V; git -C V status")
}
