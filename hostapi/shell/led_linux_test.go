package shell_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestNoCommandLeadsTheWorkspaceElsewhere: where commands may write around it, or somebody else's
// may, the next command works in the same folder, or in none.
func TestNoCommandLeadsTheWorkspaceElsewhere(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]string{
		"a folder above": "cd P && mv a b && mkdir a && ln -s ../../priv a/w",
		"the last name":  "cd P/a && mv w v; ln -s ../../priv w",
		"a link to it":   "cd P && mv a b && ln -s b a",
		"another folder": "cd P && mv a b && mkdir -p a/w && echo forged >a/w/check",
	} {
		for who, byCommand := range map[string]bool{"a command": true, "somebody": false} {
			t.Run(name+" by "+who, func(t *testing.T) {
				t.Parallel()
				top := t.TempDir()
				dir := filepath.Join(top, "P", "a", "w")
				for path, text := range map[string]string{"priv/secret": "SECRET\n", "P/a/w/check": "genuine\n"} {
					if err := errors.Join(os.MkdirAll(filepath.Join(top, filepath.Dir(path)), 0o700), os.WriteFile(filepath.Join(top, path), []byte(text), 0o600)); err != nil {
						t.Fatal(err)
					}
				}
				tool := newTool(t)
				tool.Dir = dir
				tool.Sandbox.Write = []string{filepath.Join(top, "P")}
				if err := tool.Validate(); err != nil {
					t.Fatal(err)
				}
				git := &shell.Git{Shell: tool}
				line := "cd " + top + " && " + swap + "; true"
				if byCommand {
					output(t, tool, map[string]any{"command": line}, false)
				} else {
					command(t, "/", line)
				}
				result, got, err := invoke(t.Context(), t, tool, map[string]any{"command": "cat secret check; echo >planted"}, 0)
				if err != nil || strings.Contains(got.Stdout, "SECRET") || strings.Contains(got.Stdout, "forged") {
					t.Errorf("%+v, %+v, %v", result, got, err)
				}
				if _, err := os.Lstat(filepath.Join(top, "priv", "planted")); err == nil {
					t.Error("it wrote elsewhere")
				}
				led := result.Outcome == hostapi.OutcomeNotStarted
				if led != (strings.Contains(result.Output, "is another folder than it was") || strings.Contains(result.Output, "was moved to")) || !led && got.Stdout != "genuine\n" {
					t.Errorf("%+v, %+v", result, got)
				}
				if result, err := git.Invoke(t.Context(), hostapi.Call{Args: encoded(t, map[string]any{"args": []string{"status"}})}); err != nil || led != (strings.Contains(result.Output, "is another folder") || strings.Contains(result.Output, "was moved to")) {
					t.Errorf("git: %+v, %v", result, err)
				}
			})
		}
	}
}

func TestNoCommandLeadsTheWorkspaceOfAnOrdinaryUserElsewhere(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestNoCommandLeadsTheWorkspaceElsewhere")
}

// TestAnotherFolderIsNoWorkspace: a sandbox is opened for the folder that is meant, or not at all.
func TestAnotherFolderIsNoWorkspace(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Open(sandbox.Policy{Workspace: t.TempDir(), WorkspaceIs: sandbox.FolderID{Device: 1, Inode: 1}})
	var elsewhere *sandbox.LedElsewhereError
	if !errors.As(err, &elsewhere) {
		t.Error(err)
	}
}
