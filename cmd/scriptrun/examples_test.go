package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// TestMCPExamples: the client calls a tool of the command, and of the server.
func TestMCPExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, room := range []string{"cmd/scriptrun", "examples/mcp-client", "examples/mcp-server"} {
		build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin", filepath.Base(room)), "./"+room)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	tool := "/*---\nkind: script\ndescription: Adds.\ninput_schema: {type: object, required: [a, b]}\n---*/\nexport default (ctx, { a, b }) => ({ sum: a + b })\n"
	if err := os.MkdirAll(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tools", "add.js"), []byte(tool), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"scriptrun", "mcp-server"} {
		path := filepath.Join(dir, "path-"+server) // where the client finds it under the one name
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, "bin", server), filepath.Join(path, "scriptrun")); err != nil {
			t.Fatal(err)
		}
		client := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "mcp-client"), "tools", "add", `{"a":1,"b":2}`)
		client.Dir, client.Env = dir, []string{"PATH=" + path, "HOME=" + dir}
		out, err := client.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "add - Adds.") || !strings.Contains(string(out), `"sum": 3`) {
			t.Errorf("%s: %v\n%s", server, err, out)
		}
	}
}

// TestAgentSnippets: the snippets that people copy can be parsed.
func TestAgentSnippets(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(root + "/examples/agents/*.*")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text := read(t, path)
		var value any
		switch filepath.Ext(path) {
		case ".json":
			err = json.Unmarshal([]byte(text), &value)
		case ".toml":
			err = toml.Unmarshal([]byte(text), &value)
		default:
			continue
		}
		if err != nil || !strings.Contains(text, `"--workspace"`) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
