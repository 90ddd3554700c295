//go:build unix

package shell_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// liner runs lines under rules with patterns, by the gate.
type liner struct {
	gate       *hostapi.Gate
	seq        int
	background bool
}

func newLiner(t *testing.T, tool *shell.Tool, patterns ...string) *liner {
	t.Helper()
	t.Cleanup(func() { tool.Close() })
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range bashRules(patterns...) {
		if err := registry.CheckRule(rule); err != nil {
			t.Fatal(err)
		}
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(bashRules(patterns...))}, Quota: hostapi.Quota{MaxToolCalls: 10000}})
	t.Cleanup(func() { gate.Close(time.Second) })
	return &liner{gate: gate}
}

// run is what a line or an argv comes to, and its standard output.
func (l *liner) run(t *testing.T, args map[string]any) (result hostapi.Result, stdout string, err error) {
	t.Helper()
	l.seq++
	call := hostapi.Call{Seq: l.seq, Tool: "bash", Args: encodedArgs(t, args), Background: l.background}
	if l.background {
		result, err = l.start(t, call)
	} else {
		result, err = l.gate.Invoke(t.Context(), call)
	}
	var streams struct{ Stdout string }
	_ = json.Unmarshal(result.Data, &streams)
	return result, streams.Stdout, err
}

func (l *liner) start(t *testing.T, call hostapi.Call) (hostapi.Result, error) {
	t.Helper()
	issued, err := l.gate.Issue(t.Context(), call)
	if err != nil {
		return hostapi.Result{}, err
	}
	if result, err := issued.Start(t.Context()); err != nil || result.Outcome == hostapi.OutcomeFailed {
		return result, err
	}
	result, err := l.gate.Operate(t.Context(), l.seq, hostapi.OperationWait, nil)
	_, released := l.gate.Operate(t.Context(), l.seq, hostapi.OperationRelease, nil)
	return result, errors.Join(err, released)
}

// hostileEnv is what an operator's list may set for git.
func (h *hostile) hostileEnv() []string {
	return []string{trace, "GIT_DIR=/nowhere", "GIT_WORK_TREE=/etc", "GIT_TRACE=" + h.mark, "GIT_PAGER=touch " + h.mark, "GIT_OBJECT_DIRECTORY=/nowhere", "GIT_INDEX_FILE=/nowhere"}
}

// traps are lines in which git itself runs what a repository names.
var traps = []string{
	"git status", "git --no-pager status -s", "git diff", "git diff HEAD -- a.txt", "git log -p", "git log -p -- 'sub dir'", "git show HEAD:a.txt", "git show", "git blame a.txt", "git annotate a.txt",
	"git log -1 --format=%H", "git grep -n one", "git describe --dirty --always", "git diff | head -5", "git log -p | head -5", "git status && git diff || git show", "if git diff; then git status; fi",
	"( git status; git blame a.txt ) | head -1", "! git diff HEAD", "{ git log -p; git diff; } 2>&1", "git status & git diff", "until git diff; do git status; done",
	"cd inner && git status && git diff && cd .. && git diff", "cd 'sub dir' && git blame ../a.txt", "cd inner || exit 1; git diff", "(cd inner && git log -p); git diff", "git -C inner diff", "git -C inner -C .. status",
	"/usr/bin/git diff", "git diff-tree -p HEAD", "git ls-files -m", "git diff --no-index a.txt 'sub dir/b.txt'", "git log --output=/dev/null -p -1",
}

func TestLinesOfGitRunNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	patterns := []string{
		"git log *", "git diff *", "git status *", "git blame *", "git annotate *", "git show *", "git grep *", "git describe --dirty *", "git diff-tree *", "git ls-files *", "git --no-pager *", "head *", "cd *", "exit *",
		"git -C inner diff", "git -C inner -C .. status", "/usr/bin/git *", "git diff --no-index *", "git log --output=/dev/null *",
	}
	stepped := 0
	for _, line := range traps { // the traps work: bash itself steps into them
		h.clear(t)
		cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
		cmd.Dir, cmd.Env = h.dir, h.env
		_ = cmd.Run()
		if h.ran() != "" {
			stepped++
		}
	}
	if stepped < 25 {
		t.Errorf("only %d of %d lines run something here: the test tests little", stepped, len(traps))
	}
	h.clear(t)
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileWorkspace} {
		for _, background := range []bool{false, true} {
			env := h.hostileEnv()
			if background {
				env = []string{trace}
			}
			l := newLiner(t, &shell.Tool{Dir: h.dir, Sandbox: shell.Sandbox{Profile: profile}, Env: env}, patterns...)
			l.background = background
			for _, line := range traps {
				result, _, err := l.run(t, map[string]any{"command": line})
				if err != nil || result.ExitCode != 0 && !strings.ContainsAny(line, "!|") && !strings.Contains(line, "--no-index") {
					t.Errorf("%s, background %v: %s: %+v, %v", profile, background, line, result, err)
				}
				if ran := h.ran(); ran != "" {
					t.Errorf("%s, background %v: %s ran %s", profile, background, line, ran)
					h.clear(t)
				}
			}
			for _, argv := range [][]string{{"git", "diff"}, {"git", "status", "-s"}, {"git", "--no-pager", "log", "-p"}, {"git", "-C", "inner", "diff"}} {
				result, _, err := l.run(t, map[string]any{"argv": argv})
				if ran := h.ran(); err != nil || result.ExitCode != 0 || ran != "" {
					t.Errorf("%s, background %v: %q: %+v, %v, ran %s", profile, background, argv, result, err, ran)
					h.clear(t)
				}
			}
		}
	}
}

