package homes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
	"golang.org/x/sys/unix"
)

// TestDeepHomesTakeLittle: a home is listed and removed by steps from folders that are open, and not
// by paths to its end, which grow with its depth.
func TestDeepHomesTakeLittle(t *testing.T) {
	t.Parallel()
	folder := homes.Folder{Path: filepath.Join(t.TempDir(), "homes")}
	home, err := folder.For("/w")
	if err != nil {
		t.Fatal(err)
	}
	before, err := folder.List()
	if err != nil || len(before) != 1 {
		t.Fatal(before, err)
	}
	const deep = 5_000 // longer than the longest path of the system, many times
	grow(t, home, deep)
	all, err := folder.List()
	if err != nil || len(all) != 1 || all[0].Bytes < before[0].Bytes+deep/1000*7+(deep-deep/1000)*lengthOf(t, home) {
		t.Errorf("%+v, %v", all, err)
	}
	if err := folder.Remove("/w"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder.Path); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// grow makes a tree with a file in every thousandth folder, and some that nobody may enter.
func grow(t *testing.T, home string, deep int) {
	t.Helper()
	name := strings.Repeat("d", 100)
	at, err := unix.Open(home, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for n := 1; n <= deep && err == nil; n++ {
		var next, file int
		if err = unix.Mkdirat(at, name, 0o700); err == nil {
			next, err = unix.Openat(at, name, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		}
		if err != nil {
			break
		}
		_ = unix.Close(at)
		at = next
		switch n % 1000 {
		case 0:
			if file, err = unix.Openat(at, "f", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600); err == nil {
				_, err = unix.Write(file, []byte("7 bytes"))
				_ = unix.Close(file)
			}
		case 500:
			err = unix.Mkdirat(at, "shut", 0)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(at)
}

// lengthOf is that of a folder with another one in it, where home is.
func lengthOf(t *testing.T, home string) int64 {
	t.Helper()
	dir := filepath.Join(filepath.Dir(home), "one")
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d", 100)), 0o700); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
