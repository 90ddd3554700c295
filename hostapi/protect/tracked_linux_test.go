package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatGitTracksIsToldWhereItGoes: git shows files that were put away as deleted, if its
// index names them, in whatever form.
func TestWhatGitTracksIsToldWhereItGoes(t *testing.T) {
	t.Parallel()
	const me = "git -c user.name=x -c user.email=x "
	const made = "mkdir -p p1/.vscode; echo x > p1/.vscode/tasks.json; echo x > p1/.envrc; echo x > p1/f; git init -q p1; git -C p1 add .; cd p1; " + me + "commit -qm one; cd ..; "
	for name, c := range map[string]struct{ before, line, want string }{
		"a new repository":     {"", made, "p1 .envrc .vscode"},
		"a clone":              {"mkdir .scriptrun-trash; cd .scriptrun-trash; " + made + "cd ..", "git clone -q .scriptrun-trash/p1 c", "c .envrc .vscode"},
		"an older index":       {"", made + "git -C p1 update-index --index-version 4", "p1 .envrc .vscode"},
		"an index in two":      {"", made + "git -C p1 update-index --split-index", "p1 .envrc .vscode"},
		"in hashes of another": {"", strings.Replace(made, "init -q", "init -q --object-format=sha256", 1), "p1 .envrc .vscode"},
		"one of them":          {"", made + "git -C p1 rm -q --cached .envrc", "p1 .vscode"},
		"none of them":         {"git init -q p1", "touch p1/.envrc", ""},
		"with a longer name":   {"git init -q p1; touch p1/.envrc-x; git -C p1 add .", "touch p1/.envrc", ""},
		"no repository":        {"rm -rf .git", "touch .envrc", ""},
		"the workspace":        {"touch .envrc; git add .; rm .envrc", "git checkout -q .", ". .envrc"},
		"a working folder":     {made + "mkdir a; cp -r p1/.git a/.git", "git -C a worktree add -q ../tree", "tree .envrc .vscode"},
		"a folder of it":       {made + "git -C p1 worktree add -q ../tree; rm -r tree/.vscode", "git -C tree checkout -q .", "tree .vscode"},
		"settings of git's":    {"", made + "git -C p1 rm -q --cached -r .; git -C p1 config core.pager x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "rm -f probe; "+c.before)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			repo, names, _ := strings.Cut(c.want, " ")
			for name := range strings.FieldsSeq(names) {
				found := false
				for _, a := range away {
					found = found || a.Deleted == repo && filepath.Base(a.Path) == name
				}
				if !found {
					t.Errorf("%s in %s is not told: %+v", name, repo, away)
				}
			}
			told := 0
			for _, a := range away {
				if a.Deleted != "" {
					told++
				}
			}
			if told != len(strings.Fields(names)) || len(away) == 0 {
				t.Errorf("told of others: %+v", away)
			}
		})
	}
}

// TestWhatIsBackIsTold: the old file is restored, and nothing of a new one.
func TestWhatIsBackIsTold(t *testing.T) {
	t.Parallel()
	const mine = "touch there; ln -s there .envrc; git config alias.x '!mine'"
	for name, c := range map[string]struct {
		line, path, after string
		back              bool
	}{
		"a configuration":             {"git config core.pager evil", ".git/config", "x = !mine", true},
		"a link":                      {"touch evil; ln -sfn evil .envrc", ".envrc", "", true},
		"a new file":                  {"touch .exrc", ".exrc", "", false},
		"a new repository":            {"git init -q lib; git -C lib remote add origin https://a.example/x; git -C lib config core.pager evil", "lib/.git/config", "a.example", false},
		"one that is a clone in part": {"git init -q lib; git -C lib remote add origin https://a.example/x; git -C lib config remote.origin.promisor true", "lib/.git/config", "a.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, mine)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if len(away) != 1 || away[0].Path != c.path || away[0].Back != c.back {
				t.Errorf("%+v", away)
			}
			if text, _ := os.ReadFile(filepath.Join(dir, c.path)); !strings.Contains(string(text), c.after) {
				t.Errorf("%q", text)
			}
			if left := stays(t, dir, "evil"); len(left) > 0 || len(stays(t, dir, "promisor")) > 0 {
				t.Errorf("%q stay", left)
			}
			if again := enter(t, g, Folders{Cwd: dir}).Leave(); len(again) > 0 {
				t.Errorf("the next command: %+v", again)
			}
		})
	}
}
