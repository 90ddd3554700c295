package sandbox_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// asking is a command that looks for secrets again and again: it answers each
// line that it reads once they are hidden, or after many looks.
type asking struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func ask(t *testing.T, box *sandbox.Box, dir string, paths ...string) *asking {
	t.Helper()
	theirs, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	script := `while read -r _; do n=0
while cat "$@" 2>/dev/null | grep -q secret; do n=$((n+1)); [ $n -lt 300 ] || break; sleep 0.01; done
cat "$@" 2>/dev/null | grep secret; echo end; done`
	p, err := box.Start(&exec.Cmd{Path: "/bin/sh", Args: append([]string{"sh", "-c", script, "sh"}, paths...), Env: os.Environ(), Dir: dir, Stdin: theirs, Stdout: ours, Stderr: ours})
	_, _ = theirs.Close(), ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		<-p.Exited()
		p.End(100 * time.Millisecond)
		_ = out.Close()
	})
	return &asking{in: in, out: bufio.NewReader(out)}
}

// seen is what the command still sees of the secrets.
func (a *asking) seen(t *testing.T) string {
	t.Helper()
	if _, err := a.in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for {
		text, err := a.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if text == "end\n" {
			return seen.String()
		}
		seen.WriteString(text)
	}
}

// TestSecretsReplacedMeanwhileAreNotSeen: not for a moment, if commands may only read the
// folders around them.
func TestSecretsReplacedMeanwhileAreNotSeen(t *testing.T) {
	t.Parallel()
	for kind, policy := range map[string]func(home, dir string) sandbox.Policy{
		"workspace": func(home, _ string) sandbox.Policy {
			return sandbox.Policy{Workspace: home, Profile: sandbox.ProfileReadOnly}
		},
		"read": func(home, dir string) sandbox.Policy { return sandbox.Policy{Workspace: dir, Read: []string{home}} },
		"parent": func(home, dir string) sandbox.Policy {
			return sandbox.Policy{Workspace: dir, Read: []string{filepath.Dir(home)}}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			base, err := os.MkdirTemp("/var/tmp", "home-") // all below /tmp is the command's own
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(base) })
			home, dir := homeWithKeysIn(t, base), t.TempDir()
			p := policy(home, dir)
			p.Home, p.Path = home, "/usr/bin:/bin"
			box := open(t, p)
			if !whole(t, box) || !slices.ContainsFunc(box.Measures(), func(m hostapi.Measure) bool { return strings.Contains(m.By, "Landlock") }) {
				return
			}
			if got := line(t, box, p.Workspace, "cat "+home+"/notes "+home+"/.config/other/f"); got.out != "notes\nother\n" {
				t.Errorf("what is no secret: %+v", got)
			}
			spin, read := begin(t, box, p.Workspace, "cd "+home+"; echo on; while read -r _ < go; do read -r x < .netrc && echo \"$x\"; read -r x < .config/gh/hosts.yml && echo \"$x\"; done 2>/dev/null")
			for i := range 300 {
				for _, name := range []string{".netrc", ".config/gh/hosts.yml"} {
					if err := os.WriteFile(home+"/new", fmt.Appendf(nil, "secret %d\n", i), 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Rename(home+"/new", home+"/"+name); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := os.Remove(home + "/go"); err != nil {
				t.Fatal(err)
			}
			<-spin.Exited()
			spin.End(0)
			if got := read(); got != "on\n" {
				t.Errorf("seen: %.200q", got)
			}
			if box.Current() {
				t.Error("the box grants what was there before")
			}
		})
	}
}

// TestSecretsReplacedMeanwhileAreHiddenAgain: a secret that somebody outside makes or replaces
// while a command runs is hidden from that command too, from whichever command of the box, and
// wherever the home folder is granted.
func TestSecretsReplacedMeanwhileAreHiddenAgain(t *testing.T) {
	t.Parallel()
	for kind, policy := range map[string]func(home, dir string) sandbox.Policy{
		"workspace": func(home, _ string) sandbox.Policy { return sandbox.Policy{Workspace: home} },
		"write":     func(home, dir string) sandbox.Policy { return sandbox.Policy{Workspace: dir, Write: []string{home}} },
		"read":      func(home, dir string) sandbox.Policy { return sandbox.Policy{Workspace: dir, Read: []string{home}} },
		"parent": func(home, dir string) sandbox.Policy {
			return sandbox.Policy{Workspace: dir, Write: []string{filepath.Dir(home)}}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			home, dir := homeWithKeys(t), t.TempDir()
			if err := os.Symlink("dots/pgpass", home+"/.pgpass"); err != nil {
				t.Fatal(err)
			}
			p := policy(home, dir)
			p.Home, p.Path = home, "/usr/bin:/bin"
			box := open(t, p)
			if !whole(t, box) {
				return
			}
			secrets := []string{home + "/.netrc", home + "/.npmrc", home + "/.ssh/id", home + "/.config/gh/hosts.yml", home + "/.pgpass", home + "/dots/pgpass"}
			first, second := ask(t, box, p.Workspace, secrets...), ask(t, box, p.Workspace, secrets...)
			write := func(name string) error {
				if err := os.WriteFile(home+"/new", []byte("secret "+name+"\n"), 0o600); err != nil {
					return err
				}
				return os.Rename(home+"/new", home+"/"+name)
			}
			again := func(name string) error {
				if err := os.Rename(home+"/"+name, home+"/old"); err != nil {
					return err
				}
				if err := os.CopyFS(home+"/"+name, os.DirFS(home+"/old")); err != nil {
					return err
				}
				return os.RemoveAll(home + "/old")
			}
			for _, change := range []struct {
				name string
				do   func() error
			}{
				{"nothing", func() error { return nil }},
				{"replaced", func() error { return write(".netrc") }},
				{"replaced again", func() error { return write(".netrc") }},
				{"made", func() error { return write(".npmrc") }},
				{"in a folder", func() error { return again(".config/gh") }},
				{"folder", func() error { return again(".ssh") }},
				{"above", func() error { return again(".config") }},
				{"above again", func() error { return again(".config") }},
				{"behind a link", func() error {
					if err := os.Mkdir(home+"/dots", 0o700); err != nil {
						return err
					}
					return write("dots/pgpass")
				}},
				{"behind a link again", func() error { return write("dots/pgpass") }},
			} {
				if err := change.do(); err != nil {
					t.Fatal(err)
				}
				if got := first.seen(t) + second.seen(t); got != "" {
					t.Errorf("%s: still seen: %s", change.name, got)
				}
			}
			third := ask(t, box, p.Workspace, secrets...) // in another place, from then on
			if got := third.seen(t); got != "" {
				t.Errorf("another command sees: %s", got)
			}
			if err := write(".netrc"); err != nil {
				t.Fatal(err)
			}
			if got := third.seen(t); got != "" {
				t.Errorf("another command sees: %s", got)
			}
		})
	}
}
