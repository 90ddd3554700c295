package realm_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// TestPlatform runs the tables of testdata/platform: an expression, a tab, and what Node 20
// gives, or the standard where Node is behind. All rows of a file run in one realm.
func TestPlatform(t *testing.T) {
	t.Parallel()
	show, err := os.ReadFile("testdata/platform/show.js")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/platform/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			codes := fmt.Sprintf("const codes = %t;\n", filepath.Base(file) == "buffer.txt")
			platform(t, codes+string(show), strings.Split(string(text), "\n"))
		})
	}
}

func platform(t *testing.T, show string, lines []string) {
	t.Helper()
	var source strings.Builder
	source.WriteString(show + "export default async function run() {\nconst out = [];\n")
	var codes, wants []string
	for i, line := range lines {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		code, want, ok := strings.Cut(line, "\t")
		if !ok {
			t.Errorf("line %d has no tab: %s", i+1, line)
			continue
		}
		codes, wants = append(codes, code), append(wants, want)
		fmt.Fprintf(&source, "out.push(await each(async () => (%s\n)));\n", code)
	}
	source.WriteString("return out }")
	e := runTable(t, source.String())
	if e.throw != nil {
		t.Fatalf("%+v", e.throw)
	}
	var got []string
	if err := json.Unmarshal([]byte(e.value), &got); err != nil || len(got) != len(wants) {
		t.Fatalf("%d answers to %d rows: %v", len(got), len(wants), err)
	}
	for i, want := range wants {
		if got[i] != want {
			t.Errorf("%s\n got %s\nwant %s", codes[i], got[i], want)
		}
	}
}

// runTable runs a source whose value may be large.
func runTable(t *testing.T, source string) ending {
	t.Helper()
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source}, nil)
	if len(flaws) > 0 {
		t.Fatalf("flaws: %+v", flaws)
	}
	start, err := wire.New(wire.KindStart, wire.Start{
		Name: "t.js", Digest: source, Source: checked.Source, Entry: checked.Entry, Strict: checked.Strict,
		MaxOutputBytes: 1 << 20, MaxMemoryBytes: 256 << 20, Seed: 1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return runStart(t, start, nil)
}
