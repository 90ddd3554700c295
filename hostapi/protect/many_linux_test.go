//go:build linux

package protect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const evilConfig = "[core]\n\tfsmonitor = evil\n"

// plantMany makes repositories whose settings name a program, and a name of the table.
func plantMany(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		git := filepath.Join(dir, fmt.Sprintf("d%05d", i), ".git")
		for _, folder := range []string{"objects", "refs", "hooks"} {
			if err := os.MkdirAll(filepath.Join(git, folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range map[string]string{"HEAD": "ref: refs/heads/m\n", "config": evilConfig} {
			if err := os.WriteFile(filepath.Join(git, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	sh(t, dir, "mkdir .vscode; echo evil > .vscode/tasks.json")
}

// gone reports whether a path is missing, or holds a configuration that runs nothing.
func gone(path string) bool {
	text, err := os.ReadFile(path)
	return errors.Is(err, os.ErrNotExist) || err == nil && filepath.Base(path) == "config" && harmlessConfig(string(text))
}

// stays are the files below a folder that still hold a text, except those put away.
func stays(t *testing.T, dir, text string) (left []string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(at string, entry os.DirEntry, err error) error {
		switch {
		case err == nil && entry.IsDir() && slices.Contains(nearTrashes, entry.Name()):
			return filepath.SkipDir
		case err == nil && entry.Type().IsRegular():
			if raw, _ := os.ReadFile(at); strings.Contains(string(raw), text) {
				left = append(left, relTo(dir, at))
			}
		}
		return nil
	})
	return left
}

// TestWhatIsTooMuchToJudgeIsPutAway: however many repositories a command makes, and however
// short the time, none stays unjudged.
func TestWhatIsTooMuchToJudgeIsPutAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		most time.Duration
	}{{1400, mostTime}, {20, time.Nanosecond}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "git init -q mine")
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			plantMany(t, dir, c.n)
			sh(t, dir, "git init -q --bare mine/b; cp d00000/.git/config mine/b/config; mkdir -p mine/c; cp -r d00000/.git mine/c/.git")
			g.most = c.most
			away := v.Leave()
			if left := stays(t, dir, "evil"); len(left) > 0 {
				t.Errorf("%d stay, such as %s", len(left), left[0])
			}
			if _, err := os.Stat(filepath.Join(dir, "mine", ".git", "config")); err != nil {
				t.Errorf("what was there is gone: %v", err)
			}
			for _, a := range away {
				if a.Path == "." || a.Kept && a.Name() != "" {
					t.Errorf("told of nothing by its name: %+v", a)
				}
			}
		})
	}
}
