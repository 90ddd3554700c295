package jsonschema_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

var update = flag.Bool("update", false, "write the files anew from the version of the library that go.mod names")

const library = "github.com/santhosh-tekuri/jsonschema/v6"

// own are the files that are not the library's.
var own = []string{"anchors.go", "load.go", "copy_test.go"}

// TestCopy holds this folder to the library: a new version of it in go.mod, or
// an edit here, fails until the files are written anew.
func TestCopy(t *testing.T) {
	want := patched(t)
	if *update {
		for name, text := range want {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil { //nolint:gosec // a source file
				t.Fatal(err)
			}
		}
	}
	got := files(t, ".", func(string) bool { return true })
	for _, name := range own {
		delete(got, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("these files are not those of the library (-library +here); go test with -update writes them:\n%s", diff)
	}
}

// patched is the library's package, without its tests, with the one change.
func patched(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", library).Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	want := files(t, dir, func(name string) bool {
		top := !strings.Contains(name, "/")
		return name == "LICENSE" || strings.HasPrefix(name, "metaschemas/") ||
			top && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	})
	const starts, loads = "\nfunc init() {\n", "\nfunc loadMetaschemas() {\n"
	if strings.Count(want["draft.go"], starts) != 1 {
		t.Fatalf("%s has no init in draft.go any more: is this copy still needed?", library)
	}
	want["draft.go"] = strings.Replace(want["draft.go"], starts, loads, 1)
	for name, text := range want {
		if strings.HasSuffix(name, ".go") {
			want[name] = "// Code generated from " + library + " " + version + " by copy_test.go, which renames its init; DO NOT EDIT.\n\n" + text
		}
	}
	return want
}

func files(t *testing.T, dir string, wanted func(name string) bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(name) {
			return err
		}
		text, err := fs.ReadFile(root, name)
		found[name] = string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestLoad: what a schema needs is there after Load, and no earlier.
func TestLoad(t *testing.T) {
	jsonschema.Load()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", map[string]any{"type": "objekt"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile("s.json"); err == nil {
		t.Error("a type that is none was not seen: there is no metaschema")
	}
}
