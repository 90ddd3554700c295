package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsSideBySideShareAFolder: a command that began to write when there was room
// stops when others have filled the folder.
func TestCommandsSideBySideShareAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var f file
	s := newSpill(Limits{SpillDir: dir, SpillBytes: 1 << 30})
	s.write(&f, ".stdout", []byte("begun"))
	other, err := os.Create(filepath.Join(dir, "other"))
	if err == nil {
		err = other.Truncate(mostSpilled) // which takes no room
	}
	if err == nil {
		err = other.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		s.write(&f, ".stdout", make([]byte, 1<<20))
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.path)
	if err != nil {
		t.Fatal(err)
	}
	if s.err == nil || !strings.Contains(s.err.Error(), "which is the most") || info.Size() > weighAgain+1<<20 {
		t.Errorf("it wrote %d bytes, %v", info.Size(), s.err)
	}
}
