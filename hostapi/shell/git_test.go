package shell_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// repository is one with a commit, a change and a name with a space.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	git("init", "-q", "-b", "main")
	write("a.txt", "one\n")
	write("b c.txt", "two\n")
	git("add", ".")
	git("commit", "-q", "-m", "first\n\nIt has a body.")
	write("a.txt", "changed\n")
	return dir
}

func askGit(t *testing.T, dir string, rules []string, args ...string) (hostapi.Result, error) {
	t.Helper()
	return askGitWithin(t, hostapi.Quota{}, dir, rules, args...)
}

func askGitWithin(t *testing.T, quota hostapi.Quota, dir string, rules []string, args ...string) (hostapi.Result, error) {
	t.Helper()
	bash := &shell.Tool{Dir: dir}
	t.Cleanup(func() { bash.Close() })
	registry, err := hostapi.NewRegistry(bash, &shell.Git{Shell: bash})
	if err != nil {
		t.Fatal(err)
	}
	var allow []hostapi.Rule
	for _, text := range rules {
		rule, err := hostapi.ParseRule(text)
		if err = errors.Join(err, registry.CheckRule(rule)); err != nil {
			t.Fatal(err)
		}
		allow = append(allow, rule)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(allow)}, Quota: quota})
	defer gate.Close(time.Second)
	raw, err := json.Marshal(map[string]any{"args": args})
	if err != nil {
		t.Fatal(err)
	}
	if len(args) == 1 && strings.HasPrefix(args[0], "{") {
		raw = []byte(args[0])
	}
	return gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "git", Args: raw})
}

// TestGitTakesACommandAlone, as A3S gives it: it reads as args would, under the same rules.
func TestGitTakesACommandAlone(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	rules := []string{"git(status)", "git(log *)", "git(diff *)"}
	for args, want := range map[string]string{
		`{"command":"status"}`:                  "M a.txt",
		`{"command":"log"}`:                     "Ann: first",
		`{"command":"log","max_count":1}`:       "Ann: first",
		`{"command":"diff"}`:                    "+changed",
		`{"command":"diff","target":"HEAD"}`:    "+changed",
		`{"command":"log","limit":5,"cwd":"."}`: "Ann: first",
	} {
		if result, err := askGit(t, dir, rules, args); err != nil || result.ExitCode != 0 || !strings.Contains(result.Output, want) {
			t.Errorf("%s: %+v, %v", args, result, err)
		}
	}
	for args, want := range map[string]string{
		`{}`:                                           "expected args",
		`{"command":"log","args":["log"]}`:             "expected args",
		`{"command":"status","limit":5}`:               "limit and cursor are for log",
		`{"command":"log","target":"HEAD"}`:            "target is for command diff",
		`{"command":"diff","target":"--output=pwned"}`: "--output",
		`{"command":"checkout"}`:                       "checkout",
		`{"command":"worktree","subcommand":"list"}`:   "subcommand",
		`{"command":"log --output=pwned"}`:             `give them as args: ["log","--output=pwned"]`,
		`{"command":"lgo"}`:                            "did you mean log?",
		`{"args":["git","log"]}`:                       "leave out the word git",
	} {
		if result, err := askGit(t, dir, []string{"git"}, args); !errors.Is(err, hostapi.ErrInvalidArgs) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", args, result, err)
		}
	}
	if _, err := askGit(t, dir, []string{"git(status)"}, `{"command":"log"}`); !errors.Is(err, hostapi.ErrDenied) {
		t.Errorf("a rule for another command granted it: %v", err)
	}
}

func TestGitReads(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for _, c := range []struct {
		args         []string
		output, data string
	}{
		{[]string{"status"}, " M a.txt", `[{"status":" M","path":"a.txt"}]`},
		{[]string{"ls-files"}, "a.txt\nb c.txt", `["a.txt","b c.txt"]`},
		{[]string{"log"}, "Ann: first", `"author":"Ann","email":"ann@example.com"`},
		{[]string{"log", "-1"}, "Ann: first", `"subject":"first","body":"It has a body."`},
		{[]string{"log", "--format=%s"}, "first", ""},
		{[]string{"diff", "--stat"}, "a.txt | 2", ""},
		{[]string{"show", "HEAD:a.txt"}, "one", ""},
		{[]string{"blame", "a.txt"}, "Not Committed Yet", ""},
	} {
		result, err := askGit(t, dir, []string{"git"}, c.args...)
		if err != nil || result.ExitCode != 0 || !strings.Contains(result.Output, c.output) || !strings.Contains(string(result.Data), c.data) {
			t.Errorf("%q: %+v, %s, %v", c.args, result, result.Data, err)
		}
	}
}