// Where no one can say which folder git would run in, it does not run.
func TestGitAfterACdThatMayFailIsRefused(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"cd x; git log":                             false,
		"cd x || git log":                           true,
		"cd x || echo no; git log":                  false,
		"cd x || exit 1; git log":                   true,
		"cd x && git log || git status":             false,
		"cd x && cd .. && git log":                  true,
		"cd && git log":                             false,
		"cd - && git log":                           false,
		"pushd x && git log":                        false,
		"(cd x; ls); git log":                       true,
		"{ cd x; }; git log":                        false,
		"if cd x; then git log; fi":                 false,
		"while ls; do cd ..; git log; done":         false,
		"while cd ..; do ls; done; git log":         false,
		"cd x & git log":                            true,
		"! cd x || git log":                         true,
		"cd x; git -C /tmp log":                     true,
		"cd x; cd /tmp && git log":                  true,
		"cd x; git commit":                          true, // as git always does
		"cd x; ls":                                  true,
		"cd x | ls; git log":                        true,
		"ls | cd x; git log":                        false, // in some shells the last is not one of its own
		"cd x && if git log; then git status; fi":   true,
		"{ cd x && git log; } 2>&1":                 true,
		"cd x && { cd y; git log; }":                false,
		"cd x && (cd y && git log) && git log | ls": true,
	} {
		x := shell.Explain(line, bashRules("*"))
		if (len(x.Opaque) == 0) != want {
			t.Errorf("%s: %+v", line, x.Opaque)
		}
	}
}

