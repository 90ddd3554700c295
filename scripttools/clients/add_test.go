package clients_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/scriptrun/scriptrun/scripttools/clients"
)

var started = clients.Server{Name: "s", Command: "c", Args: []string{"serve"}}

func find(t testing.TB, name string) clients.Client {
	t.Helper()
	client, ok := clients.Find(name)
	if !ok {
		t.Fatalf("there is no client %s", name)
	}
	return client
}

// TestAddKeepsWhatIsThere, in its manner, and refuses what it cannot keep.
func TestAddKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client, text, want string
		change             clients.Change
		force              bool
	}{
		"empty":           {"claude", " \n", "{\n  \"mcpServers\": {\n    \"s\": {\n      \"command\": \"c\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n", clients.Created, false},
		"no members":      {"claude", "{}\n", "{\n  \"mcpServers\": {\n    \"s\": {\n      \"command\": \"c\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n", clients.Added, false},
		"other keys":      {"claude", "{\n  \"z\": 1,\n  \"a\": [2,3]\n}", "{\n  \"z\": 1,\n  \"a\": [2,3],\n  \"mcpServers\": {\n    \"s\": {\n      \"command\": \"c\",\n      \"args\": [\"serve\"]\n    }\n  }\n}", clients.Added, false},
		"other servers":   {"claude", "{\n\t\"mcpServers\": {\n\t\t\"o\": { }\n\t}\n}\n", "{\n\t\"mcpServers\": {\n\t\t\"o\": { },\n\t\t\"s\": {\n\t\t\t\"command\": \"c\",\n\t\t\t\"args\": [\"serve\"]\n\t\t}\n\t}\n}\n", clients.Added, false},
		"no servers":      {"claude", "{\r\n  \"mcpServers\": {}\r\n}\r\n", "{\r\n  \"mcpServers\": {\r\n    \"s\": {\r\n      \"command\": \"c\",\r\n      \"args\": [\"serve\"]\r\n    }\r\n  }\r\n}\r\n", clients.Added, false},
		"one line":        {"claude", `{"a":1}`, `{"a":1, "mcpServers": {"s":{"command":"c","args":["serve"]}}}`, clients.Added, false},
		"there":           {"claude", `{"mcpServers":{"s":{"args":["serve"],"command":"c","env":{}}}}`, "", clients.Unchanged, false},
		"replaced":        {"claude", `{"mcpServers":{"s":{"command":"d"},"t":1}}`, `{"mcpServers":{"s":{"command":"c","args":["serve"]},"t":1}}`, clients.Replaced, true},
		"differs":         {"claude", `{"mcpServers":{"s":{"command":"d"}}}`, "", "", false},
		"comments":        {"zed", "// mine\n{}", "plain JSON", "", true},
		"a comma":         {"zed", `{"a": 1,}`, "plain JSON", "", true},
		"more behind":     {"zed", `{} {}`, "plain JSON", "", true},
		"a list":          {"zed", ` [{"a":1}]`, "no object", "", true},
		"a number":        {"zed", ` 7`, "no object", "", true},
		"no object there": {"zed", `{"context_servers": 1}`, "no object", "", true},
		"twice":           {"zed", `{"context_servers": {}, "context_servers": {}}`, "twice", "", true},
		"a server twice":  {"zed", `{"context_servers": {"s": 1, "s": 1}}`, "twice", "", true},
		"toml":            {"codex", "# mine\na = 1", "# mine\na = 1\n\n[mcp_servers.s]\ncommand = \"c\"\nargs = [\"serve\"]\ndefault_tools_approval_mode = \"writes\"\n", clients.Added, false},
		"toml beside":     {"codex", "[mcp_servers.o]\nurl = 'u'\n[z]\n", "[mcp_servers.o]\nurl = 'u'\n[z]\n\n[mcp_servers.s]\ncommand = \"c\"\nargs = [\"serve\"]\ndefault_tools_approval_mode = \"writes\"\n", clients.Added, false},
		"toml there":      {"codex", "mcp_servers = {s = {command = 'c', args = ['serve'], default_tools_approval_mode = 'writes', enabled = true}}", "", clients.Unchanged, false},
		"toml differs":    {"codex", "[mcp_servers.s]\ncommand = 'd'\n", "", "", false},
		"toml replaced": {
			"codex", "[mcp_servers.s]\ncommand = 'd' # not mine\n[mcp_servers.s.tools.x]\na = 1\n# of z\n[z]\nb = 1\n",
			"# of z\n[z]\nb = 1\n\n[mcp_servers.s]\ncommand = \"c\"\nargs = [\"serve\"]\ndefault_tools_approval_mode = \"writes\"\n", clients.Replaced, true,
		},
		"toml inline": {"codex", "mcp_servers = {o = {url = 'u'}}\n", "cannot be put at its end", "", true},
		"toml broken": {"codex", "a = \n", "not valid TOML", "", true},
	} {
		client := find(t, c.client)
		got, change, err := client.Add([]byte(c.text), started, c.force)
		if change != c.change {
			t.Errorf("%s: %q, %v", name, change, err)
			continue
		}
		var unkept *clients.KeepError
		switch {
		case c.change == "" && c.want == "":
			if !errors.Is(err, clients.ErrDiffers) {
				t.Errorf("%s: %v", name, err)
			}
		case c.change == "":
			if !errors.As(err, &unkept) || !strings.Contains(unkept.Why, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		case c.change == clients.Unchanged:
			if string(got) != c.text {
				t.Errorf("%s: %s", name, got)
			}
		case string(got) != c.want:
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}

// TestAddTwiceIsAddOnce, for every client and both ways to reach a server; what is written is
// read as its form, and has no secret.
func TestAddTwiceIsAddOnce(t *testing.T) {
	t.Parallel()
	for _, client := range clients.All() {
		for _, server := range []clients.Server{
			{Name: "s", Command: "/a b/\"c\"\\", Args: []string{"serve", "--tools", "/<é>\x7f"}},
			{Name: "s", URL: "http://127.0.0.1:8080/mcp"},
		} {
			first := client.Config(server)
			second, change, err := client.Add([]byte(first), server, false)
			if err != nil || change != clients.Unchanged || string(second) != first {
				t.Errorf("%s: %v, %s, %v", client.Name, change, second, err)
			}
			var value map[string]any
			read := json.Unmarshal
			if strings.HasSuffix(client.Project, ".toml") {
				read = toml.Unmarshal
			}
			if err := read([]byte(first), &value); err != nil {
				t.Errorf("%s: %v\n%s", client.Name, err, first)
			}
			if told := strings.Contains(first, clients.TokenVariable); told != (server.URL != "" && client.NoToken == "") {
				t.Errorf("%s: %s", client.Name, first)
			}
		}
	}
}

// FuzzAddJSON: whatever the file is, all that was in it is in it, in its place.
func FuzzAddJSON(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "{\n  \"a\": 1\n}", `{"mcpServers":{}}`, `{"mcpServers":{"s":{}}}`, `{"mcpServers":{"o":[1,{"a":null}]},"b":"é\u2028"}`,
		"{\r\n\t\"a\" : 1 ,\r\n\t\"mcpServers\" : { \"x\" : 1e3 }\r\n}\r\n", `{"a":"}","mcpServers":{"o":1}}`, "// c\n{}", `{"\u006dcpServers":{"\ud800":1}}`, " {\"a\": \"x\xff\"}",
	} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, force bool) {
		client := find(t, "claude")
		got, change, err := client.Add([]byte(text), started, force)
		if err != nil {
			return
		}
		var before, after map[string]any
		if change != clients.Created {
			if err := json.Unmarshal([]byte(text), &before); err != nil {
				t.Fatal(err)
			}
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		same(t, before, after, "mcpServers")
		if change == clients.Added && !subsequence(strings.Join(strings.Fields(text), ""), string(got)) {
			t.Fatalf("%q is not in %q", text, got)
		}
		again, change, err := client.Add(got, started, false)
		if err != nil || change != clients.Unchanged || string(again) != string(got) {
			t.Fatalf("again: %v, %v, %s", change, err, again)
		}
	})
}

