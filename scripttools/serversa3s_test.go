package scripttools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestServersInTheWordsOfA3S are the same servers.
func TestServersInTheWordsOfA3S(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.md": "---\nkind: mcp\nname: github\nenabled: true\ntool_timeout_secs: 30\ntransport:\n  type: stdio\n  command: npx\n  args: [-y, server]\nenv:\n  TOKEN: ${env:TOKEN}\n  MODE: fast\n---\n",
		"b.md": "---\nkind: mcp\ntransport:\n  type: streamable-http\n  url: https://example.com/mcp\n  headers: {Authorization: \"Bearer ${env:KEY}\", X-A: b}\n---\n",
		"c.md": "---\nkind: mcp\nenabled: false\ntransport: stdio\ncommand: npx\n---\n",
		"d.md": "---\nkind: mcp\ntransport: stdio\ncommand: npx\n---\n",
		"e.md": "---\nkind: mcp\ntransport: {type: pigeon, comand: npx}\nenv: {A: \"${env:B}\"}\ntool_timeout_secs: 0\n---\n",
		"f.md": "---\nkind: mcp\ncommand: npx\nargs: [\"${env:A}\"]\nenv: {A: \"x${env:A}\"}\ntransport: {type: stdio, command: \"${env:B}\"}\n---\n",
		"g.md": "---\nkind: mcp\ntransport: {type: http, url: \"http://h/${env:KEY}\"}\n---\n",
	})
	servers, err := scripttools.LoadServers(scripttools.Dir{Path: dir})
	if err != nil || len(servers) != 6 {
		t.Fatal(servers, err)
	}
	a, b, d, e := servers[0], servers[1], servers[2], servers[3]
	if a.Err != nil || a.Name != "github" || a.Command != "npx" || len(a.Args) != 2 || a.Timeout != 30*time.Second || len(a.PassEnv) != 1 || a.PassEnv[0] != "TOKEN" || len(a.Env) != 1 {
		t.Errorf("%+v", a)
	}
	if b.Err != nil || b.URL != "https://example.com/mcp" || b.BearerEnv != "KEY" || len(b.Headers) != 1 {
		t.Errorf("%+v", b)
	}
	if d.Err != nil || d.Command != "npx" {
		t.Errorf("%+v", d)
	}
	for i, wants := range map[int][]string{
		4: {`env.A: a variable of the host's`, `command: a variable of the host's`, `command stands below transport already`, `args stands below transport already`},
		5: {`url: a variable of the host's`},
	} {
		for _, want := range wants {
			if err := servers[i].Err; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in %v", want, err)
			}
		}
	}
	for _, want := range []string{`unknown transport "pigeon"`, `unknown key "comand"`, "did you mean command?", "gets no other name than", "tool_timeout_secs is 0"} {
		if e.Err == nil || !strings.Contains(e.Err.Error(), want) {
			t.Errorf("%q is not in %v", want, e.Err)
		}
	}
}
