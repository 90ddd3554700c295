package removal_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
	"golang.org/x/sys/unix"
)

// TestReadOnlyFoldersGo, as in a cache of Go's modules, also for a user without rights.
func TestReadOnlyFoldersGo(t *testing.T) {
	t.Parallel()
	top := filepath.Join(t.TempDir(), "top")
	inner := filepath.Join(top, "cache", "m@v1.0.0", "internal", "deep")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	for folder := inner; folder != filepath.Dir(top); folder = filepath.Dir(folder) {
		if err := os.WriteFile(filepath.Join(folder, "go.mod"), nil, 0o400); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o500)
		if filepath.Base(folder) == "internal" {
			mode = 0
		}
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		err := withoutRights()
		if err == nil {
			removal.Folder(top)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(top); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// withoutRights makes the modes of files count for this thread, as they do for ordinary users.
func withoutRights() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	return unix.Capset(&header, &data[0])
}