// What git shows is what it shows without rules.
func TestLinesOfGitShowWhatGitShows(t *testing.T) {
	t.Parallel()
	around := t.TempDir()
	h := &hostile{dir: filepath.Join(around, "clone"), env: append(os.Environ(), "HOME="+around, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")}
	origin := repository(t)
	h.git(t, origin, "config", "receive.denyCurrentBranch", "ignore")
	h.git(t, around, "clone", "-q", origin, h.dir)
	h.file(t, filepath.Join(h.dir, "ünï.txt"), "three\n")
	h.file(t, filepath.Join(h.dir, "dir/d.txt"), "four\n")
	h.git(t, h.dir, "add", ".")
	h.git(t, h.dir, "commit", "-q", "-m", "second")
	h.git(t, h.dir, "tag", "-a", "v1", "-m", "v1")
	h.git(t, h.dir, "branch", "topic/one", "HEAD~1")
	h.git(t, h.dir, "pack-refs", "--all")
	h.git(t, h.dir, "checkout", "-q", "-b", "feature", "--track", "origin/main")
	h.git(t, h.dir, "checkout", "-q", "main")
	h.file(t, filepath.Join(h.dir, "a.txt"), "changed\n")
	h.file(t, filepath.Join(h.dir, "new ü.txt"), "new\n")
	h.git(t, h.dir, "stash", "-q")
	h.file(t, filepath.Join(h.dir, "b c.txt"), "changed\n")
	h.git(t, h.dir, "add", "b c.txt")
	h.file(t, filepath.Join(h.dir, "b c.txt"), "changed again\n")
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileWorkspace} {
		l := newLiner(t, &shell.Tool{Dir: h.dir, Env: []string{trace, "HOME=" + around}, Sandbox: shell.Sandbox{Profile: profile}}, "git *", "head *", "cd *", "sort *", "git -C dir log")
		for _, line := range []string{
			"git status", "git status -sb", "git status --porcelain=v2 --branch", "git diff", "git diff --cached", "git diff HEAD --stat", "git diff main...feature", "git log", "git log --oneline --graph --all --decorate", "git log -1 -p --color=always",
			"git log '@{u}..'", "git log --oneline origin/main..HEAD", "git log --oneline 'main@{upstream}'", "git log -g --oneline", "git log stash@{0} -1 --stat", "git show", "git show v1", "git show HEAD:a.txt", "git blame a.txt", "git blame -s 'b c.txt'", "git grep -n four", "git ls-files", "git ls-files -o --exclude-standard",
			"git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel", "git rev-parse --abbrev-ref '@{u}'", "git rev-parse --show-prefix", "git describe --tags", "git shortlog -sn HEAD", "git show-ref", "git ls-tree -r HEAD", "git cat-file -p HEAD",
			"git merge-base main feature", "git name-rev HEAD", "git rev-list --count HEAD", "git log nowhere", "git diff --quiet", "git log | head -3", "git log --oneline | sort | head -1 && git status -s",
			"cd dir && git status -s && git rev-parse --show-prefix && git log --oneline -- .", "cd dir && git diff --name-only", "git -C dir log", "cd /nowhere 2>/dev/null || git log -1",
		} {
			cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
			cmd.Dir, cmd.Env = h.dir, h.env
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			result, _, err := l.run(t, map[string]any{"command": line})
			var streams struct{ Stdout, Stderr string }
			if err == nil {
				err = json.Unmarshal(result.Data, &streams)
			}
			if err != nil || result.ExitCode != cmd.ProcessState.ExitCode() || streams.Stdout != stdout.String() || streams.Stderr != stderr.String() {
				t.Errorf("%s: %s: %v, exit %d\n%s%s\ngit itself: exit %d\n%s%s", profile, line, err, result.ExitCode, streams.Stdout, streams.Stderr, cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
			}
		}
	}
}

// A command of git that reads sees what the line did before it, and what is not
// a read runs as git always does, with hooks and filters.
func TestGitReadsWhatItsLineWrote(t *testing.T) {
	t.Parallel()
	dir, h := repository(t), &hostile{}
	hook := filepath.Join(dir, ".git/hooks/pre-commit")
	h.file(t, hook, "#!/bin/sh\ntouch hooked\n")
	env := []string{trace, "GIT_AUTHOR_NAME=Bob", "GIT_AUTHOR_EMAIL=b@example.com", "GIT_COMMITTER_NAME=Bob", "GIT_COMMITTER_EMAIL=b@example.com"}
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileWorkspace} {
		l := newLiner(t, &shell.Tool{Dir: dir, Sandbox: shell.Sandbox{Profile: profile}, Env: env}, "git commit *", "git add *", "git pack-refs --all", "git log *", "git status *", "git gc -q", "sh check.sh")
		line := "git add a.txt && git status -s && git commit -q --allow-empty -m second && git pack-refs --all && git log -1 '--format=%s %an' && git gc -q && git log -1 --format=%s"
		if profile == shell.ProfileWorkspace {
			line = strings.Replace(line, "second", "third", 1)
		}
		result, stdout, err := l.run(t, map[string]any{"command": line})
		want := "M  a.txt\nsecond Bob\nsecond\n"
		if profile == shell.ProfileWorkspace {
			want = "third Bob\nthird\n"
		}
		if stdout = strings.ReplaceAll(stdout, "?? hooked\n", ""); err != nil || result.ExitCode != 0 || stdout != want {
			t.Errorf("%s: %+v %v\n%s", profile, result, err, stdout)
		}
		if _, err := os.Stat(filepath.Join(dir, "hooked")); err != nil {
			t.Errorf("%s: the hook did not run: %v", profile, err)
		}
		// What else the line runs has nothing of the reader's settings.
		h.file(t, filepath.Join(dir, "check.sh"), "echo \"$GIT_DIR$GIT_COMMON_DIR $GIT_AUTHOR_NAME\"\n")
		if result, stdout, err := l.run(t, map[string]any{"command": "git log -1 --format=%h >/dev/null && sh check.sh"}); err != nil || stdout != " Bob\n" {
			t.Errorf("%s: %+v %v", profile, result, err)
		}
		if err := os.Remove(filepath.Join(dir, "check.sh")); err != nil {
			t.Error(err)
		}
	}
	// Where there is no repository git says so, in its place of the line.
	l := newLiner(t, &shell.Tool{Dir: t.TempDir(), Env: []string{trace}}, "git status *", "echo *")
	if result, stdout, err := l.run(t, map[string]any{"command": "git status || echo none"}); err != nil || result.ExitCode != 0 || stdout != "none\n" || !strings.Contains(result.Output, "not a git repository") {
		t.Errorf("%+v %v", result, err)
	}
}
