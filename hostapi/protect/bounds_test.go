//go:build linux

package protect

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// generous is a time in which everything ends that does not hang.
const generous = 30 * time.Second

// hostileIndex is an index of links, each padded as git does.
func hostileIndex(links []string) []byte {
	index := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(len(links)))
	for _, link := range links {
		entry := make([]byte, 62)
		binary.BigEndian.PutUint32(entry[indexMode:], modeGitlink)
		entry = append(entry, link...)
		index = append(index, append(entry, make([]byte, 8-len(entry)%8)...)...)
	}
	return append(index, make([]byte, 20)...)
}

// hostileWorkspaces are files that a command may leave, and those of them that are put away.
var hostileWorkspaces = map[string]struct {
	make string
	do   func(dir string) error
	away string
}{
	"large shared indexes":        {make: "truncate -s 256M $(seq -f .git/sharedindex.%.0f 40)"},
	"a large index of nothing":    {make: "truncate -s 64G .git/index"},
	"an index that does not end":  {make: `printf 'DIRC\0\0\0\2\377\377\377\377' > .git/index; truncate -s 64G .git/index`, away: ".git/index"},
	"an index of one long name":   {make: `{ printf 'DIRC\0\0\0\2\0\0\0\1'; head -c 62 /dev/zero; head -c 1000000 /dev/zero | tr '\0' x; } > .git/index`, away: ".git/index"},
	"a pipe for an index":         {make: "mkfifo .git/index"},
	"a pipe for hooks":            {make: "git init -q n; rm -rf n/.git/hooks; mkfifo n/.git/hooks; git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,n", away: "n/.git/hooks"},
	"pipes for settings":          {make: "mkfifo .git/config.worktree .git/commondir .envrc; mkdir -p .git/worktrees/x .git/modules/m; mkfifo .git/worktrees/x/commondir .git/modules/m/HEAD .git/modules/m/config", away: ".git/config.worktree .git/commondir .envrc .git/worktrees/x/commondir .git/modules/m/config"},
	"a pipe for a repository":     {make: "rm -rf .git/modules; mkdir n; mkfifo n/.git; GIT_DIR=.git git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,n", away: "n/.git"},
	"a device for an index":       {make: "ln -s /dev/zero .git/index", away: ".git/index"},
	"an index that is the kernel": {make: "ln -s /proc/kmsg .git/index; ln -s /dev/tty .git/config.worktree", away: ".git/index .git/config.worktree"},
	"many modules":                {make: "mkdir .git/modules; cd .git/modules; seq 20000 | xargs touch", away: ".git/modules"},
	"many working folders":        {make: "mkdir .git/worktrees; cd .git/worktrees; seq 20000 | xargs touch", away: ".git/worktrees"},
	"deep modules":                {make: "mkdir -p .git/modules/$(seq -s / 400)", away: ".git/modules"},
	"a large file of settings":    {make: "git init -q n; truncate -s 64G n/.git/config; git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,n", away: "n/.git/config"},
	"circles of links":            {make: "ln -s b a; ln -s a b; ln -s a .envrc; mkdir n; ln -s ../a n/.git; ln -s . loop; GIT_DIR=.git git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,n", away: ".envrc n/.git"},
	"circles of repositories":     {make: "mkdir n m; echo 'gitdir: ../m' > n/.git; echo 'gitdir: ../n' > m/.git; for p in n m; do git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,$p; done", away: "n/.git m/.git"},
	"deep names of links": {do: func(dir string) error {
		var links []string
		for i := range 3_000 {
			links = append(links, strings.Repeat("d/", 1500)+fmt.Sprint(i))
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.MkdirAll(strings.Repeat("d/", 1500), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, ".git", "index"), hostileIndex(links), 0o600)
	}, away: ".git/index"},
	"links through themselves": {do: func(dir string) error {
		if err := os.MkdirAll(filepath.Join(dir, "r/.git"), 0o755); err != nil {
			return err
		}
		for _, name := range []string{"a", "b", "c"} {
			if err := os.Symlink("..", filepath.Join(dir, "r", name)); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", "index"), hostileIndex([]string{"r"}), 0o600); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "r/.git", "index"), hostileIndex([]string{"a/r", "b/r", "c/r"}), 0o600)
	}},
	"names by long ways": {do: func(dir string) error {
		to := strings.Repeat("d/../", 800) + "l"
		if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
			return err
		}
		for i := range 40 {
			if err := os.Symlink(to+fmt.Sprint(i+1), filepath.Join(dir, "l"+fmt.Sprint(i))); err != nil {
				return err
			}
		}
		for _, name := range names {
			if !strings.Contains(name.path, "/") {
				if err := os.Symlink("l0", filepath.Join(dir, name.path)); err != nil {
					return err
				}
			}
		}
		return nil
	}, away: ".envrc .vscode"},
}

// TestLookIsBounded: whatever a command leaves, it neither stops the host nor takes much
// memory, and files that cannot be checked do not stay.
func TestLookIsBounded(t *testing.T) { // alone, because it measures memory
	for name, c := range hostileWorkspaces {
		t.Run(name, func(t *testing.T) {
			dir := newRepository(t, "")
			g := newGuard(t, dir, Paths{})
			g.most = generous // the bounds of steps are what this is about, on a machine that is busy too
			v := enter(t, g, Folders{Cwd: dir})
			if sh(t, dir, c.make); c.do != nil {
				if err := c.do(dir); err != nil {
					t.Fatal(err)
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			g.Peek(Folders{Cwd: dir})
			away := v.Leave()
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if took > 2*generous {
				t.Errorf("it took %v", took)
			}
			t.Logf("%v, %d MB", took, (after.TotalAlloc-before.TotalAlloc)>>20)
			if got := after.TotalAlloc - before.TotalAlloc; got > 512<<20 {
				t.Errorf("it took %d MB in all", got>>20)
			}
			for _, want := range strings.Fields(c.away) {
				if !slices.ContainsFunc(away, func(a Away) bool { return a.Path == want && a.To != "" }) {
					t.Errorf("%s was not put away: %+v", want, away)
				}
			}
			if c.away == "" && len(away) > 0 {
				t.Errorf("put away: %+v", away)
			}
			if again := enter(t, g, Folders{Cwd: dir}).Leave(); len(again) > 0 {
				t.Errorf("put away by the next: %+v", again)
			}
		})
	}
}

// TestIndexesAreForgotten: what was read of an index is forgotten with it.
func TestIndexesAreForgotten(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "git update-index --split-index; git update-index --add --cacheinfo 160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,n")
	g := newGuard(t, dir, Paths{})
	enter(t, g, Folders{Cwd: dir}).Leave()
	if len(g.read) != 2 {
		t.Errorf("%d indexes are known, expected 2", len(g.read))
	}
	sh(t, dir, "rm .git/index .git/sharedindex.*")
	enter(t, g, Folders{Cwd: dir}).Leave()
	if len(g.read) != 0 {
		t.Errorf("%d indexes are known", len(g.read))
	}
}

// TestPipesAreNoFolders: a pipe in place of a folder is no folder.
func TestPipesAreNoFolders(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "hooks")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if (candidate{path: pipe, git: gitPart}).harmless("") {
		t.Error("a pipe is taken for a folder of hooks")
	}
}
