package settings

import "testing"

// TestSettingsMistakesSayWhatWasExpected: an error says where the mistake is, and what to
// write.
func TestSettingsMistakesSayWhatWasExpected(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[sandbox]\nread = \"~/go\"":                                                 `s.toml:2:8: sandbox.read: expected a list: ["~/go"]`,
		"[[environments]]\nname = \"a\"\nenv = {CI = 1}":                             `s.toml:3:13: environments.env.CI: expected text: "1"`,
		"mcp_files = \"yes\"":                                                        `s.toml:1:13: mcp_files: expected true or false`,
		"[limits]\ntimeoutMs = \"5s\"":                                               `s.toml:2:13: limits.timeoutMs: expected a whole number: 5000`,
		"default_environment = 5":                                                    `s.toml:1:23: default_environment: expected text: "5"`,
		"[sandbx]\nread = []":                                                        `s.toml:1:2: unknown key sandbx; did you mean sandbox?`,
		"[sandbox]\nprofil = \"off\"":                                                `s.toml:2:1: unknown key sandbox.profil; did you mean sandbox.profile?`,
		"[fetch]\nhosts = [\"https://me:key@api.example.com/x?k=secret\"]":           `s.toml:2:10: fetch.hosts holds a URL; expected a host: "api.example.com"`,
		"[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\nurl = \"http://localhost\"": `s.toml:1:3: MCP server "a": command and url are both there; give one`,
		"[sandbox]\nwrite = [\"~/go\", \"/usr/..\"]":                                 `s.toml:2:18: sandbox.write names the root folder; name the folders that commands need`,
		"[sandbox]\nread = [\"~/go\", \"/run/\"]":                                    `s.toml:2:17: sandbox: /run is not for commands to read as a whole, since they have folders of their own in it: in [sandbox] read, name the folders or files in it that they need`,
		"[sandbox]\nread = [\"/usr/../dev\"]":                                        `s.toml:2:9: sandbox: /dev is not for commands to read as a whole, since they have folders of their own in it: in [sandbox] read, name the folders or files in it that they need`,
		"[sandbox]\nread = [\"~/go\", 5]":                                            `s.toml:2:17: sandbox.read: expected a list: ["…"]`,
		"[environments]\nname = \"a\"":                                               `s.toml:1:2: environments: expected tables: [[environments]]`,
		"[[sandbox]]\nprofile = \"off\"":                                             `s.toml:1:3: sandbox: expected a table: [sandbox]`,
		"sandbox = \"off\"":                                                          `s.toml:1:11: sandbox: expected a table: [sandbox]`,
		"[sandbox.network]\nhosts = []":                                              `s.toml:1:2: sandbox.network: expected a value, not a table`,
		"[sandbox]\nPROFILE = \"off\"":                                               `s.toml:2:1: unknown key sandbox.PROFILE; did you mean sandbox.profile?`,
		"\"sandbox.profile\" = \"off\"":                                              `s.toml:1:1: unknown key "sandbox.profile"; did you mean sandbox.profile?`,
		"# é\nmcp_files = true\nmcp_files = true":                                    `s.toml:3:1: key mcp_files is already defined`,
		"[limits]\ntimeoutMs = 0":                                                    `s.toml:2:1: limits.timeoutMs is 0; expected more than zero`,
		"[limits]\nmaxToolCalls = 9223372036854775808":                               `s.toml:2:16: decimal number is too large to fit in a 64-bit signed integer`,
		"[sandbox.limits]\nopenFiles = 3":                                            `s.toml:2:1: sandbox.limits.openFiles is 3; expected at least 256`,
		"[sandbox]\nnetwork = \"some\"":                                              `s.toml:2:1: network is "some"; expected "none", "loopback", "full", or a list of hosts such as ["api.example.com", "preset:go"]`,
		"[policy]\ndeny = [\n  \"bash\", 'é', \"Bash(\"]":                            `s.toml:3:11: policy.deny: rule "é", character 1: a tool name holds letters, digits, _ and - only, at most 64 of them`,
		"[audit]\nrequire = true":                                                    `s.toml:2:1: audit.file is missing; name the file for the log`,
		"[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\n[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"": `s.toml:4:3: the name of the MCP server "a" is taken by another one in this file`,
		"mcp_servers = [{name = \"a\"}]": `s.toml:1:16: MCP server "a": it needs either a command or a url`,
		"x = [":                          `s.toml:1:5: array is incomplete`,
		"environments.name = \"a\"":      `s.toml:1:1: environments: expected tables: [[environments]]`,
		"[environments.env]\nA = \"1\"":  `s.toml:1:2: environments: expected tables: [[environments]]`,
		"sandbox.profil.x.y = 1":         `s.toml:1:1: unknown key sandbox.profil; did you mean sandbox.profile?`,
		"[policy]\nallow = ['a',\n'b', 'bash(é)', 'c(', 'd']": `s.toml:3:17: policy.allow: rule "c(", character 3: expected ) at the end`,
	} {
		if _, err := parse("s.toml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s\n%v\nexpected %s", text, err, want)
		}
	}
}
