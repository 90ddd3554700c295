package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/files"
)

// TestFoldersOfOurNamesAreNotFollowed: somebody puts a link, a file or a folder of
// their own where temporary files and the trash go.
func TestFoldersOfOurNamesAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	drafted := strings.Repeat("A", 26)
	put(t, dir, map[string]string{"far/" + drafted: "kept", "ws/f": "old", "ws/g": "old"})
	link(t, dir, "../far", "ws/.scriptrun-tmp")
	link(t, dir, "../far", "ws/.scriptrun-trash")
	w := openWorkspace(t, filepath.Join(dir, "ws"))
	for want, args := range map[string]map[string]any{"is not scriptrun's folder; remove it": {"file_path": "f", "content": "new"}, "is not a directory; move it away": {"path": "g"}} {
		tool := "write"
		if args["path"] != nil {
			tool = "delete"
		}
		if r := invoke(t, w, tool, args); r.ExitCode == 0 || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if names, err := os.ReadDir(filepath.Join(dir, "far")); err != nil || len(names) != 1 {
		t.Errorf("in the folder that links lead to: %v, %v", names, err)
	}
	if err := os.Remove(filepath.Join(dir, "ws", ".scriptrun-tmp")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"ws/.scriptrun-tmp/notes.txt": "kept", "ws/.scriptrun-tmp/sub/x": "kept"})
	openWorkspace(t, filepath.Join(dir, "ws"))
	if r := invoke(t, w, "write", map[string]any{"file_path": "f", "content": "new"}); r.ExitCode != 0 {
		t.Error(r.Output)
	}
	for _, name := range []string{"far/" + drafted, "ws/.scriptrun-tmp/notes.txt", "ws/.scriptrun-tmp/sub/x"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "kept" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestNoToolSeesTemporaryFiles: the folder is no place for scripts.
func TestNoToolSeesTemporaryFiles(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{".scriptrun-tmp/x": "find me", "a": "find me"})
	link(t, p.dir, ".scriptrun-tmp", "around")
	for _, name := range []string{".scriptrun-tmp", ".scriptrun-tmp/x", "./a/../.scriptrun-tmp/x", "around/x", filepath.Join(p.dir, ".scriptrun-tmp/x")} {
		for tool, args := range map[string]map[string]any{
			"read": {"file_path": name}, "write": {"file_path": name, "content": "x"}, "ls": {"path": name}, "grep": {"path": name, "pattern": "find"}, "delete": {"path": name}, "move": {"from": "a", "to": name},
		} {
			if r := p.call(t, tool, args); r.ExitCode == 0 {
				t.Errorf("%s %s: %+v", tool, name, r)
			}
		}
	}
	if r := p.call(t, "grep", `{"pattern":"find"}`); r.Output != "a:1:find me" {
		t.Errorf("%+v", r)
	}
}

// TestOpenRemovesWhatAKillLeft: a file that nobody writes any more, and its folder.
func TestOpenRemovesWhatAKillLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{".scriptrun-tmp/" + strings.Repeat("B", 26): "half of i"})
	w, err := files.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}
