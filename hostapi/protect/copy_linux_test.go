package protect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asBoth does something as the user of the tests, and as one without rights.
func asBoth(t *testing.T, dir string, ordinary bool, do func()) {
	t.Helper()
	if ordinary {
		asOrdinaryUser(t, dir, do)
		return
	}
	do()
}

// shAs is sh as one of both users.
func shAs(t *testing.T, dir string, ordinary bool, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
	if ordinary && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

const (
	fromTree   = "git -c user.name=x -c user.email=x commit -q --allow-empty -m x; git worktree add -q tree"
	fromModule = "mkdir -p .git/modules; git init -q --separate-git-dir=.git/modules/t t"
)

// TestOtherNamesOfWhatIsHarmlessWriteNothing: writing by another name of a file that was judged
// does not change the file that stays.
func TestOtherNamesOfWhatIsHarmlessWriteNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, made, file string }{
		"a new repository":                   {"", "git init -q z; ln z/.git/config x", "z/.git/config"},
		"in it":                              {"", "git init -q z; ln z/.git/config z/.git/y; ln z/.git/y x", "z/.git/config"},
		"made there first":                   {"", "git init -q z; mv z/.git/config x; ln x z/.git/config", "z/.git/config"},
		"of the user's":                      {"git config extensions.worktreeConfig true", "echo > .git/config.worktree; ln .git/config.worktree x", ".git/config.worktree"},
		"a module":                           {"", fromModule + "; ln .git/modules/t/config x", ".git/modules/t/config"},
		"a working folder":                   {"", fromTree + "; ln tree/.git x", "tree/.git"},
		"a bare one":                         {"", "git init -q --bare b; ln b/config x", "b/config"},
		"there before":                       {"ln .git/config x", "true", ".git/config"},
		"a module there before":              {fromModule + "; ln .git/modules/t/config x", "true", ".git/modules/t/config"},
		"one below, there before":            {"git init -q z; ln z/.git/config x", "true", "z/.git/config"},
		"a file that leads, there before":    {fromTree + "; ln tree/.git x", "true", "tree/.git"},
		"of a working folder's, there":       {fromTree + "; cp .git/config .git/worktrees/tree/config.worktree; ln .git/worktrees/tree/config.worktree x", "true", ".git/worktrees/tree/config.worktree"},
		"of the user's, while a command ran": {"", "git config user.name x; ln .git/config x", ".git/config"},
	} {
		for who, ordinary := range map[string]bool{"who tests": false, "an ordinary user": true} {
			t.Run(name+", as "+who, func(t *testing.T) {
				t.Parallel()
				dir := newRepository(t, c.before)
				g := newGuard(t, dir, Paths{})
				var first, second *Visit
				var away []Away
				asBoth(t, dir, ordinary, func() { first = enter(t, g, Folders{Cwd: dir}) })
				shAs(t, dir, ordinary, c.made)
				asBoth(t, dir, ordinary, func() { away = first.Leave() })
				before := tree(t, filepath.Join(dir, c.file))
				asBoth(t, dir, ordinary, func() { second = enter(t, g, Folders{Cwd: dir}) })
				shAs(t, dir, ordinary, `printf '[core]\n\tfsmonitor = evil\n' >> x`)
				asBoth(t, dir, ordinary, func() { away = append(away, second.Leave()...) })
				if after := tree(t, filepath.Join(dir, c.file)); before == "" || after != before || len(away) > 0 {
					t.Errorf("%q, then %q: %+v", before, after, away)
				}
			})
		}
	}
}

// TestNothingIsReplacedWhileCommandsRun: the file is read-only for running commands, and a copy
// would not be. Bytes written by another name are judged when they end.
func TestNothingIsReplacedWhileCommandsRun(t *testing.T) {
	t.Parallel()
	for line, told := range map[string]int{"true": 0, "git config --file x user.name me": 0, "printf '[core]\n\tfsmonitor = evil\n' >> x": 1} {
		dir := newRepository(t, "git config core.editor mine")
		file := filepath.Join(dir, ".git", "config")
		g := newGuard(t, dir, Paths{})
		first := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, "ln .git/config x")
		before, err := idOf(file)
		if err != nil {
			t.Fatal(err)
		}
		second := enter(t, g, Folders{Cwd: dir})
		if now, err := idOf(file); err != nil || !now.same(before) {
			t.Errorf("it was replaced: %v", err)
		}
		sh(t, dir, line)
		away := append(second.Leave(), first.Leave()...)
		if text, _ := os.ReadFile(file); strings.Contains(string(text), "evil") || !strings.Contains(string(text), "mine") || len(away) != told {
			t.Errorf("%s: %q, %+v", line, text, away)
		}
		third := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, "echo evil >> x")
		if away := third.Leave(); len(away) > 0 || strings.Contains(tree(t, file), "evil") {
			t.Errorf("%s: the next command: %+v", line, away)
		}
	}
}

