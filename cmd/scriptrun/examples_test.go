package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/clients"
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
		found := filepath.Join(dir, "path-"+server) // where the client finds it under the one name
		if err := os.MkdirAll(found, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, "bin", server), filepath.Join(found, "scriptrun")); err != nil {
			t.Fatal(err)
		}
		client := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "mcp-client"), "tools", "add", `{"a":1,"b":2}`)
		client.Dir, client.Env = dir, []string{"PATH=" + found, "HOME=" + dir}
		out, err := client.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "add - Adds.") || !strings.Contains(string(out), `"sum":3`) {
			t.Errorf("%s: %v\n%s", server, err, out)
		}
	}
}

// TestAgentSnippets: the snippets that people copy are what connect prints, for every client.
func TestAgentSnippets(t *testing.T) {
	t.Parallel()
	server := clients.Server{Name: clients.ServerName, Command: "scriptrun", Args: []string{"serve", "--tools", "/path/to/project/tools", "--workspace", "/path/to/project"}}
	want := map[string]bool{"README.md": true}
	for _, client := range clients.All() {
		want[snippetOf(client)] = true
		at := filepath.Join(root, "examples", "agents", snippetOf(client))
		switch got, err := os.ReadFile(at); {
		case err == nil && string(got) == client.Config(server):
		case *updateDocs:
			if err := os.WriteFile(at, []byte(client.Config(server)), 0o644); err != nil { //nolint:gosec // an example
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not what connect prints: %v; run go test ./cmd/scriptrun -run TestAgentSnippets -update-docs", at, err)
		}
	}
	files, err := os.ReadDir(filepath.Join(root, "examples", "agents"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !want[file.Name()] {
			t.Errorf("examples/agents/%s is the snippet of no client", file.Name())
		}
	}
}

// snippetOf is the file of a client's snippet.
func snippetOf(client clients.Client) string { return client.Name + path.Ext(client.Project) }

// agentTables are the parts of examples/agents/README.md that the code tells.
func agentTables() (files, overHTTP, switches string) {
	var rows []string
	var forms, says strings.Builder
	for _, client := range clients.All() {
		rows = append(rows, fmt.Sprintf("| %s | `%s` | %s | [%s](%s) |", client.Title, client.Project, userFile(client), snippetOf(client), snippetOf(client)))
		form := client.Config(clients.Server{Name: clients.ServerName, URL: "http://127.0.0.1:8080/mcp"})
		fmt.Fprintf(&forms, "\n%s, `%s`:\n\n```%s\n%s```\n", client.Title, client.Project, path.Ext(client.Project)[1:], form)
		if client.NoToken != "" {
			fmt.Fprintf(&forms, "\n%s.\n", client.NoToken)
		}
		fmt.Fprintf(&says, "\n### %s\n", client.Title)
		if client.Trusts != "" {
			fmt.Fprintf(&says, "\n- %s.\n", sentence(client.Trusts))
		}
		for _, s := range client.Switches(clients.ServerName, nil) {
			says.WriteString("\n- " + sentence(s.Says))
			if s.Text == "" {
				says.WriteString(".\n")
				continue
			}
			fmt.Fprintf(&says, "; in `%s`:\n\n  ```%s\n  %s\n  ```\n", s.File, path.Ext(s.File)[1:], strings.ReplaceAll(strings.TrimSuffix(s.Text, "\n"), "\n", "\n  "))
		}
	}
	return table("| agent | file of the project | file of the user | snippet |", rows), forms.String(), says.String()
}

// sentence begins as sentences do.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// userFile is the user's own file, as a path if it is one.
func userFile(client clients.Client) string {
	if strings.HasPrefix(client.User, "~") {
		return "`" + client.User + "`"
	}
	return client.User
}

// agentVersions is what each form was taken from.
func agentVersions() string {
	var rows []string
	for _, client := range clients.All() {
		rows = append(rows, fmt.Sprintf("| %s | %s |", client.Title, client.Version))
	}
	return table("| agent | version and page |", rows)
}

// agentNames is how each agent calls a tool, and how long its name may be.
func agentNames() string {
	var rows []string
	for _, client := range clients.All() {
		rows = append(rows, fmt.Sprintf("| %s | `%s` | %d |", client.Title, client.Shown(clients.ServerName, "todo-report"), client.Room(clients.ServerName)))
	}
	return table("| agent | what a model calls todo-report | longest name of a tool |", rows)
}
