package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatLiesBesideTheWorkspaceIsTold: also by a relative path and below /tmp, and with
// settings that name folders that are there.
func TestWhatLiesBesideTheWorkspaceIsTold(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, c := range []struct{ name, line, want string }{
		{"a file", "cat ../b/f", `probably refused reading TOP/b/f, where each command has a folder of its own; allow it with [sandbox] read = ["TOP/b"]`},
		{"a file, absolute", "cat TOP/b/f", `read = ["TOP/b"]`},
		{"a folder", "ls ../b", `read = ["TOP/b"]`},
		{"a copy", "cp ../b/f .", `read = ["TOP/b"]`},
		{"another folder for make", "make -C ../b", `reading TOP/b, where`},
		{"a file that is to be made there", "echo x > ../b/new", `writing TOP/b/new; allow it with [sandbox] write = ["TOP/b"]`},
		{"a module", "node -e 'require(\"../b\")'", `reading TOP/b, where`},
		{"a new file", "echo x > ../new", `probably refused writing TOP/new; TOP is too much to open: make a folder there for it, and allow that one with [sandbox] write`},
		{"a new file, absolute", "echo x > TOP/new", `TOP is too much to open`},
		{"a worktree", "git init -q && git -c user.name=x -c user.email=x commit -q --allow-empty -m x && git worktree add ../wt -b wt", `TOP is too much to open`},
		{"what is not there", "cat ../nope", ""},
		{"what is not there, absolute", "cat TOP/nope/f", ""},
		{"a module that is not there", "node -e 'require(\"../nope\")'", ""},
		{"a test that is elsewhere", "echo 'open ../testdata/f: no such file or directory'; exit 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tool := newTool(t)
			tool.Dir = filepath.Join(top, "w")
			for _, dir := range []string{"w", "b"} {
				if err := os.Mkdir(filepath.Join(top, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"f", "index.js", "Makefile"} {
				if err := os.WriteFile(filepath.Join(top, "b", name), []byte("a:\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			result, _ := run(t, tool, strings.ReplaceAll(c.line, "TOP", top))
			said := strings.Join(result.Notes, "\n")
			if want := strings.ReplaceAll(c.want, "TOP", top); !strings.Contains(said, want) || (said == "") != (want == "") {
				t.Errorf("%q, expected %q\n%s", said, want, result.Output)
			}
		})
	}
}

// TestAdviceDoesNotOpenTheHost: what opens the machine is named as that, or not at all.
func TestAdviceDoesNotOpenTheHost(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	setID := ""
	if os.Geteuid() == 0 { // for others the file loses its mode
		setID = "writing tool, which no setting should allow: it runs as its owner, whoever starts it"
	}
	for _, c := range []struct{ line, want, not string }{
		{"touch /usr/local/bin/x", `writing /usr/local/bin/x, which no setting should allow: commands could change what runs outside`, "allow it with"},
		{"mkdir /etc/some", `writing /etc/some, which no setting should allow`, "allow it with"},
		{"mkdir /opt/some-folder", `writing /opt/some-folder, which no setting should allow`, "allow it with"},
		{"echo 'tee: /proc/sys/kernel/x: Read-only file system' >&2; exit 1", "writing /proc/sys/kernel/x, which no setting should allow", "allow it with"},
		{"echo 'tee: /sys/power/state: Read-only file system' >&2; exit 1", "no setting should allow", "allow it with"},
		{"echo 'cat: /var/run/x/y: Permission denied' >&2; exit 1", "reading /var/run/x/y, which no setting should allow", "allow it with"},
		{"echo 'touch: /home/someone/x: Read-only file system' >&2; exit 1", "writing /home/someone/x", `write = ["/home/someone"]`},
		{"echo x > tool", setID, "unprotect"},
		{"sed -i s/none/full/ scriptrun.toml", `unprotect = ["scriptrun.toml"]`, ""},
	} {
		tool := newTool(t)
		command(t, tool.Dir, "echo '# none' > scriptrun.toml; touch tool; chmod 4755 tool")
		result, _ := run(t, tool, c.line)
		if said := strings.Join(result.Notes, "\n"); !strings.Contains(said, c.want) || c.not != "" && strings.Contains(said, c.not) {
			t.Errorf("%s: %q, expected %q\n%s", c.line, said, c.want, result.Output)
		}
	}
}
