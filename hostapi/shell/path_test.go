//go:build unix

package shell_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// An empty entry of PATH stands for the current folder, and a relative one for
// one below it; what lies there is not what a name means.
func TestProgramsAreNotFoundInTheWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"git", "only-here"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho planted\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{":" + os.Getenv("PATH"), ".:" + os.Getenv("PATH"), "/nowhere::" + os.Getenv("PATH"), os.Getenv("PATH") + ":", "./:../" + filepath.Base(dir) + ":" + os.Getenv("PATH")} {
		tool := &shell.Tool{Dir: dir, Env: []string{trace, "PATH=" + path}}
		for _, args := range []map[string]any{{"command": "git --version"}, {"argv": []string{"git", "--version"}}, {"command": "only-here"}, {"argv": []string{"only-here"}}, {"command": "sh -c only-here"}} {
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			result, err := tool.Invoke(t.Context(), hostapi.Call{Tool: "bash", Args: raw})
			if err != nil || strings.Contains(result.Output, "planted") {
				t.Errorf("PATH=%s: %v: %+v %v", path, args, result, err)
			}
		}
		if err := tool.Close(); err != nil {
			t.Error(err)
		}
	}
}
