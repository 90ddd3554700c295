package settings

import "testing"

// TestSettingsMistakesSayWhatWasExpected: where it is, and what to write.
func TestSettingsMistakesSayWhatWasExpected(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[sandbox]\nread = \"~/go\"":                                                 `s.toml:2: sandbox.read: expected a list: ["~/go"]`,
		"[[environments]]\nname = \"a\"\nenv = {CI = 1}":                             `s.toml:3: environments.env.CI: expected text: "…"`,
		"mcp_files = \"yes\"":                                                        `s.toml:1: mcp_files: expected true or false`,
		"[limits]\ntimeoutMs = \"5s\"":                                               `s.toml:2: limits.timeoutMs: expected a whole number: 5000`,
		"default_environment = 5":                                                    `s.toml:1: default_environment: expected text: "5"`,
		"[sandbx]\nread = []":                                                        `s.toml:1: unknown key sandbx; did you mean sandbox?`,
		"[sandbox]\nprofil = \"off\"":                                                `s.toml:2: unknown key sandbox.profil; did you mean sandbox.profile?`,
		"[fetch]\nhosts = [\"https://me:key@api.example.com/x?k=secret\"]":           `s.toml:2: fetch.hosts holds a URL; expected a host: "api.example.com"`,
		"[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\nurl = \"http://localhost\"": `s.toml: MCP server "a": command and url are both there; give one`,
	} {
		if _, err := parse("s.toml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s\n%v\nexpected %s", text, err, want)
		}
	}
}
