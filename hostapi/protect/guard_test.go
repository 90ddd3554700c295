//go:build linux

package protect

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sh runs a line in a folder, like a command without a sandbox.
func sh(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

func enter(t *testing.T, g *Guard, where Folders) *Visit {
	t.Helper()
	v, err := g.Enter(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// newGuard is a guard whose trash lies outside the workspace.
func newGuard(t *testing.T, dir string, paths Paths) *Guard {
	t.Helper()
	paths.Trash = trashOf(dir)
	if err := os.MkdirAll(paths.Trash, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(paths.Trash, 0o777); err != nil { //nolint:gosec // guards of ordinary users use it
		t.Fatal(err)
	}
	return NewGuard(dir, paths)
}

func trashOf(dir string) string { return dir + ".trash" }

// newRepository is a workspace with a repository whose files are old enough for
// the guard to tell them from what commands make.
func newRepository(t *testing.T, line string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "git init -q . && rm -f .git/hooks/*; "+line)
	for probe := filepath.Join(dir, "probe"); ; {
		made := time.Now()
		if err := os.WriteFile(probe, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		newest := int64(0)
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error { // what cannot be read is none of the guard's
			if id, err := idOf(path); err == nil && path != probe && path != dir {
				newest = max(newest, id.changed)
			}
			return nil
		})
		wait := 4*int64(settleTime) - (made.UnixNano() - newest)
		if wait < 0 {
			return dir
		}
		time.Sleep(time.Duration(wait)) // until the clock of the disk has moved on
	}
}

// guardPlants are files of a command that would run by themselves: the path to check
// afterwards, and the line that writes it.
var guardPlants = []struct{ path, line string }{
	{".vscode", "mkdir -p .vscode; echo evil > .vscode/tasks.json"},
	{".envrc", "echo evil > .envrc"},
	{".Rprofile", "echo evil > .Rprofile"},
	{".github/hooks", "mkdir -p .github/hooks; echo evil > .github/hooks/h.json"},
	{".config/tmux", "mkdir -p .config/tmux; echo evil > .config/tmux/tmux.conf"},
	{".local/share/bash-completion", "mkdir -p .local/share/bash-completion/completions; echo evil > .local/share/bash-completion/completions/git"},
	{".mcp.json", "echo evil > x; mv x .mcp.json"},
	{".config/mise", "mkdir -p .config/mise; echo evil > .config/mise/x"},
	{".git/commondir", "echo evil > .git/commondir"},
	{".git/modules/m/config", "mkdir -p .git/modules/m; echo ref: refs/heads/x > .git/modules/m/HEAD; printf '[core]\\n\\tfsmonitor = evil\\n' > .git/modules/m/config"},
	{"deep/1/2/3/4/r/.git/config", "test -e deep/1/2/3/4/r/.git || git init -q deep/1/2/3/4/r; printf '[core]\\n\\tfsmonitor = evil\\n' > deep/1/2/3/4/r/.git/config"},
	{"deep/1/2/3/4/r/.idea", "mkdir -p deep/1/2/3/4/r/.idea; echo evil > deep/1/2/3/4/r/.idea/x"},
	{"new/.git/config", "test -e new/.git || git init -q new; GIT_DIR=$PWD/.git GIT_COMMON_DIR=$PWD/.git git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,new; printf '[core]\\n\\tfsmonitor = evil\\n' > new/.git/config"},
}

// TestWhatIsPlantedIsPutAwayInAnyOrder: in whatever order two commands begin, plant and end,
// and somebody looks, no new file stays in the folders that were checked, and old files stay.
func TestWhatIsPlantedIsPutAwayInAnyOrder(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 20 {
		dir := newRepository(t, "mkdir -p mine/.git .zed; echo mine > .zed/x; echo mine > .exrc; mkdir -p deep/1/2/3/4/r; git init -q deep/1/2/3/4/r; echo '[alias] x = !mine' >> deep/1/2/3/4/r/.git/config; rm -rf mine")
		mine, err := os.ReadFile(filepath.Join(dir, "deep/1/2/3/4/r/.git/config"))
		if err != nil {
			t.Fatal(err)
		}
		g := newGuard(t, dir, Paths{})
		g.most = generous // a disk that others keep busy is not what this is about
		cwds := []string{dir, filepath.Join(dir, "deep/1/2/3/4/r")}
		var visits [2]*Visit
		var told []Away
		planted, inDeep, changed := map[string]bool{}, false, false
		var steps []string
		running, left := 0, 2
		began := [2]bool{}
		for left > 0 {
			switch k := rng.IntN(5); {
			case k < 2 && !began[k]:
				cwd := cwds[rng.IntN(2)]
				inDeep = inDeep || cwd != dir
				visits[k], began[k] = enter(t, g, Folders{Cwd: cwd}), true
				running++
				steps = append(steps, fmt.Sprintf("enter %d in %s", k, cwd[len(dir):]))
			case k < 2 && visits[k] != nil && (rng.IntN(3) == 0):
				told = append(told, visits[k].Leave()...)
				visits[k] = nil
				if running, left = running-1, left-1; running == 0 && !inDeep { // nobody looked there before all had ended
					maps.DeleteFunc(planted, func(path string, _ bool) bool { return strings.HasPrefix(path, "deep/") })
				}
				inDeep = inDeep && running > 0
				steps = append(steps, fmt.Sprintf("leave %d", k))
			case k == 2:
				g.Peek(Folders{Cwd: cwds[rng.IntN(2)]})
				steps = append(steps, "peek")
			case k > 2 && running > 0:
				p := guardPlants[rng.IntN(len(guardPlants))]
				if !slices.ContainsFunc(visits[:], func(v *Visit) bool { return v != nil && !slices.Contains(v.Held, filepath.Join(dir, p.path)) }) {
					continue // no command that runs can write there
				}
				sh(t, dir, p.line)
				planted[p.path] = true
				changed = changed || p.path == "deep/1/2/3/4/r/.git/config"
				steps = append(steps, "plant "+p.path)
			}
		}
		for path := range planted {
			if text := tree(t, filepath.Join(dir, path)); strings.Contains(text, "evil") {
				t.Fatalf("round %d: %s is still there after\n%s\ntold %+v", round, path, strings.Join(steps, "\n"), told)
			}
			if !slices.ContainsFunc(told, func(a Away) bool {
				return filepath.IsLocal(relTo(a.Path, path)) || filepath.IsLocal(relTo(path, a.Path))
			}) {
				t.Fatalf("round %d: nobody is told of %s after\n%s\ntold %+v", round, path, strings.Join(steps, "\n"), told)
			}
		}
		if !changed && tree(t, filepath.Join(dir, "deep/1/2/3/4/r/.git/config")) != string(mine) ||
			tree(t, filepath.Join(dir, ".zed")) != "mine\n" || tree(t, filepath.Join(dir, ".exrc")) != "mine\n" {
			t.Fatalf("round %d: what was there is gone after\n%s\ntold %+v", round, strings.Join(steps, "\n"), told)
		}
	}
}

// tree is the text of all files below a path.
func tree(t *testing.T, path string) (text string) {
	t.Helper()
	_ = filepath.WalkDir(path, func(at string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			part, _ := os.ReadFile(at)
			text += string(part)
		}
		return nil
	})
	return text
}

// TestPlantBeforeALookIsPutAway: a file that was planted before another look or command is
// still judged when the command ends.
func TestPlantBeforeALookIsPutAway(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(t *testing.T, g *Guard, where Folders){
		"a look":         func(_ *testing.T, g *Guard, where Folders) { g.Peek(where) },
		"a command":      func(t *testing.T, g *Guard, where Folders) { enter(t, g, where) },
		"a visit's look": func(t *testing.T, g *Guard, where Folders) { g.look(t.Context(), g.asked) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			g := newGuard(t, dir, Paths{})
			first := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, "mkdir .vscode; echo evil > .vscode/tasks.json")
			for id, err := idOf(filepath.Join(dir, ".vscode")); err == nil && time.Now().UnixNano()-id.changed < 2*int64(settleTime); {
				time.Sleep(time.Millisecond) // nothing tells
			}
			look(t, g, Folders{Cwd: dir})
			first.Leave()
			if _, err := os.Lstat(filepath.Join(dir, ".vscode")); err == nil {
				t.Error(".vscode is still there")
			}
		})
	}
}

