package protect

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGitlinksAreThoseOfGit: in every form of an index that git writes, exactly the
// repositories are found that git would enter.
func TestGitlinksAreThoseOfGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("this test needs git; install it")
	}
	for name, c := range map[string]struct{ hash, line string }{
		"version 2":                    {"sha1", "git update-index --index-version 2"},
		"version 3":                    {"sha1", "echo x > intent; git add -N intent"},
		"version 4":                    {"sha1", "git update-index --index-version 4"},
		"in two":                       {"sha1", "git update-index --split-index; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),zz/late"},
		"in two, with others replaced": {"sha1", "git update-index --split-index; for p in a/b2/f a/b34/f sub; do git update-index --cacheinfo 160000,$(git rev-parse HEAD^{tree}),$p; done; git rm -q --cached a/b1/f"},
		"in two, with many replaced":   {"sha256", "printf '100644 '$(git hash-object -w a/b3/f)'\\tm%s\\n' $(seq 200) | git update-index --index-info; git update-index --split-index; printf '160000 '$(git rev-parse HEAD)'\\tm%s\\n' $(seq 3 2 200) | git update-index --index-info"},
		"for several threads":          {"sha1", "git -c index.threads=4 update-index --force-write-index; grep -q EOIE .git/index; grep -q IEOT .git/index"},
		"version 4, several threads":   {"sha1", "git -c index.threads=3 update-index --index-version 4; grep -q EOIE .git/index"},
		"SHA-256":                      {"sha256", "git update-index --index-version 4"},
	} {
		dir := t.TempDir()
		script := fmt.Sprintf(`git init -q --object-format=%s . && git -c user.name=x -c user.email=x commit -q --allow-empty -m x
			for i in 1 2 3 33 34; do mkdir -p a/b$i; echo > a/b$i/f; done; echo > a/long-name-of-a-file-$(printf %%0200d 1); git add .
			for p in a/b1/link a/b/link sub x/y/z 'with space' ünï; do git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),"$p"; done; %s`, c.hash, c.line)
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "-s")
		list.Dir = dir
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for entry := range strings.SplitSeq(string(out), "\x00") {
			if about, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(about, "160000 ") {
				want = append(want, path)
			}
		}
		size := map[string]int{"sha1": 20, "sha256": 32}[c.hash]
		got := indexes{}.links(newEffort(t.Context(), mostTime), filepath.Join(dir, ".git"), size, func(file string, whole bool) {
			if !whole {
				t.Errorf("%s: %s is not whole", name, file)
			}
		})
		slices.Sort(got)
		slices.Sort(want)
		if len(want) < 6 || !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: %q, git has %q", name, got, want)
		}
	}
}

// FuzzGitlinks: no index makes the reader fail or find more than there is.
func FuzzGitlinks(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), false)
	f.Add(append([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02"), make([]byte, 200)...), true)
	f.Fuzz(func(t *testing.T, index []byte, long bool) {
		size := 20
		if long {
			size = 32
		}
		total := 0
		for _, path := range readGitlinks(bytes.NewReader(index), size, nil).paths {
			total += len(path)
		}
		if total > maxName*(maxLinks+1) {
			t.Errorf("%d bytes of paths", total)
		}
	})
}

// TestHarmlessSettings: settings that git's own commands write are harmless, and none is that
// names a program, however it is written.
func TestHarmlessSettings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
		"[remote \"origin\"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
		"[alias]\n\tst = status\n\tlg = log --oneline --graph --all\n", "[Alias]\n\tdf = diff\n", "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n", "[core]\r\n\tbare = false\r\n",
		"[core]\n\tquotepath = off\n\tuntrackedCache = true\n[color]\n\tui = always\n[color \"diff\"]\n\tmeta = yellow bold\n[advice]\n\tdetachedHead = false\n[user]\n\tsigningkey = ABCD\n",
		"[remote \"x\"]\n\tprune = true\n[branch \"x\"]\n\tpushRemote = x\n\tdescription = y\n",
		"[core]\n\tbare = \"false\"\n", "[core.fsmonitor]\nbare = false\n", "[branch \"fix/#12\"]\n\tremote = origin\n\tmerge = \"refs/heads/fix/#12\"\n\tdescription = a; \\\"b\\\"\\n# c\n",
		"[remote \"o\"]\n\tgh-resolved = base\n[lfs \"https://x.example/a.git/info/lfs\"]\n\taccess = basic\n", "[user]\n\tname = \"A; B\" # c\n",
	} {
		if !harmlessConfig(text) {
			t.Errorf("taken for harmful: %q", text)
		}
	}
	for _, text := range []string{
		"[core]\n\tfsmonitor = x\n", "[core] fsmonitor = x\n", "[CORE]\nFsMonitor=x\n", "[core]\n\tbare = false\\\n\n\tfsmonitor = x", "[include]\n\tpath = x\n",
		"[includeIf \"gitdir:/\"]\n\tpath = x\n", "[alias]\n\tst = !x\n", "[filter \"x\"]\n\tclean = x\n", "[core]\n\thooksPath = x\n", "[core]\n\tsshCommand = x\n",
		"[remote \"x\"]\n\turl = ext::sh -c x\n", "[remote \"x\"]\n\tuploadpack = x\n", "[submodule \"x\"]\n\tupdate = !x\n", "[gpg]\n\tprogram = x\n", "[diff]\n\texternal = x\n", "[core]\n\teditor = x\n",
		"[core]bare=false\n[credential]\nhelper=!x\n", "\x00", "[core \"x\\\"]\n[core]\nfsmonitor=x", "[remote \"x\"]\n\turl = /x\n\tpromisor = true\n", "[remote \"x\"]\n\tpartialclonefilter = blob:none\n", "[extensions]\n\tpartialClone = x\n",
		"[remote \"x\"]\n\tprune = true\n\treceivepack = x\n", "[remote \"x\"]\n\tvcs = x\n", "[branch \"x\"]\n\tpushRemote = ext::x\n", "[branch \"x\"]\n\tmergeOptions = -s x\n",
		"[diff \"x\"]\n\talgorithm = x\n\tcommand = x\n", "[pager]\n\tlog = x\n", "[interactive]\n\tdiffFilter = x\n", "[alias]\n\tst = \n", "[alias]\n\tst = -c core.pager=x status\n", "[alias]\n\tst = --exec-path=x status\n", "[alias]\n\tst = log --output=x\n", "[alias]\n\tst = grep -Ox x\n",
		"[alias]\n\tst = rebase -x x\n", "[alias]\n\tst = x\n", "[alias]\n\tst = push https://x\n", "[alias]\n\tst = clean\n", "[alias \"x\"]\n\tcommand = status\n", "[alias]\n\tst = log x\n", "[alias]\n\tst = log\u00a0--graph\n",
		"[alias]\n\tst = 'status'\n", "[alias]\n\tst = diff --ext-diff\n", "[x]\n\tst = status\n", "[alias]\n\tst = commit --template=x\n",
		"bare = false\n", "[core \"fsmonitor\x00\"]\n\tabbrev = x\n", "[core]\n\tabbrev = x\x00y\n",
		"[core.fsmonitor]\nbare = false\n[core] fsmonitor = \"x\"\n", "[core]\n\t\"bare\" = x\n[", "[lfs]\n\tstandalonetransferagent = x\n", "[lfs \"customtransfer.x\"]\n\tpath = x\n", "[branch \"#\"]\n\tmerge = \"x\" \\\n[core]\n\tfsmonitor = x\n\tbare = \"\n",
	} {
		if harmlessConfig(text) {
			t.Errorf("taken for harmless: %q", text)
		}
	}
}

