package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// TestWorkspaceBelowTheSettings: the operator's file is protected, and the workspace
// below its folder is not.
func TestWorkspaceBelowTheSettings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	operator, workspace := filepath.Join(folder, "agent.toml"), filepath.Join(folder, "work")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	put(operator, "[limits]\ntimeoutMs = 60000\n")
	s, err := settings.Load(settings.Sources{Operator: operator, Workspace: workspace})
	if err != nil {
		t.Fatal(err)
	}
	protected, err := s.Protected()
	if err != nil {
		t.Fatal(err)
	}
	if by, ok := protected.Match(workspace, filepath.Join(workspace, "reports", "a")); ok {
		t.Errorf("%+v", by)
	}
	if !protected.OfSettings(operator) {
		t.Errorf("the file is not protected: %+v", protected)
	}
}