// TestWhatWasHarmlessIsJudgedAgain: settings of a new repository stay only as long as they are
// harmless.
func TestWhatWasHarmlessIsJudgedAgain(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "rm -rf .git")
	g := newGuard(t, dir, Paths{})
	first := enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "git init -q . && rm -f .git/hooks/*")
	second := enter(t, g, Folders{Cwd: dir})
	if away := second.Leave(); len(away) > 0 {
		t.Fatalf("a new repository was put away: %+v", away)
	}
	sh(t, dir, "git config core.fsmonitor evil")
	if away := first.Leave(); len(away) != 1 || away[0].Path != ".git/config" {
		t.Errorf("put away: %+v", away)
	}
}

// TestLinkThatLeadsElsewhereIsPutAway: an old protected link leads elsewhere because a link
// behind it was changed.
func TestLinkThatLeadsElsewhereIsPutAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ made, line string }{
		{"ln -s nothing .envrc", "echo evil > nothing"},
		{"echo mine > a; ln -s a l; ln -s l .envrc", "echo evil > b; ln -sfn b l"},
	} {
		dir := newRepository(t, c.made)
		g := newGuard(t, dir, Paths{})
		v := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, c.line)
		away := v.Leave()
		if text, _ := os.ReadFile(filepath.Join(dir, ".envrc")); strings.Contains(string(text), "evil") || len(away) != 1 {
			t.Errorf("%s: %q, %+v", c.made, text, away)
		}
	}
}

// TestEnterEndsWithItsContext: a command waits for others, and for its own look, no longer than
// it may run.
func TestEnterEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	g := newGuard(t, dir, Paths{})
	g.turn <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := g.Enter(ctx, Folders{Cwd: dir}); err == nil {
		t.Error("a command began while another looked")
	}
	g.free()
	if _, err := g.Enter(ctx, Folders{Cwd: dir}); err == nil {
		t.Error("a command began after its context had ended")
	}
	if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 || g.running != 0 {
		t.Errorf("%+v, %d run", away, g.running)
	}
}