// TestHarmlessChanges: old settings stay harmless, also of a partial clone, as long as no other
// host is asked for its objects.
func TestHarmlessChanges(t *testing.T) {
	t.Parallel()
	const part = "[remote \"x\"]\n\turl = https://a.example\n\tpromisor = true\n\tpartialclonefilter = blob:none\n"
	for _, c := range []struct {
		was, now string
		harmless bool
	}{
		{part, part + "[user]\n\tname = x\n", true},
		{part, strings.Replace(part, "a.example", "b.example", 1), false},
		{part, part + "\turl = https://b.example\n", false},
		{"[extensions]\n\tpartialClone = x\n", "[extensions]\n\tpartialClone = x\n[remote \"x\"]\n\turl = https://b.example\n", false},
		{"", part, false},
		{"[alias]\n\tx = !mine\n", "[alias]\n\tx = !mine\n\tst = status\n", true},
		{"[alias]\n\tx = !mine\n", "[alias]\n\tx = !mine\n\tst = status\n\tst = !x\n", false},
		{"", "[alias \"st\"]\n\tcommand = status\n", false},
		{"", "[alias]\n\tst = log --output=x\n", false},
		{"", "[extensions]\n\tpartialClone = x\n", false},
		{"", "[core \"fsmonitor\x00\"]\n\tabbrev = x\n", false},
		{"[remote \"x\"]\n\turl = https://a.example\n", "[remote \"x\"]\n\turl = https://b.example\n", false},
		{"", "[remote \"x\"]\n\turl = https://a.example\n", false},
		{"", "[remote \"x\"]\n\tpushurl = https://a.example\n", false},
		{"", "[remote \"x\"]\n\tgh-resolved = a/b\n", false},
		{"", "[remote \"x\"]\n\tfetch = +refs/heads/*:refs/remotes/x/*\n", true},
		{"", "[branch \"a\"]\n\tremote = x\n\tpushRemote = x\n\tmerge = \"refs/heads/a#b\"\n", true},
		{"", "[branch \"a\"]\n\tremote = https://a.example\n", false},
		{"", "[branch \"a\"]\n\tpushRemote = git@a.example:x\n", false},
	} {
		if got := harmlessChange(c.was, c.now); got != c.harmless {
			t.Errorf("from %q to %q is harmless: %t", c.was, c.now, got)
		}
	}
}

// TestRestOfAConfiguration: the part of a new configuration that stays has the same settings,
// and none that runs a program.
func TestRestOfAConfiguration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[core]\n\tbare = false\n\thooksPath = .husky\n[remote \"o\"]\n\turl = https://a.example/x\n": "[core]\n\tbare = \"false\"\n[remote \"o\"]\n\turl = \"https://a.example/x\"\n",
		"[core]\n\tbare\n\tfsmonitor = x\n": "",
		"[branch \"a\\\"b\\\\\"]\n\tdescription = \"a # \\\"b\\\"; \\n\\tc\\\\ \"\n\tmergeOptions = -s x\n":   "[branch \"a\\\"b\\\\\"]\n\tdescription = \"a # \\\"b\\\"; \\n\\tc\\\\ \"\n",
		"[include]\n\tpath = x\n[user]\n\tname = a\n[":                                                        "",
		"[remote \"o\"]\n\turl = ext::sh -c x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n\tpromisor = true\n": "[remote \"o\"]\n\tfetch = \"+refs/heads/*:refs/remotes/o/*\"\n",
	} {
		if rest := (candidate{git: gitPart}).harmlessRest(nil, text); rest != want {
			t.Errorf("of %q stays %q, expected %q", text, rest, want)
		}
	}
}
