package protect

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkUnchanged is the cost of a command if nothing protected in the workspace has
// changed.
func BenchmarkUnchanged(b *testing.B) {
	dir := b.TempDir()
	for _, name := range []string{".git/hooks", ".git/objects", ".vscode"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[core]\n\tbare = false\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	time.Sleep(2 * settleTime) // what has just changed is looked at anew, by the clock of the disk
	g := NewGuard(dir, Paths{})
	for b.Loop() {
		visit, err := g.Enter(b.Context(), Folders{Cwd: dir})
		if err != nil {
			b.Fatal(err)
		}
		if away := visit.Leave(); len(away) > 0 {
			b.Fatal(away)
		}
	}
}
