package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/scripttools/clients"
)

// connectIn runs connect for a workspace, with a server that it does not start.
func connectIn(workspace string, args ...string) (code int, out string) {
	var all bytes.Buffer
	args = append([]string{"connect", "--workspace", workspace}, args...)
	code = run(env{args: args, stdin: strings.NewReader(""), stdout: &all, stderr: &all})
	return code, all.String()
}

const (
	servedURL  = "http://127.0.0.1:8080/mcp"
	beforeJSON = "{\n    \"z\": 1,\n    \"mcpServers\": {\n        \"mine\": {\"command\": \"x\"}\n    },\n    \"a\": {\"k\": [1,  2]}\n}\n"
	afterJSON  = "{\n    \"z\": 1,\n    \"mcpServers\": {\n        \"mine\": {\"command\": \"x\"},\n        \"scriptrun\": {\n            \"type\": \"http\",\n            \"url\": \"" + servedURL + "\",\n            \"headers\": {\n                \"Authorization\": \"Bearer ${SCRIPTRUN_TOKEN}\"\n            }\n        }\n    },\n    \"a\": {\"k\": [1,  2]}\n}\n"
)

// TestConnectRefuses what it does not understand, and tells no secret.
func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"emacs"}, "the clients are codex, opencode, gemini, qwen, claude, vscode, zed, cursor"},
		{[]string{"--write"}, "needs a client"},
		{[]string{"codex", "zed"}, "at most 1 arg"},
		{[]string{"codex", "--force"}, "is for --write"},
		{[]string{"codex", "--name", "a b"}, "letters, digits"},
		{[]string{"codex", "--url", "127.0.0.1:80"}, "expected an address such as"},
		{[]string{"codex", "--url", "ftp://me:secret@host/"}, "expected an address such as"},
		{[]string{"codex", "--url", "http://me:secret@127.0.0.1/mcp"}, "never from a file"},
		{[]string{"codex", "--url", servedURL + "?token=secret"}, "never from a file"},
		{[]string{"codex", "--url", servedURL, "--tools", "tools"}, "has its own"},
		{[]string{"claude", "--tools", "/x/${HOME}"}, "for a variable"},
		{[]string{"codex", "--tools", "/x/\xff"}, "not UTF-8"},
	} {
		code, out := connectIn(dir, c.args...)
		if code != exitUsage || !strings.Contains(out, c.want) || strings.Contains(out, "secret") {
			t.Errorf("%v: %d %s", c.args, code, out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestConnectTellsWhereATokenComesFrom, where the client can take it from a variable.
func TestConnectTellsWhereATokenComesFrom(t *testing.T) {
	t.Parallel()
	for _, client := range clients.All() {
		code, out := connectIn(t.TempDir(), client.Name, "--url", servedURL, "--name", "mine")
		want := "SCRIPTRUN_TOKEN, which must be set where " + client.Title + " starts"
		if client.NoToken != "" {
			want = client.NoToken
		}
		if code != 0 || !strings.Contains(out, want) || !strings.Contains(out, servedURL) || !strings.Contains(out, "mine") {
			t.Errorf("%s: %d %s", client.Name, code, out)
		}
	}
}

// TestConnectWrites the file of each client, once; what is there is kept, and so is its mode.
func TestConnectWrites(t *testing.T) {
	t.Parallel()
	for _, client := range clients.All() {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(client.Project))
		if code, out := connectIn(dir, client.Name, "--write", "--url", servedURL); code != 0 || !strings.Contains(out, "the server scriptrun is in it") {
			t.Errorf("%s: %d %s", client.Name, code, out)
		}
		written := read(t, path)
		if code, out := connectIn(dir, client.Name, "--write", "--url", servedURL); code != 0 || !strings.Contains(out, "nothing was written") || read(t, path) != written {
			t.Errorf("%s: %d %s", client.Name, code, out)
		}
		code, out := connectIn(dir, client.Name, "--write", "--url", servedURL+"2")
		if code != exitUsage || !strings.Contains(out, "already, which is another one") || read(t, path) != written {
			t.Errorf("%s: %d %s", client.Name, code, out)
		}
		if code, out := connectIn(dir, client.Name, "--write", "--force", "--url", servedURL+"2"); code != 0 || !strings.Contains(out, "is replaced") {
			t.Errorf("%s: %d %s", client.Name, code, out)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, ".mcp.json")
	if err := os.WriteFile(path, []byte(beforeJSON), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := connectIn(dir, "claude", "--write", "--url", servedURL); code != 0 || read(t, path) != afterJSON {
		t.Errorf("%d %s\n%s", code, out, read(t, path))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// TestConnectLeavesAloneWhatItCannotKeep, and says what to put there by hand.
func TestConnectLeavesAloneWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	commented := "{\n  // mine\n  \"servers\": {}\n}\n"
	for _, name := range []string{".vscode/mcp.json", "opencode.jsonc"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(commented), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out := connectIn(dir, "vscode", "--write", "--force", "--url", servedURL)
	if code != exitUsage || !strings.Contains(out, "nothing was written: it is not plain JSON") || !strings.Contains(out, `"type": "http"`) {
		t.Errorf("%d %s", code, out)
	}
	if code, out := connectIn(dir, "opencode", "--write", "--url", servedURL); code != exitUsage || !strings.Contains(out, "opencode.jsonc: nothing was written") {
		t.Errorf("%d %s", code, out)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".zed", "settings.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _ := connectIn(dir, "zed", "--write", "--url", servedURL); code == 0 {
		t.Error("a folder was written")
	}
	for _, name := range []string{".vscode/mcp.json", "opencode.jsonc"} {
		if got := read(t, filepath.Join(dir, name)); got != commented {
			t.Errorf("%s: %s", name, got)
		}
	}
	if isThere(filepath.Join(dir, "opencode.json")) {
		t.Error("a second file was made")
	}
}

// TestConnectFollowsLinksWithinTheWorkspace, and none that leads elsewhere or nowhere.
func TestConnectFollowsLinksWithinTheWorkspace(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if home, err := os.UserHomeDir(); err == nil && liesIn(canonical(top), canonical(home)) {
		// CI fails when anything was skipped.
		t.Skip("temporary folders lie in the home folder, where links may lead")
	}
	dir := filepath.Join(top, "project")
	for name, text := range map[string]string{"project/mine.json": beforeJSON, "other/elsewhere.json": beforeJSON} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"project/.mcp.json": "mine.json", "project/opencode.json": "../other/elsewhere.json", "project/.cursor": "../other", "project/.zed": "nowhere", "project/.vscode": ".",
		"project/mcp.json": "nowhere.json",
	} {
		if err := os.Symlink(to, filepath.Join(top, filepath.FromSlash(name))); err != nil {
			t.Skip(err) // Windows makes links for few; CI fails when anything was skipped
		}
	}
	if code, out := connectIn(dir, "claude", "--write", "--url", servedURL); code != 0 || read(t, filepath.Join(dir, "mine.json")) != afterJSON {
		t.Errorf("%d %s", code, out)
	}
	if to, err := os.Readlink(filepath.Join(dir, ".mcp.json")); err != nil || to != "mine.json" {
		t.Error(to, err)
	}
	for client, want := range map[string]string{"opencode": "outside the workspace", "cursor": "outside the workspace", "zed": "link to nothing", "vscode": "link to nothing"} {
		if code, out := connectIn(dir, client, "--write", "--url", servedURL); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s", client, code, out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(top, "other")); err != nil || len(left) != 1 || read(t, filepath.Join(top, "other", "elsewhere.json")) != beforeJSON {
		t.Error(left, err)
	}
}

// TestClientFilesAreProtected: what names servers to start is nothing that a script writes.
func TestClientFilesAreProtected(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	var paths protect.Paths
	for _, client := range clients.All() {
		for _, name := range append(client.Instead, client.Project) {
			if _, ok := paths.Match(workspace, filepath.Join(workspace, filepath.FromSlash(name))); !ok {
				t.Errorf("tools may write %s, from which %s starts servers", name, client.Title)
			}
		}
	}
}
