package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinksIntoTheHomeOfCommandsAreTold: with a home that is kept, and one that is not.
func TestLinksIntoTheHomeOfCommandsAreTold(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, kept := range []bool{false, true} {
		tool := newTool(t)
		if kept {
			tool.Sandbox.Homes = filepath.Join(t.TempDir(), "homes")
		}
		result, _ := run(t, tool, `git init -q "$HOME/evil"; mkdir "$HOME/evil/lib"; ln -s "$HOME/evil/lib" lib; git init -q --bare "$HOME/e.git"; git clone -q "$HOME/e.git" cl`)
		said := strings.Join(result.Notes, "\n")
		for _, path := range []string{"lib", "cl/.git/config"} {
			if _, err := os.Lstat(filepath.Join(tool.Dir, path)); err == nil || !strings.Contains(said, path+", which came while a command ran") {
				t.Errorf("%s, kept %v: %q\n%s", path, kept, said, result.Output)
			}
		}
	}
}

// TestLinksIntoTheHomeOfCommandsAreToldToAnOrdinaryUser tries the same as a user without rights.
func TestLinksIntoTheHomeOfCommandsAreToldToAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestLinksIntoTheHomeOfCommandsAreTold")
}

// TestNamesOfAHomeCountForAnOrdinaryUser tries names of a home as a user without rights.
func TestNamesOfAHomeCountForAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestNamesOfAHomeCountInAPartOfIt")
}
