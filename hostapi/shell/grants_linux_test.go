package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestCallsCannotOpenTheSandbox: PATH and HOME that a call sets, that an
// untrusted environment sets, or that lead through links which a command can
// place, grant nothing.
func TestCallsCannotOpenTheSandbox(t *testing.T) {
	t.Parallel()
	if !keeps(t, "files") {
		return
	}
	for _, background := range []bool{false, true} {
		profile := map[bool]shell.Profile{false: shell.ProfileReadOnly, true: shell.ProfileWorkspace}[background]
		outside := plant(t)
		try := func(name string, tool *shell.Tool, args map[string]any) {
			t.Helper()
			tool.Sandbox.Profile = profile
			args["command"] = "cat " + outside + "/key " + outside + "/home/.ssh/id /etc/shadow; ls " + outside
			got := output(t, tool, args, background)
			if strings.Contains(got.Stdout, "secret") || strings.Contains(got.Stdout, "root:") || strings.Contains(got.Stdout, "home") {
				t.Errorf("%s, %s, background %t: %q", name, profile, background, got.Stdout)
			}
		}
		try("a call's PATH", newTool(t), map[string]any{"env": map[string]string{"PATH": "/usr/bin:/bin:/etc:" + outside + ":" + outside + "/home/.ssh"}})
		try("a call's HOME", newTool(t), map[string]any{"env": map[string]string{"HOME": outside}})

		tool := newTool(t)
		tool.Environments = []shell.Environment{{Name: "wide", Env: map[string]string{"PATH": "/usr/bin:/bin:/etc:" + outside}}}
		try("an untrusted environment's PATH", tool, map[string]any{"environment": "wide"})

		tool = newTool(t)
		if err := os.Symlink(outside, filepath.Join(tool.Dir, "bin")); err != nil {
			t.Fatal(err)
		}
		tool.Env = append(tool.Env, "PATH="+os.Getenv("PATH")+":"+filepath.Join(tool.Dir, "bin"))
		try("a link in the workspace on the operator's PATH", tool, map[string]any{})

		tool = newTool(t)
		linked := filepath.Join(t.TempDir(), "me")
		if err := os.Symlink(filepath.Join(outside, "home"), linked); err != nil {
			t.Fatal(err)
		}
		tool.Env = append(tool.Env, "HOME="+linked, "PATH="+os.Getenv("PATH")+":"+outside+":"+filepath.Join(outside, "home"))
		try("the home folder on PATH, by another name", tool, map[string]any{})
	}
}

// TestOperatorsPathIsReadable: what the operator put on PATH runs inside, also
// through links that no command can change.
func TestOperatorsPathIsReadable(t *testing.T) {
	t.Parallel()
	if !keeps(t, "files") {
		return
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(cat)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "real", "mine"), binary, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(folder, "bin")); err != nil {
		t.Fatal(err)
	}
	tool := newTool(t)
	tool.Env = append(tool.Env, "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	if _, got := run(t, tool, "echo x | mine"); got.Stdout != "x\n" {
		t.Errorf("%+v", got)
	}
}

// TestCallsCannotUncoverHome: with the home folder in the workspace, another
// HOME at the call neither shows the keys in it nor lets them be written.
func TestCallsCannotUncoverHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if !keeps(t, "modes") {
		return
	}
	key := filepath.Join(home, ".ssh", "id")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := newTool(t)
	tool.Dir = home
	got := output(t, tool, map[string]any{"command": "cat .ssh/id; echo pwned > .ssh/id", "env": map[string]string{"HOME": "/nowhere"}}, false)
	if text, err := os.ReadFile(key); got.Stdout != "" || err != nil || string(text) != "secret" {
		t.Errorf("printed %q; the key is %q, %v", got.Stdout, text, err)
	}
}
