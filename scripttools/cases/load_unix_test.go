//go:build unix

package cases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/cases"
)

// TestCasesAreReadInTheirFolder: no link leads out of it, and nothing of what is there is shown.
func TestCasesAreReadInTheirFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tools := filepath.Join(dir, "tools")
	if err := os.Mkdir(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(dir, "secret"): "TOP-SECRET", filepath.Join(tools, "all.json"): `{"cases": []}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out.test.json": "../secret", "absolute.test.json": filepath.Join(dir, "secret"), "in.test.json": "all.json", "none.test.json": "nothing"} {
		path := filepath.Join(tools, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		_, err := cases.Load(path)
		if strings.HasPrefix(name, "in.") {
			if err != nil && strings.Contains(err.Error(), "cannot be read") {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), name+": it cannot be read: ") || strings.Contains(err.Error(), "TOP") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
