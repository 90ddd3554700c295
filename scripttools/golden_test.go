package scripttools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata/load")

// TestLoad loads the tools folder of each archive. Its file "problems" is the
// error that has to come of it, or, when that is empty, "catalog" is what was
// loaded.
func TestLoad(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("found %d archives, error %v", len(archives), err)
	}
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			golden := map[string]string{}
			var kept []txtar.File
			for _, f := range archive.Files {
				if f.Name == "problems" || f.Name == "catalog" {
					golden[f.Name] = string(f.Data)
					continue
				}
				files[f.Name] = string(f.Data)
				kept = append(kept, f)
			}
			catalog, dir, loadErr := loadFiles(t, files)
			got := map[string]string{"problems": shown(loadErr, dir)}
			if loadErr == nil {
				var b bytes.Buffer
				encoder := json.NewEncoder(&b)
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				for spec := range catalog.All() {
					if err := encoder.Encode(spec.Describe()); err != nil {
						t.Fatal(err)
					}
				}
				got["catalog"] = string(bytes.ReplaceAll(b.Bytes(), []byte(filepath.ToSlash(dir)+"/"), nil))
			} else if catalog != nil {
				t.Error("there is a catalog beside the error")
			}
			if *update {
				archive.Files = kept
				for _, name := range []string{"problems", "catalog"} {
					if text, ok := got[name]; ok {
						archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(golden, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
