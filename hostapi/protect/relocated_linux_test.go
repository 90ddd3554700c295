package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsLeftInAMovedWorkspaceIsJudged: if somebody moves the workspace while a command runs,
// what it left is put away where the workspace is then, and what existed stays.
func TestWhatIsLeftInAMovedWorkspaceIsJudged(t *testing.T) {
	t.Parallel()
	const (
		commit = "git -c user.name=x -c user.email=x commit -q --allow-empty -m x"
		before = "mkdir .vscode old; echo mine > .envrc; echo mine > .vscode/tasks.json; printf '#!/bin/sh\n' > .git/hooks/pre-commit; git config core.editor vi; " +
			"git init -q old; git -C old config core.fsmonitor mine; " + commit + "; git worktree add -q tree"
		plant = "echo evil > .lvimrc; mkdir -p new .idea; echo evil > .idea/x; git init -q new; git -C new config core.fsmonitor evil"
		check = "grep -q mine .envrc && grep -q mine .vscode/tasks.json && test -e .git/hooks/pre-commit && git config core.editor && git -C old config core.fsmonitor && test -f tree/.git && test -d new"
	)
	for name, c := range map[string]struct {
		move string // in the folder around
		to   string
	}{
		"renamed":                 {"mv w w2", "w2"},
		"moved elsewhere":         {"mkdir -p a/b; mv w a/b/w", "a/b/w"},
		"with another in place":   {"mv w w2; mkdir w; echo users > w/.envrc", "w2"},
		"with a link in place":    {"mv w w2; ln -s w2 w", "w2"},
		"the folder around":       {"mkdir in; mv w in/w; mv in in2", "in2/w"},
		"twice, and back":         {"mv w w2; mv w2 w", "w"},
		"not moved":               {"true", "w"},
		"before anything is made": {"mv w w2", "w2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			around, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(around, "w")
			sh(t, around, "git init -q w; cd w; "+before)
			g := newGuard(t, dir, Paths{})
			visit := enter(t, g, Folders{Cwd: dir})
			if name == "before anything is made" {
				sh(t, around, c.move)
				sh(t, filepath.Join(around, c.to), plant)
			} else {
				sh(t, dir, plant)
				sh(t, around, c.move)
			}
			to := filepath.Join(around, c.to)
			away := visit.Leave()
			for _, gone := range []string{".lvimrc", ".idea"} {
				if isThere(filepath.Join(to, gone)) {
					t.Errorf("%s stays", gone)
				}
			}
			if text, _ := os.ReadFile(filepath.Join(to, "new/.git/config")); strings.Contains(string(text), "evil") {
				t.Errorf("new/.git/config stays: %s", text)
			}
			if len(away) != 3 {
				t.Errorf("%+v", away)
			}
			for _, a := range away {
				if a.To == "" || filepath.IsAbs(a.Path) || strings.HasPrefix(a.Path, "..") {
					t.Errorf("%+v", a)
				}
			}
			sh(t, to, check)
			if name == "with another in place" {
				sh(t, dir, "grep -q users .envrc")
			}
			if moved := g.Moved(); moved != (c.to != "w") {
				t.Errorf("moved: %t", moved)
			} else if _, err := g.Enter(t.Context(), Folders{Cwd: dir}); moved && (err == nil || !strings.Contains(err.Error(), to)) {
				t.Errorf("the next command: %v", err)
			}
		})
	}
}

// TestAWorkspaceThatIsGoneIsSaid: and what stands in its place is judged as before.
func TestAWorkspaceThatIsGoneIsSaid(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"removed": "rm -r w", "made anew": "rm -r w; mkdir w"} {
		around, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(around, "w")
		sh(t, around, "mkdir w")
		visit := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
		sh(t, around, line)
		away := visit.Leave()
		if len(away) != 1 || away[0].Path != dir || !away[0].Kept || away[0].Err != errElsewhere { //nolint:errorlint // it is the bare error
			t.Errorf("%s: %+v", name, away)
		}
	}
}

// TestAFurtherFolderThatIsMovedIsSaid: once, if somebody moves or removes a folder outside the
// workspace in which commands may write, whichever command was the first there.
func TestAFurtherFolderThatIsMovedIsSaid(t *testing.T) {
	t.Parallel()
	for line, said := range map[string]bool{
		"mv far far2": true, "mv far far2; mkdir far": true, "mv far far2; ln -s far2 far": true, "rm -r far": true, "mv git git2": true,
		"mv far far2; mv far2 far": false, "echo x > far/new": false, "mv file file2; touch file": false, "mv gone file": false,
	} {
		for _, order := range [][]int{{0, 1}, {1, 0}} {
			around, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			in := func(name string) string { return filepath.Join(around, name) }
			sh(t, around, "mkdir w far git; touch file")
			where := []Folders{{Cwd: in("w")}, {Cwd: in("w"), Further: []string{in("far"), in("file"), in("gone")}, Git: []string{in("git")}}}
			g := newGuard(t, in("w"), Paths{})
			first, second := enter(t, g, where[order[0]]), enter(t, g, where[order[1]])
			sh(t, around, "touch gone; "+line)
			all := append(first.Leave(), second.Leave()...)
			if (len(all) == 1) != said || said && (!all[0].Kept || all[0].Err != errElsewhere || !filepath.IsAbs(all[0].Path)) { //nolint:errorlint // it is the bare error
				t.Errorf("%s: %+v", line, all)
			}
		}
	}
}
