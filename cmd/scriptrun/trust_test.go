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
)

// answer is a person at the terminal. before is what happens between the
// question and the answer.
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

// TestTrustIsForTheBytesThatWereShown: only a yes is one, and it is for what
// was on the screen, whatever the file has become meanwhile. Not parallel: it
// sets the user's folders.
func TestTrustIsForTheBytesThatWereShown(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const shown, other = "[sandbox]\nprofile = 'off'\n", "[sandbox]\nprofile = 'off'\nnetwork = true\n"
	for _, c := range []struct {
		says    string
		changes bool
		code    int
		state   trustState
	}{
		{"y\n", false, exitOK, trustGiven},
		{" YES \n", false, exitOK, trustGiven},
		{"n\n", false, exitFailed, trustNone},
		{"\n", false, exitFailed, trustNone},
		{"", false, exitFailed, trustNone},
		{"yesterday\n", false, exitFailed, trustNone},
		{"y\n", true, exitOK, trustChanged},
	} {
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		dir := t.TempDir()
		path := filepath.Join(dir, projectFile)
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
		if got := s.projects[0].state; got != c.state {
			t.Errorf("%q, changed %v: the state is %v, want %v", c.says, c.changes, got, c.state)
		}
		if got := s.sandbox.Profile == "off"; got != (c.state == trustGiven) {
			t.Errorf("%q, changed %v: the profile is %q", c.says, c.changes, s.sandbox.Profile)
		}
	}
}

// TestTrustGrowsNoMeaning: the bytes are the same, and what they give is more,
// since the user's own settings have changed.
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
	user, project := filepath.Join(config, "scriptrun", "config.toml"), filepath.Join(dir, projectFile)
	write(project, "default_environment = 'ops'\n[sandbox]\nnetwork = true\n")
	write(user, "[[environments]]\nname = 'ops'\n")
	trust := func() {
		t.Helper()
		var out bytes.Buffer
		if code := run(env{args: []string{"trust", "--yes", project}, stdin: strings.NewReader(""), stdout: &out, stderr: &out}); code != exitOK {
			t.Fatalf("it exited with %d\n%s", code, &out)
		}
	}
	load := func() *settings {
		t.Helper()
		s, err := (&hostFlags{workspace: dir}).loadSettings()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	trust()
	if s := load(); s.sandbox.Network != sandbox.NetworkFull || s.environment != "ops" {
		t.Errorf("trusted, it came to %+v", s)
	}
	write(user, "[[environments]]\nname = 'ops'\ntrusted = true\n")
	if s := load(); s.sandbox.Network == sandbox.NetworkFull || s.environment == "ops" || s.projects[0].state != trustChanged {
		t.Errorf("nobody was asked, and it came to %+v", s)
	}
	trust()
	if s := load(); s.environment != "ops" {
		t.Errorf("trusted again, it came to %+v", s)
	}

	// A record that somebody else wrote in its place is none.
	place, err := identity(project)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(state, "scriptrun", "trust")
	info, err := os.Stat(recordFile(folder, place))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the record is %v, %v", info, err)
	}
	for _, text := range []string{"", "null", "{}", `{"path": "/elsewhere"}`, strings.Repeat(" ", maxRecord+1)} {
		write(recordFile(folder, place), text)
		if s := load(); s.sandbox.Network == sandbox.NetworkFull {
			t.Errorf("the record %.20q was taken", text)
		}
	}
}
