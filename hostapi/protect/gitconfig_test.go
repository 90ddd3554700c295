package protect

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSettingsAreThoseOfGit: a configuration is read as git reads it.
func TestSettingsAreThoseOfGit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[core] hooksPath = hk", "[core]hooksPath=hk\n", "[CORE]\nHooksPath = \"h k\" ; x\n", "[core]\n\thooksPath = h\\\nk\n", "[core] # c\n hooksPath = a # b\n",
		"[core]\r\n\thooksPath = hk\r\n", "\ufeff[core]\nhooksPath = x", "[a.B \"c\"]\nd = e\n", "[a \"B.c\\\"d\"]\ne = f g  \n", "[a.b]\nc = d\n", "[core]\nbare\nhooksPath = x\\ty\n",
		"[include] path = ../x\n[includeIf \"gitdir:~/x\"] path = y", "[a]\nb = \"c;d\" e # \"\n", "[a]\nb = c \"\" \n", "[a] b-c1 = 2", "[a]\nb =\n c = \"d\\\ne\"\n", "; [core] x = y\n[a]\n# c\nb=c\\\\d\n",
		"[core \"fsmonitor\x00\"]\n\tabbrev = x\n", "[remote \"o.url\x00p\"] x = y\n", "[a \"b\x00c\"] d = e\x00f\n[a]\nb = \"c \x00d\"\n", "[a \"\x00\"] b = c\n",
	} {
		file := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "git", "config", "--file", file, "--no-includes", "--list", "-z").Output()
		if err != nil {
			t.Errorf("git fails on %q: %v", text, err)
		}
		var got []string
		for _, s := range settingsOf(text) {
			name := s.section
			if s.sub != "" {
				name += "." + s.sub
			}
			got = append(got, strings.TrimRight(name+"."+s.name+"\n"+s.value, "\n"))
		}
		var want []string
		for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			want = append(want, strings.TrimRight(line, "\n"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, git has %q", text, got, want)
		}
	}
	for _, text := range []string{"[core\nhooksPath = x", "[a]\nb = \"c\n", "[a]\nb = \\x\n", "[a \"b\" ]\nc = d\n", "hooks_path = x\n", "[a]\n1 = 2\n", "[a]\nb c\n"} {
		if got := settingsOf(text); len(got) != 0 {
			t.Errorf("%q: %q, git fails", text, got)
		}
	}
}
