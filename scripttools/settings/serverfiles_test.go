package settings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestFilesOfServersThatAreNotAcceptedStartNothing where all may be started, unless somebody trusts their bytes.
func TestFilesOfServersThatAreNotAcceptedStartNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.md"), []byte("---\nkind: mcp\ncommand: x\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	no := errors.New("it may be anybody's")
	for _, c := range []struct {
		accept error
		all    bool
	}{{nil, true}, {no, true}, {no, false}} {
		s := &Settings{}
		asked := ""
		err := s.AddServerFiles(scripttools.Dir{Path: dir, Accept: func(file string) error { asked = file; return c.accept }}, c.all)
		if err != nil || len(s.Servers) != 1 {
			t.Fatalf("%+v, %v", s.Servers, err)
		}
		if server := s.Servers[0]; errors.Is(server.Flaw, no) != (c.all && c.accept != nil) || (server.Waits != nil) == c.all {
			t.Errorf("%+v: %+v", c, server)
		}
		if c.all && asked != filepath.Join(dir, "s.md") {
			t.Errorf("it asks for %q", asked)
		}
	}
}