// FuzzAddTOML is FuzzAddJSON for TOML.
func FuzzAddTOML(f *testing.F) {
	for _, seed := range []string{
		"", "a = 1", "[mcp_servers.s]\ncommand = 'd'\n[z]", "mcp_servers.o.url = 'u'", "[[mcp_servers]]\n", "a = '''\n[mcp_servers.s]\n'''\n", "[mcp_servers.s]\nx = [\n[1],\n]\ny = 1",
		"[mcp_servers.s.tools.x]\na = 1", "[ mcp_servers . s ]\na = 1", "d = 2026-01-01T00:00:00Z\nn = nan", "\v",
	} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, force bool) {
		client := find(t, "codex")
		got, change, err := client.Add([]byte(text), started, force)
		if err != nil {
			return
		}
		var before, after map[string]any
		if change != clients.Created {
			if err := toml.Unmarshal([]byte(text), &before); err != nil {
				t.Fatal(err)
			}
		}
		if err := toml.Unmarshal(got, &after); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		same(t, before, after, "mcp_servers")
		if change == clients.Added && !strings.HasPrefix(string(got), strings.TrimRight(text, " \t\r\n")) {
			t.Fatalf("%q does not begin %q", text, got)
		}
		again, change, err := client.Add(got, started, false)
		if err != nil || change != clients.Unchanged || string(again) != string(got) {
			t.Fatalf("again: %v, %v, %s", change, err, again)
		}
	})
}

// same checks that two files say the same, but for the server.
func same(t *testing.T, before, after map[string]any, at string) {
	t.Helper()
	had, _ := before[at].(map[string]any)
	has, _ := after[at].(map[string]any)
	if _, ok := has["s"]; !ok {
		t.Fatalf("the server is not in %v", after)
	}
	for _, servers := range []map[string]any{had, has} {
		delete(servers, "s")
	}
	for _, file := range []map[string]any{before, after} {
		if servers, ok := file[at].(map[string]any); ok && len(servers) == 0 {
			delete(file, at)
		}
	}
	if len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
		t.Fatalf("%v\nwas\n%v", after, before)
	}
}

// subsequence reports whether all bytes of a text are in another one, in their order.
func subsequence(text, in string) bool {
	for i := 0; i < len(in) && text != ""; i++ {
		if in[i] == text[0] {
			text = text[1:]
		}
	}
	return text == ""
}
