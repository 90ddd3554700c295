package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestWrittenFilesRunAsNobodyElse: a file that runs as its owner does so no longer when a command
// has written it, for root too.
func TestWrittenFilesRunAsNobodyElse(t *testing.T) {
	t.Parallel()
	for kind, open := range openers() {
		dir := t.TempDir()
		tool := filepath.Join(dir, "tool")
		box, err := open(sandbox.Policy{Workspace: dir, Path: "/usr/bin:/bin", Home: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(box.Close)
		for _, mode := range []os.FileMode{os.ModeSetuid, os.ModeSetgid, os.ModeSetuid | os.ModeSetgid} {
			for _, write := range []string{"cat /bin/true > tool", "echo x >> tool", "dd if=/bin/true of=tool conv=notrunc bs=1 count=64 2>&1", "truncate -s 100 tool", "cp /bin/true tool"} {
				if err := os.WriteFile(tool, []byte("something\n"), 0o755); err != nil { //nolint:gosec // it is a program
					t.Fatal(err)
				}
				if err := os.Chmod(tool, 0o755|mode); err != nil {
					t.Fatal(err)
				}
				got := line(t, box, dir, write)
				if info, err := os.Stat(tool); err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
					t.Errorf("%s: %v after %s: %v, %+v", kind, mode, write, info.Mode(), got)
				}
			}
		}
	}
}
