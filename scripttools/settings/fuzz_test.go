package settings

import (
	"errors"
	"strings"
	"testing"
)

// FuzzConfig: whatever scriptrun.toml holds, nothing panics, a mistake has a place inside the
// file, and accepted limits are valid.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"", "\n", "default_environment = 'a'\n[[environments]]\nname = 'a'\ncwd = '.'\nenv = {A = '1'}\ntrusted = true\n",
		"[sandbox]\nprofile = 'off'\nnetwork = true\nread = ['~/x', '/y', 'z']\nwrite = []\nrequire = false\n",
		"[limits]\ntimeoutMs = 1\nmaxToolCalls = 2\nmaxOutputBytes = 3\nmaxMemoryBytes = 67108864\n",
		"[limits]\ntimeoutMs = -1", "[limits]\ntimeoutMs = 9223372036854775807", "[limits]\nmaxToolCalls = 99999999999999999999", "[policy]\ndeny = ['bash']", "a.b.c = 1", "[[environments]]\nname = 3",
		"[sandbox]\nprofil = 1\n", "\x00", "\xff", "a = [[[[", "\"\" = 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse("f.toml", []byte(text))
		if err == nil {
			if l := c.limits(); l.Timeout < 0 || l.MaxToolCalls < 0 || l.MaxOutputBytes < 0 || l.MaxMemoryBytes < 0 {
				t.Errorf("a ceiling of %+v", l)
			}
			return
		}
		var bad *placedError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "f.toml") || bad.line < 0 || bad.line > strings.Count(text, "\n")+1 {
			t.Errorf("%v at line %d", err, bad.line)
		}
	})
}
