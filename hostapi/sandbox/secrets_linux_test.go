package sandbox_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// homeWithKeys is a home folder with secrets, by its real name.
func homeWithKeys(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return homeWithKeysIn(t, base)
}

func homeWithKeysIn(t *testing.T, base string) string {
	t.Helper()
	home := filepath.Join(base, "u", "home")
	for name, text := range map[string]string{".ssh/id": "secret-ssh", ".config/gh/hosts.yml": "secret-gh", ".netrc": "secret-netrc", "notes": "notes", "go": "go", ".config/other/f": "other"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// TestSecretsAreHiddenUnderEachName: whichever name a grant or the home folder
// goes by, and whatever the grant is.
func TestSecretsAreHiddenUnderEachName(t *testing.T) {
	t.Parallel()
	home := homeWithKeys(t)
	parent := filepath.Dir(home)
	links := t.TempDir()
	toHome, toParent := filepath.Join(links, "h"), filepath.Join(links, "p")
	for link, target := range map[string]string{toHome: home, toParent: parent} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	dir, cases := t.TempDir(), 0
	for _, named := range []string{home, toHome, toParent + "/home"} {
		for _, c := range []struct{ grant, at string }{
			{home, home}, {toHome, toHome}, {parent, home}, {toParent, toParent + "/home"}, {toParent + "/home", toParent + "/home"},
		} {
			for kind, policy := range []sandbox.Policy{
				{Workspace: dir, Read: []string{c.grant}},
				{Workspace: dir, Write: []string{c.grant}},
				{Workspace: dir, Read: []string{home}, Write: []string{c.grant}},
				{Workspace: c.grant},
				{Workspace: c.grant, Profile: sandbox.ProfileReadOnly},
			} {
				if cases++; os.Geteuid() == 0 && cases%2 == 0 || os.Getenv(ordinary) != "" && cases%2 == 1 {
					continue // [TestAsOrdinaryUser] has one half of them
				}
				policy.Path, policy.Home = "/usr/bin:/bin", named
				box := open(t, policy)
				if !whole(t, box) {
					return
				}
				got := line(t, box, policy.Workspace, "cd "+c.at+"; echo planted >> .ssh/authorized_keys; mv .ssh s; mv .config c; grep -rs secret . "+home+" "+c.at+"; cat notes")
				box.Close()
				if strings.Contains(got.out, "secret") || !strings.HasSuffix(got.out, "notes\n") {
					t.Errorf("HOME=%s, policy %d, %s: %+v", named, kind, c.grant, got)
				}
				if _, err := os.Stat(filepath.Join(home, ".ssh", "authorized_keys")); err == nil {
					t.Fatalf("HOME=%s, policy %d, %s: written", named, kind, c.grant)
				}
			}
		}
	}
}

// TestBoxTellsThatSecretsAreNew: after somebody outside replaced or made a secret, a box is not
// used for another command.
func TestBoxTellsThatSecretsAreNew(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(home string) error{
		"replaced": func(home string) error {
			if err := os.WriteFile(home+"/new", []byte("secret"), 0o600); err != nil {
				return err
			}
			return os.Rename(home+"/new", home+"/.netrc")
		},
		"again": func(home string) error {
			if err := os.Remove(home + "/.netrc"); err != nil {
				return err
			}
			return os.WriteFile(home+"/.netrc", []byte("secret"), 0o600)
		},
		"made": func(home string) error { return os.WriteFile(home+"/.npmrc", []byte("secret"), 0o600) },
		"folder": func(home string) error {
			if err := os.Rename(home+"/.ssh", home+"/old"); err != nil {
				return err
			}
			return os.CopyFS(home+"/.ssh", os.DirFS(home+"/old"))
		},
		"above": func(home string) error {
			if err := os.Rename(home+"/.config", home+"/old"); err != nil {
				return err
			}
			return os.CopyFS(home+"/.config", os.DirFS(home+"/old"))
		},
		"link": func(home string) error { return os.Symlink("notes", home+"/.pgpass") },
	} {
		home := homeWithKeys(t)
		policy := sandbox.Policy{Workspace: home, Home: home, Path: "/usr/bin:/bin"}
		box := open(t, policy)
		if !whole(t, box) {
			return
		}
		if got := line(t, box, home, "echo more >> notes; cat notes"); got.out != "notes\nmore\n" || !box.Current() {
			t.Fatalf("before: %+v, current: %t", got, box.Current())
		}
		if err := change(home); err != nil {
			t.Fatal(err)
		}
		if box.Current() {
			t.Errorf("%s: the box hides what was there before", name)
		}
		next := open(t, policy)
		if got := line(t, next, home, "grep -rs secret .ssh .config .netrc .npmrc; echo end"); got.out != "end\n" || !next.Current() {
			t.Errorf("%s: another box: %+v, current: %t", name, got, next.Current())
		}
		box.Close()
		next.Close()
	}
}

// TestFoldersAreWatched: making, replacing, removing or closing a file is noticed; reading or
// writing it is not.
func TestFoldersAreWatched(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(dir string) error
		quiet  bool
	}{
		"made":     {change: func(dir string) error { return os.WriteFile(dir+"/new", nil, 0o600) }},
		"replaced": {change: func(dir string) error { return os.Rename(dir+"/sub", dir+"/sub2") }},
		"removed":  {change: func(dir string) error { return os.Remove(dir + "/file") }},
		"closed":   {change: func(dir string) error { return os.Chmod(dir+"/file", 0o600) }},
		"gone":     {change: os.RemoveAll},
		"written":  {change: func(dir string) error { return os.WriteFile(dir+"/file", []byte("x"), 0o600) }, quiet: true},
	} {
		dir := filepath.Join(t.TempDir(), "watched")
		if err := os.MkdirAll(dir+"/sub", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/file", nil, 0o644); err != nil { //nolint:gosec // it is to be closed
			t.Fatal(err)
		}
		quiet, stop, err := sandbox.Watching(dir, dir+"/none")
		if err != nil {
			t.Fatal(err)
		}
		if !quiet() {
			t.Errorf("%s: before", name)
		}
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		first, again := quiet(), quiet()
		if first != c.quiet || again != c.quiet {
			t.Errorf("%s: quiet: %t", name, !c.quiet)
		}
		stop()
		stop()
	}
}

// TestKnownPlacesOfSecretsAreHidden: those of programs that people commonly have.
func TestKnownPlacesOfSecretsAreHidden(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		".config/git/credentials", ".yarnrc.yml", ".config/pip/pip.conf", ".m2/settings.xml", ".gradle/gradle.properties", ".gem/credentials",
		".config/containers/auth.json", ".config/hub", ".config/glab-cli/config.yml", ".config/github-copilot/hosts.json", ".claude/.credentials.json",
		".codex/auth.json", ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".gitcookies", ".subversion/auth", ".chef", ".config/openstack", ".config/Bitwarden CLI", ".history", ".config/zsh/.zsh_history", ".local/state/bash/history", ".s3cfg", ".config/rclone/rclone.conf", ".config/sops/age/keys.txt", ".my.cnf", ".terraformrc",
		".local/share/fish/fish_history", ".psql_history",
	} {
		for at, text := range map[string]string{name: "secret", filepath.Join(filepath.Dir(name), "beside"): "beside"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(base, at)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(base, at), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	for kind, policy := range map[string]sandbox.Policy{
		"workspace": {Workspace: base}, "read": {Workspace: dir, Read: []string{base}}, "write": {Workspace: dir, Write: []string{base}},
	} {
		policy.Path, policy.Home = "/usr/bin:/bin", base
		box := open(t, policy)
		if !whole(t, box) {
			return
		}
		if got := line(t, box, policy.Workspace, "grep -rs secret "+base+"; cat "+base+"/.m2/beside"); got.out != "beside\n" {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// TestFoldersThatAreTooLargeToListAreTold: granted entries beside secrets are listed up to a
// bound; beyond it a measure names the gap.
func TestFoldersThatAreTooLargeToListAreTold(t *testing.T) {
	t.Parallel()
	home := homeWithKeys(t)
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			if err := os.WriteFile(filepath.Join(home, "f"+strconv.Itoa(i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	gap := func(policy sandbox.Policy) (told string) {
		policy.Home, policy.Path = home, "/usr/bin:/bin"
		box := open(t, policy)
		defer box.Close()
		if got := line(t, box, policy.Workspace, "cat "+home+"/.netrc "+home+"/notes 2>/dev/null"); got.out != "notes\n" {
			t.Errorf("%+v: %+v", policy, got)
		}
		for _, m := range box.Measures() {
			if m.Name == "files" && !strings.Contains(m.By, "Landlock") {
				return ""
			}
			if m.Name == "secrets" {
				told = m.Gap
			}
		}
		return told
	}
	read := sandbox.Policy{Workspace: dir, Read: []string{home}}
	fill(0, 2000)
	if got := gap(read); got != "" {
		t.Errorf("of 2000 files: %s", got)
	}
	fill(2000, 16400)
	if got := gap(read); !strings.Contains(got, home+" holds more than 16384 files") {
		t.Errorf("of 16400 files: %q", got)
	}
	if got := gap(sandbox.Policy{Workspace: home}); got != "" {
		t.Errorf("where commands write: %s", got)
	}
}
