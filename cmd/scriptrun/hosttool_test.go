package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/web"
)

// TestHostToolsPage: the page says what the tools say of themselves, and each says all of it.
func TestHostToolsPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	workspace, err := files.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { workspace.Close() })
	h := &host{fetch: &web.Fetch{}}
	registry, err := hostapi.NewRegistry(h.tools(workspace, &shell.Tool{Dir: dir})...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	var b strings.Builder
	b.WriteString("# Host tools\n\nWhat a script reaches through `ctx`, where its file lists it. Written from what the tools say of themselves, as\n" +
		"`scriptrun list --host` and `scriptrun describe grep` tell it too. Each result also has `output`, as text, and `exitCode`;\n" +
		"`metadata.more` says that a list goes on, and `metadata.next` is the `cursor` to go on with.\n")
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;")
	for _, name := range registry.Names() {
		tool := hostToolOf(registry, name)
		if tool.Description == "" || tool.Effect == "" || tool.Rule == "" || len(tool.arguments()) == 0 || tool.Data+tool.Metadata == "" {
			t.Errorf("%s does not say all of itself: %+v", name, tool)
		}
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n\n| argument | takes | |\n|---|---|---|\n", name, tool.Description)
		for _, row := range tool.arguments() {
			if row[2] == "" {
				t.Errorf("%s does not say what its argument %s is for", name, row[0])
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row[0], cell.Replace(row[1]), cell.Replace(row[2]))
		}
		b.WriteByte('\n')
		for _, fact := range tool.facts() {
			fmt.Fprintf(&b, "- %s: %s\n", fact[0], cell.Replace(fact[1]))
		}
	}
	path := filepath.Join(root, "docs", "host-tools.md")
	if *updateDocs {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
	}
	if b.String() != read(t, path) {
		t.Error("docs/host-tools.md is not what the tools say; run go test ./cmd/scriptrun -run TestHostToolsPage -update-docs")
	}
}
