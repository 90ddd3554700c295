package clients

import "strings"

// Client is a program that shows the tools of servers to a model.
type Client struct {
	// Name is its name in lower case, and Title as its makers write it.
	Name, Title string
	// Project is the file of a project that configures its servers, with slashes.
	Project string
	// Instead are other names for Project: if one of them is there, the client reads that.
	Instead []string
	// User is the user's own file; ~ stands for the home folder.
	User string
	// Trusts says what a person has to do before the client starts what a project names;
	// empty for nothing.
	Trusts string
	// NoToken says why a token cannot come from an environment variable, and what to do;
	// empty if it can.
	NoToken string
	// Version is what the form was taken from: a page, and a version that was seen to
	// take it where there is one.
	Version string

	at      string   // the key that servers are below
	marks   []string // with which it takes a part of a text for a variable
	toml    bool
	schema  string // of the file, which editors take
	entry   func(Server) object
	permits func(server string, reads []string) []Switch
	takes   takes
}

// all are the clients, in the order in which they are listed.
var all = []Client{
	{
		Name: "codex", Title: "Codex", Project: ".codex/config.toml", User: "~/.codex/config.toml",
		Trusts:  "Codex reads the file of a project that you trust, which it asks about when it starts there",
		Version: "Codex 0.169; https://developers.openai.com/codex/mcp; writes: https://github.com/openai/codex/pull/30482",
		at:      "mcp_servers", toml: true,
		entry: func(s Server) object {
			entry := s.stdio()
			if s.URL != "" {
				entry = object{{"url", s.URL}, {"bearer_token_env_var", TokenVariable}}
			}
			return append(entry, member{"default_tools_approval_mode", "writes"})
		},
		permits: codexPermits, takes: codexTakes,
	},
	{
		Name: "opencode", Title: "opencode", Project: "opencode.json", Instead: []string{"opencode.jsonc"}, User: "~/.config/opencode/opencode.json",
		Version: "opencode 1.18; https://opencode.ai/v1/docs/mcp-servers, which version 2 reads as well",
		at:      "mcp", marks: []string{"{env:", "{file:"}, schema: "https://opencode.ai/config.json",
		entry: func(s Server) object {
			if s.URL != "" {
				return object{{"type", "remote"}, {"url", s.URL}, {"oauth", false}, {"headers", bearer("{env:" + TokenVariable + "}")}, {"enabled", true}}
			}
			return object{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
		},
		permits: opencodePermits, takes: opencodeTakes,
	},
	{
		Name: "gemini", Title: "Gemini CLI", Project: ".gemini/settings.json", User: "~/.gemini/settings.json",
		Trusts:  "where folder trust is on, Gemini CLI starts servers of folders that you trust",
		Version: "Gemini CLI 0.61; https://geminicli.com/docs/tools/mcp-server and https://geminicli.com/docs/reference/policy-engine",
		at:      "mcpServers", marks: []string{"$"}, entry: geminiEntry, permits: geminiPermits, takes: geminiTakes,
	},
	{
		Name: "qwen", Title: "Qwen Code", Project: ".qwen/settings.json", User: "~/.qwen/settings.json",
		Trusts:  "in a session with a person, Qwen Code starts servers of folders that you trust",
		Version: "Qwen Code 0.15; https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp; version 1 reads the file as well",
		at:      "mcpServers", marks: []string{"$"}, entry: geminiEntry, permits: qwenPermits, takes: qwenTakes,
	},
	{
		Name: "claude", Title: "Claude Code", Project: ".mcp.json", User: "~/.claude.json",
		Trusts:  "Claude Code asks about the servers of a project when it starts there",
		Version: "Claude Code 2.1; https://code.claude.com/docs/en/mcp",
		at:      "mcpServers", marks: []string{"${"},
		entry: func(s Server) object {
			if s.URL != "" {
				return object{{"type", "http"}, {"url", s.URL}, {"headers", bearer("${" + TokenVariable + "}")}}
			}
			return s.stdio()
		},
		permits: claudePermits, takes: claudeTakes,
	},
	{
		Name: "vscode", Title: "VS Code", Project: ".vscode/mcp.json", User: "mcp.json of the profile: the command MCP: Open User Configuration",
		Trusts:  "VS Code asks about a server when it starts it for the first time",
		Version: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration and https://code.visualstudio.com/api/extension-guides/ai/mcp",
		at:      "servers", marks: []string{"${"},
		entry: func(s Server) object {
			if s.URL != "" {
				return object{{"type", "http"}, {"url", s.URL}, {"headers", bearer("${env:" + TokenVariable + "}")}}
			}
			return append(object{{"type", "stdio"}}, s.stdio()...)
		},
		permits: vscodePermits, takes: vscodeTakes,
	},
	{
		Name: "zed", Title: "Zed", Project: ".zed/settings.json", User: "~/.config/zed/settings.json",
		Trusts:  "Zed starts servers of a worktree that you trust",
		NoToken: "Zed takes no header from an environment variable: serve on loopback without a token, or let Zed start the command; a token would stand in its settings",
		Version: "Zed 0.224; https://zed.dev/docs/ai/mcp and https://zed.dev/docs/worktree-trust",
		at:      "context_servers",
		entry: func(s Server) object {
			if s.URL != "" {
				return object{{"url", s.URL}}
			}
			return s.stdio()
		},
		permits: zedPermits, takes: zedTakes,
	},
	{
		Name: "cursor", Title: "Cursor", Project: ".cursor/mcp.json", User: "~/.cursor/mcp.json",
		Trusts:  "Cursor asks about a server of a project; its command line takes --approve-mcps",
		Version: "https://cursor.com/docs/mcp and https://cursor.com/docs/reference/permissions",
		at:      "mcpServers", marks: []string{"${"},
		entry: func(s Server) object {
			if s.URL != "" {
				return object{{"url", s.URL}, {"headers", bearer("${env:" + TokenVariable + "}")}}
			}
			return s.stdio()
		},
		permits: cursorPermits, takes: cursorTakes,
	},
}

// geminiEntry is that of Gemini CLI, and of Qwen Code, which began as a copy of it.
func geminiEntry(s Server) object {
	if s.URL != "" {
		return object{{"httpUrl", s.URL}, {"headers", bearer("${" + TokenVariable + "}")}}
	}
	return s.stdio()
}

// All returns the clients, in a fixed order.
func All() []Client {
	return append([]Client(nil), all...)
}

// Find returns the client of a name; false if there is none.
func Find(name string) (Client, bool) {
	for _, client := range all {
		if client.Name == name {
			return client, true
		}
	}
	return Client{}, false
}

// Expands reports whether the client would take a part of a text in its configuration for a
// variable.
func (c Client) Expands(text string) bool {
	for _, mark := range c.marks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// Names are those of all clients.
func Names() (names []string) {
	for _, client := range all {
		names = append(names, client.Name)
	}
	return names
}

// Config is the text of a configuration file that has this server and nothing else.
func (c Client) Config(s Server) string {
	if c.toml {
		return c.table(s)
	}
	file := object{{c.at, object{{s.Name, c.entry(s)}}}}
	if c.schema != "" {
		file = append(object{{"$schema", c.schema}}, file...)
	}
	var b strings.Builder
	writeJSON(&b, file, "", "  ")
	return b.String() + "\n"
}

// table is a server as a table of TOML.
func (c Client) table(s Server) string {
	var b strings.Builder
	b.WriteString(c.header(s.Name) + "\n")
	writeTOML(&b, c.entry(s))
	return b.String()
}

// header is the line with which the table of a server begins. Names of servers are bare keys.
func (c Client) header(server string) string { return "[" + c.at + "." + server + "]" }
