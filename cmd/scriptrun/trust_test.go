package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// answer is a person at the terminal. before runs between the question and the answer.
type answer struct {
	io.Reader
	before func()
}

func (a *answer) Read(p []byte) (int, error) {
	if a.before != nil {
		a.before()
		a.before = nil
	}
	return a.Reader.Read(p)
}

// TestTrustIsForTheBytesThatWereShown: only a yes counts, and for what was on the screen,
// whatever the file has become meanwhile. Not parallel: it sets the user's folders.
func TestTrustIsForTheBytesThatWereShown(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const shown, other = "[sandbox]\nprofile = 'off'\n", "[sandbox]\nprofile = 'off'\nnetwork = true\n"
	for _, c := range []struct {
		says    string
		changes bool
		code    int
		state   settings.TrustState
	}{
		{"y\n", false, exitOK, settings.TrustGiven},
		{" YES \n", false, exitOK, settings.TrustGiven},
		{"n\n", false, exitFailed, settings.TrustNone},
		{"\n", false, exitFailed, settings.TrustNone},
		{"", false, exitFailed, settings.TrustNone},
		{"yesterday\n", false, exitFailed, settings.TrustNone},
		{"y\n", true, exitOK, settings.TrustChanged},
	} {
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		dir := t.TempDir()
		path := filepath.Join(dir, settings.ProjectFile)
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(shown)
		person := &answer{Reader: strings.NewReader(c.says)}
		if c.changes {
			person.before = func() { write(other) }
		}
		var out, errs bytes.Buffer
		code := run(env{args: []string{"trust", path}, stdin: person, stdout: &out, stderr: &errs, terminalIn: true})
		if code != c.code || !strings.Contains(out.String(), `profile = "off"`) || !strings.Contains(errs.String(), "Trust it? [y/N]") {
			t.Errorf("%q: it exited with %d\n%s%s", c.says, code, &out, &errs)
		}
		s, err := (&hostFlags{workspace: dir}).loadSettings()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Projects[0].State; got != c.state {
			t.Errorf("%q, changed %v: the state is %v, want %v", c.says, c.changes, got, c.state)
		}
		if got := s.Sandbox.Profile == "off"; got != (c.state == settings.TrustGiven) {
			t.Errorf("%q, changed %v: the profile is %q", c.says, c.changes, s.Sandbox.Profile)
		}
	}
}

// TestTrustGrowsNoMeaning: the bytes are the same, but give more, because the user's own
// settings have changed.
func TestTrustGrowsNoMeaning(t *testing.T) {
	config, state, dir := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("XDG_STATE_HOME", state)
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	user, project := filepath.Join(config, "scriptrun", "config.toml"), filepath.Join(dir, settings.ProjectFile)
	write(project, "default_environment = 'ops'\n[sandbox]\nnetwork = true\n")
	write(user, "[[environments]]\nname = 'ops'\n")
	trust := func() {
		t.Helper()
		var out bytes.Buffer
		if code := run(env{args: []string{"trust", "--yes", project}, stdin: strings.NewReader(""), stdout: &out, stderr: &out}); code != exitOK {
			t.Fatalf("it exited with %d\n%s", code, &out)
		}
	}
	load := func() *settings.Settings {
		t.Helper()
		s, err := (&hostFlags{workspace: dir}).loadSettings()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	trust()
	if s := load(); s.Sandbox.Network != sandbox.NetworkFull || s.DefaultEnvironment != "ops" {
		t.Errorf("trusted, it came to %+v", s)
	}
	write(user, "[[environments]]\nname = 'ops'\ntrusted = true\n")
	if s := load(); s.Sandbox.Network == sandbox.NetworkFull || s.DefaultEnvironment == "ops" || s.Projects[0].State != settings.TrustChanged {
		t.Errorf("nobody was asked, and it came to %+v", s)
	}
	trust()
	if s := load(); s.DefaultEnvironment != "ops" {
		t.Errorf("trusted again, it came to %+v", s)
	}

	// A record that somebody else wrote in its place is none.
	record := only(t, filepath.Join(state, "scriptrun", "trust", "*.json"))
	info, err := os.Stat(record)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the record is %v, %v", info, err)
	}
	for _, text := range []string{"", "null", "{}", `{"path": "/elsewhere"}`, strings.Repeat(" ", 257<<10)} {
		write(record, text)
		if s := load(); s.Sandbox.Network == sandbox.NetworkFull {
			t.Errorf("the record %.20q was taken", text)
		}
	}
}

// only is the one file of a pattern.
func only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v", pattern, found, err)
	}
	return found[0]
}

// TestNoteCannotBeBroken: the note is one line, whatever the names of files are.
func TestNoteCannotBeBroken(t *testing.T) {
	t.Parallel()
	h := host{settings: &settings.Settings{
		Projects: []*settings.Project{{Path: "p\x1b[2J\n/scriptrun.toml", State: settings.TrustNone, Grants: []settings.Grant{{Name: `environments "a"`}}}},
		Taken:    []string{"x\x1b"},
	}}
	note := h.note()
	for _, c := range note {
		if c < 0x20 || c > 0x7e && c != '\uFFFD' && c != '…' {
			t.Errorf("%q has %U in it", note, c)
		}
	}
	if !strings.Contains(note, `held back until you trust it: environments "a"`) || !strings.Contains(note, "has no effect") {
		t.Errorf("the note is %q", note)
	}
}
