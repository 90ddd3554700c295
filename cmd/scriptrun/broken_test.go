package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var updateBroken = flag.Bool("update-broken", false, "rewrite what testdata/broken.txtar says of its files")

// TestBrokenFilesAreExplained: what check says of each file in testdata/broken.txtar is what
// follows it there. Each has its place, the line with a caret, and what to do unless that is plain.
func TestBrokenFilesAreExplained(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "broken.txtar")
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	const said = " says"
	dir := t.TempDir()
	var files []txtar.File
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, said) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	const least = 30
	if len(files) < least {
		t.Errorf("%d files, fewer than %d", len(files), least)
	}
	drawn := &txtar.Archive{Comment: archive.Comment}
	for _, f := range files {
		_, text, code := command(t, dir, "check", f.Name)
		warned := code == 0 && strings.HasPrefix(text, "warning: ")
		if code != 2 && !warned || !strings.Contains(text, f.Name+":") || !strings.Contains(text, "^\n") {
			t.Errorf("%s: exit code %d, and no place with a caret: %s", f.Name, code, text)
		}
		drawn.Files = append(drawn.Files, f, txtar.File{Name: f.Name + said, Data: []byte(text)})
	}
	got, want := string(txtar.Format(drawn)), string(txtar.Format(archive))
	switch {
	case got == want:
	case *updateBroken:
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("check says\n%s\nif that is meant, read it, and run go test ./cmd/scriptrun -run TestBrokenFiles -update-broken", got)
	}
}