// TestWhatACommandHasOpenIsNotWhatStays: neither a mapped page nor an open file of a command is
// the file that stays once it was judged; a page changes no time.
func TestWhatACommandHasOpenIsNotWhatStays(t *testing.T) {
	t.Parallel()
	const evil = "[core]\n\tfsmonitor = evil\n"
	for name, c := range map[string]struct {
		mapped, between, whileOneRuns bool
	}{
		"mapped":                       {true, false, false},
		"open":                         {false, false, false},
		"mapped, and others run":       {true, true, false},
		"open, and others run":         {false, true, false},
		"mapped, written in its end":   {true, true, true},
		"by hand, written in its end":  {false, true, true},
		"mapped, written unlooked at":  {true, false, true},
		"by hand, written unlooked at": {false, false, true},
	} {
		for who, ordinary := range map[string]bool{"who tests": false, "an ordinary user": true} {
			t.Run(name+", as "+who, func(t *testing.T) {
				t.Parallel()
				dir := newRepository(t, "")
				g := newGuard(t, dir, Paths{})
				file := filepath.Join(dir, "z", ".git", "config")
				var v *Visit
				asBoth(t, dir, ordinary, func() { v = enter(t, g, Folders{Cwd: dir}) })
				shAs(t, dir, ordinary, "git init -q z; yes '' | head -c 100 > z/.git/config")
				f, err := os.OpenFile(file, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = f.Close() })
				page, err := unix.Mmap(int(f.Fd()), 0, 100, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = unix.Munmap(page) })
				page[0] = '\n' // the last time that is noted
				write := func() {
					if c.mapped {
						copy(page, evil)
					} else if _, err := f.WriteAt([]byte(evil), 0); err != nil {
						t.Fatal(err)
					}
				}
				if c.between {
					settled(t, file)
					for range 2 { // the second finds nothing that changed
						asBoth(t, dir, ordinary, func() {
							if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
								t.Errorf("%+v", away)
							}
						})
					}
				}
				if c.whileOneRuns {
					write()
				}
				asBoth(t, dir, ordinary, func() { v.Leave() })
				write()
				if left := stays(t, dir, "evil"); len(left) > 0 {
					t.Errorf("%q stay", left)
				}
				asBoth(t, dir, ordinary, func() {
					if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
						t.Errorf("%+v", away)
					}
				})
			})
		}
	}
}

// settled waits until a file is old enough for a look at it to hold.
func settled(t *testing.T, file string) {
	t.Helper()
	id, err := idOf(file)
	if err != nil {
		t.Fatal(err)
	}
	for probe := filepath.Join(t.TempDir(), "probe"); time.Now().UnixNano()-id.changed < 4*int64(settleTime); {
		if err := os.WriteFile(probe, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
}

// TestCopiesAreAsWhatTheyReplace: mode, owner and text stay, no other file is left, and an
// unchanged file is not written again.
func TestCopiesAreAsWhatTheyReplace(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p node_modules/p store; echo x > store/f; ln store/f node_modules/p/f; echo x > mine; git init -q old")
	g := newGuard(t, dir, Paths{})
	ids := func(names ...string) (all []fileID) {
		for _, name := range names {
			id, err := idOf(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, id)
		}
		return all
	}
	before := ids("store/f", "mine", ".git/config", "old/.git/config")
	v := enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "git init -q z; chmod 640 z/.git/config; git clone -q z c 2>/dev/null; ln store/f node_modules/p/g; "+fromTree)
	text := tree(t, filepath.Join(dir, "z"))
	made := ids("z/.git/config", "c/.git/config", "tree/.git")
	if away := v.Leave(); len(away) > 0 {
		t.Errorf("%+v", away)
	}
	now := ids("z/.git/config", "c/.git/config", "tree/.git")
	for i := range now {
		if now[i].same(made[i]) {
			t.Errorf("%d is what the command made", i)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "z/.git/config"))
	if err != nil || info.Mode().Perm() != 0o640 || tree(t, filepath.Join(dir, "z")) != text {
		t.Errorf("%v, %v", info, err)
	}
	sh(t, dir, "git -C z status -s; git -C c remote get-url origin; git -C tree status -s; git -C z config user.name x")
	if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
		t.Errorf("%+v", away)
	}
	if again := ids("c/.git/config", "tree/.git"); again[0] != now[1] || again[1] != now[2] {
		t.Error("a copy is written again")
	}
	if after := ids("store/f", "mine", ".git/config", "old/.git/config"); after[1] != before[1] || after[2] != before[2] || after[3] != before[3] || !after[0].same(before[0]) {
		t.Errorf("%v, then %v", before, after)
	}
}

// TestWhatCannotBeCopiedIsPutAway: nothing else keeps it from a process that has it open.
func TestWhatCannotBeCopiedIsPutAway(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "git init -q z")
	g := newGuard(t, dir, Paths{})
	file := filepath.Join(dir, "z/.git/config")
	c := candidate{path: file, to: file, git: gitPart}
	c.id, _ = idOf(file)
	sh(t, dir, "mv z/.git/config x; cp x z/.git/config")
	if g.copied = map[string]fileID{}; g.keepCopy(c, func(string) bool { return true }) {
		t.Error("another file was copied")
	}
	c.id, _ = idOf(file)
	for _, text := range []string{"", strings.Repeat("#", maxConfig+1)} {
		sh(t, dir, "chmod 600 z/.git/config")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if g.keepCopy(c, func(text string) bool { return text != "" }) {
			t.Errorf("%d bytes were copied", len(text))
		}
	}
	if left, err := filepath.Glob(file + ".*"); err != nil || len(left) > 0 {
		t.Errorf("%q are left: %v", left, err)
	}
}
