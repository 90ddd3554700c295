package files_test

import (
	"strings"
	"testing"
)

// TestReadSaysThatBytesWereReplaced: what is written from such a text is not the file.
func TestReadSaysThatBytesWereReplaced(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"latin.txt": "caf\xe9\n", "utf8.txt": "café\n"})
	for file, want := range map[string]bool{"latin.txt": true, "utf8.txt": false} {
		notes := strings.Join(p.call(t, "read", map[string]any{"path": file}).Notes, "\n")
		if strings.Contains(notes, file+" is not UTF-8: U+FFFD stands for bytes of it") != want || !want && notes != "" {
			t.Errorf("%s: notes %q", file, notes)
		}
	}
}
