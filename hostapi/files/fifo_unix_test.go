//go:build unix

package files_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// A pipe with a name is not opened: it would wait for the other end.
func TestPipe(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a": "find me"})
	if err := syscall.Mkfifo(filepath.Join(p.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{
		"read": `{"file_path":"pipe"}`, "write": `{"file_path":"pipe","content":"x"}`, "edit": `{"file_path":"pipe","old_string":"a","new_string":"b"}`,
	} {
		if r := p.call(t, tool, args); r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, "not a regular file") || strings.Count(r.Output, "pipe") != 1 {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := p.call(t, "grep", `{"pattern":"find"}`); r.Output != "a:1:find me" {
		t.Errorf("grep: %+v", r)
	}
}
