//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// TestTheHostsHomeCountsWithoutBeingNamed: whoever opens a workspace says nothing of homes, and yet no tool
// writes what runs from the host's own.
func TestTheHostsHomeCountsWithoutBeingNamed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := filepath.Join(home, "dot")
	put(t, dir, map[string]string{"gitconfig": "mine", "other": "mine"})
	if err := os.Symlink("dot/gitconfig", filepath.Join(home, ".gitconfig")); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{
		"write":  `{"file_path":"gitconfig","content":"evil"}`,
		"edit":   `{"file_path":"gitconfig","old_string":"mine","new_string":"evil"}`,
		"move":   `{"from":"other","to":"gitconfig","overwrite":true}`,
		"delete": `{"path":"gitconfig"}`,
	} {
		if _, err := call(t, dir, protect.Paths{}, tool, args, hostapi.Rule{Tool: tool, Pattern: "**"}); err == nil || !strings.Contains(err.Error(), "it is protected") {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
