package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzConfig: whatever stands in scriptrun.toml, nothing panics, a mistake is
// told with a place inside the file, and what is taken has limits that hold.
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
		c, err := parseSettings("f.toml", []byte(text))
		if err == nil {
			if l := c.limits(); l.Timeout < 0 || l.MaxToolCalls < 0 || l.MaxOutputBytes < 0 || l.MaxMemoryBytes < 0 {
				t.Errorf("a ceiling of %+v", l)
			}
			return
		}
		var bad *settingsError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "f.toml") || bad.line < 0 || bad.line > strings.Count(text, "\n")+1 {
			t.Errorf("%v at line %d", err, bad.line)
		}
	})
}

func TestDropSpilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	spilled := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "x.stdout"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		left, err := filepath.Glob(filepath.Join(dir, "[A-Z]*"))
		for i, path := range left {
			left[i] = filepath.Base(path)
		}
		if err != nil || !slices.Equal(left, want) {
			t.Errorf("left are %q, %v; want %q", left, err, want)
		}
	}
	spilled("OLD", keepSpilled+time.Hour)
	spilled("NEW", keepSpilled-time.Hour)
	dropSpilled(dir, now)
	check("NEW")
	spilled("OLD", keepSpilled+time.Hour)
	dropSpilled(dir, now.Add(sweepEvery-time.Second)) // too early to look again
	check("NEW", "OLD")
	dropSpilled(dir, now.Add(sweepEvery))
	check("NEW")
	nowhere := filepath.Join(dir, "nowhere")
	dropSpilled(nowhere, now)
	if _, err := os.Stat(nowhere); !os.IsNotExist(err) {
		t.Errorf("it was made: %v", err)
	}
}
