package clients

import (
	"fmt"
	"strings"
)

// Switch is one way to let tools run without a question.
type Switch struct {
	// Says is what it does, in a sentence without its full stop.
	Says string
	// File is where it is set, and Text what to put there; empty for none.
	File, Text string
}

// Switches are the client's own for tools of a server. reads names tools that only read; if there
// are none, TOOL stands for one, as it does for those that may do more.
func (c Client) Switches(server string, reads []string) []Switch {
	if len(reads) == 0 {
		reads = []string{anyTool}
	}
	return c.permits(server, reads)
}

// anyTool stands for the name of a tool.
const anyTool = "TOOL"

// each is a text for each tool.
func each(tools []string, format string, args ...any) (all []string) {
	for _, tool := range tools {
		all = append(all, fmt.Sprintf(format, append(args, tool)...))
	}
	return all
}

func fileOf(file object) string {
	var b strings.Builder
	writeJSON(&b, file, "", "  ")
	return b.String() + "\n"
}

func codexPermits(server string, _ []string) []Switch {
	return []Switch{
		{Says: `the entry has default_tools_approval_mode = "writes", which lets tools that only read run, and asks about others; versions before July 2026 know "auto", "prompt" and "approve" alone`},
		{Says: "without a person, as in codex exec, Codex refuses what it would ask about; this lets one tool more run", File: ".codex/config.toml", Text: fmt.Sprintf("[mcp_servers.%s.tools.%s]\napproval_mode = \"approve\"\n", server, anyTool)},
	}
}

func opencodePermits(server string, reads []string) []Switch {
	rules := object{{server + "_*", "ask"}}
	for _, tool := range reads {
		rules = append(rules, member{server + "_" + tool, "allow"})
	}
	return []Switch{{
		Says: "by itself opencode asks about no tool of a server; this makes it ask about all but those that only read, the last rule that fits counting",
		File: "opencode.json", Text: fileOf(object{{"permission", rules}}),
	}}
}

// geminiPermits: policies of a project have no effect, see
// https://github.com/google-gemini/gemini-cli/issues/18186.
func geminiPermits(server string, _ []string) []Switch {
	return []Switch{
		{
			Says: "this lets tools that only read run, without a person too, if the server's name has no _", File: "~/.gemini/policies/" + server + ".toml",
			Text: fmt.Sprintf("[[rule]]\nmcpName = %s\ntoolAnnotations = { readOnlyHint = true }\ndecision = \"allow\"\npriority = 100\n", quoted(server)),
		},
		{Says: `with "trust": true beside "command" the agent lets every tool of the server run, and --approval-mode=yolo every tool there is`},
	}
}

func qwenPermits(server string, _ []string) []Switch {
	return []Switch{
		{
			Says: "tools that only read run without a question; this lets one tool more run, without a person too",
			File: ".qwen/settings.json", Text: fileOf(object{{"permissions", object{{"allow", each([]string{anyTool}, "mcp__%s__%s", server)}}}}),
		},
		{Says: `with "trust": true beside "command" the agent lets every tool of the server run, and --approval-mode=yolo every tool there is`},
	}
}

func claudePermits(server string, reads []string) []Switch {
	rules := each(reads, "mcp__%s__%s", server)
	return []Switch{
		{Says: "this lets tools run that only read", File: ".claude/settings.json", Text: fileOf(object{{"permissions", object{{"allow", rules}}}})},
		{Says: fmt.Sprintf("for one session: claude --allowedTools %s; mcp__%s stands for all tools of the server", quoted(strings.Join(rules, ",")), server)},
	}
}

func vscodePermits(string, []string) []Switch {
	return []Switch{{Says: "VS Code runs tools that only read without a question, and asks about others; what is always allowed is chosen where it asks"}}
}

func zedPermits(server string, reads []string) []Switch {
	var tools object
	for _, tool := range reads {
		tools = append(tools, member{"mcp:" + server + ":" + tool, object{{"default", "allow"}}})
	}
	return []Switch{{
		Says: "Zed asks about every tool; this lets those run that only read", File: "~/.config/zed/settings.json",
		Text: fileOf(object{{"agent", object{{"tool_permissions", object{{"tools", tools}}}}}}),
	}}
}

func cursorPermits(server string, reads []string) []Switch {
	return []Switch{{
		Says: "Cursor asks about every tool; this lets those run that only read", File: ".cursor/permissions.json",
		Text: fileOf(object{{"mcpAllowlist", each(reads, "%s:%s", server)}}),
	}}
}