func TestGitDoesNotWrite(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for _, args := range [][]string{
		{"commit", "-m", "x"}, {"push"}, {"-c", "alias.x=!touch pwned", "x"}, {"config", "a.b", "c"}, {"diff", "--output=pwned"}, {"log", "--outp=pwned"},
		{"diff", "--no-index", "/etc/passwd", "a.txt"}, {"diff", "--no-ind", "/etc/hostname", "a.txt"}, {"grep", "-Otouch", "one"}, {"grep", "--open-files=touch", "one"},
		{"diff", "--ext-diff"}, {"show", "--textconv"}, {"branch", "x"}, {"--exec-path=/tmp", "log"},
	} {
		if result, err := askGit(t, dir, []string{"git"}, args...); !errors.Is(err, hostapi.ErrInvalidArgs) {
			t.Errorf("%q: %+v, %v", args, result, err)
		}
	}
	// What the repository itself is set to run does not run.
	script := filepath.Join(dir, "evil.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+dir+"/pwned\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := os.OpenFile(filepath.Join(dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.WriteString("[core]\n\tfsmonitor = " + script + "\n\tpager = " + script + "\n[diff]\n\texternal = " + script + "\n")
	if err = errors.Join(err, config.Close()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"diff"}, {"log", "-p"}, {"show"}} {
		if result, err := askGit(t, dir, []string{"git"}, args...); err != nil || result.ExitCode != 0 {
			t.Errorf("%q: %+v, %v", args, result, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a program of the repository ran, and wrote")
	}
}

func TestGitRules(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for _, c := range []struct {
		args []string
		want bool
	}{{[]string{"log", "-1"}, true}, {[]string{"log"}, true}, {[]string{"show", "HEAD"}, false}, {[]string{"status"}, true}, {[]string{"status", "-s"}, false}} {
		_, err := askGit(t, dir, []string{"git(log *)", "git(status)"}, c.args...)
		if (err == nil) != c.want {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

// TestGitFailsForAReason: that is what git calls fatal, or an error, and not the end of its advice.
func TestGitFailsForAReason(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for args, want := range map[string]string{
		`{"command":"diff","target":"nope"}`:             "fatal: ambiguous argument 'nope'",
		`{"args":["log","nope..nope2"]}`:                 "fatal: ambiguous argument 'nope..nope2'",
		`{"args":["merge-base","HEAD","nope"]}`:          "fatal: Not a valid object name nope",
		`{"args":["ls-files","--error-unmatch","nope"]}`: "error: pathspec 'nope' did not match",
	} {
		if result, err := askGit(t, dir, []string{"git"}, args); err != nil || !strings.HasPrefix(result.Reason, want) {
			t.Errorf("%s: %q, %+v, %v", args, result.Reason, result, err)
		}
	}
	tool := &shell.Tool{Dir: dir, Sandbox: shell.Sandbox{Profile: shell.ProfileOff}}
	t.Cleanup(func() { _ = tool.Close() })
	for line, want := range map[string]string{
		"git log nope": "fatal: ambiguous argument 'nope'",
		"echo fatal: mine >&2; echo no >&2; exit 1": "no",
	} {
		args, _ := json.Marshal(map[string]string{"command": line})
		if result, err := tool.Invoke(t.Context(), hostapi.Call{Tool: "bash", Args: args}); err != nil || !strings.HasPrefix(result.Reason, want) {
			t.Errorf("%s: %q, %v", line, result.Reason, err)
		}
	}
}

// TestGitSaysThatItShowsTenCommits where limit is left out, as others may lie behind them.
func TestGitSaysThatItShowsTenCommits(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for range 10 {
		if out, err := exec.Command("git", "-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "more").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for args, noted := range map[string]bool{`{"command":"log"}`: true, `{"command":"log","limit":10}`: false, `{"command":"log","limit":20}`: false, `{"args":["log"]}`: false} {
		result, err := askGit(t, dir, []string{"git"}, args)
		if said := strings.Contains(strings.Join(result.Notes, " "), "log shows 10 commits, as limit is left out"); err != nil || said != noted {
			t.Errorf("%s: %q, %v", args, result.Notes, err)
		}
	}
}

// TestGitNamesThatAreNotUTF8 keep what of them is text.
func TestGitNamesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	if err := os.WriteFile(filepath.Join(dir, "caf\xe9.txt"), nil, 0o600); err != nil {
		t.Skipf("names are UTF-8 here: %v", err) // darwin
	}
	for command, want := range map[string]string{"status": `{"status":"??","path":"caf\ufffd.txt"}`, "ls-files -o": `["caf\ufffd.txt"]`} {
		result, err := askGit(t, dir, []string{"git"}, strings.Fields(command)...)
		if err != nil || !strings.Contains(string(result.Data), want) && !strings.Contains(string(result.Data), strings.ReplaceAll(want, `\ufffd`, "\uFFFD")) {
			t.Errorf("%s: %q, %s, %v", command, result.Output, result.Data, err)
		}
	}
}

// TestGitKeepsWholeEntries of what is cut.
func TestGitKeepsWholeEntries(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	const files = 400
	for n := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file %03d é.txt", n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int64{100, 150, 300, 1000, 4000} {
		result, err := askGitWithin(t, hostapi.Quota{MaxResultBytes: limit}, dir, []string{"git"}, "ls-files", "-o")
		var names []string
		if err := errors.Join(err, json.Unmarshal(result.Data, &names)); err != nil {
			t.Fatalf("%d: %+v, %v", limit, result, err)
		}
		if !result.Truncated || len(names) == 0 || len(names) == files {
			t.Errorf("%d: %d names, %+v", limit, len(names), result)
		}
		for n, name := range names {
			if want := fmt.Sprintf("file %03d é.txt", n); name != want {
				t.Errorf("%d: %q, want %q", limit, name, want)
			}
		}
		if want := fmt.Sprintf("the first %d entries", len(names)); limit > 200 && !strings.Contains(result.Output, want) {
			t.Errorf("%d: %q, want %q", limit, result.Output, want)
		}
	}
}
