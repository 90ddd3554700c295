package regular_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// TestReplaceFollowsNoLink, and leaves nothing behind where it cannot write.
func TestReplaceFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside, name := filepath.Join(t.TempDir(), "x"), filepath.Join(dir, "x")
	if err := os.Symlink(outside, name); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if err := regular.Replace(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("the link was followed")
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := regular.Replace(folder, nil, 0o644); err == nil {
		t.Error("a folder was replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}
