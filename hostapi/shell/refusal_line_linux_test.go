package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// beside is a tool in TOP/w, with TOP/other beside it.
func beside(t *testing.T) (tool *shell.Tool, top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tool = newTool(t)
	tool.Dir = filepath.Join(top, "w")
	for _, file := range []string{"w/f", "other/x.js", "other/.netrc"} {
		file = filepath.Join(top, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tool, top
}

// TestWhatTheLineNamesIsTold: programs that hide why they failed are told of by what their
// line names, where that is there and not granted.
func TestWhatTheLineNamesIsTold(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for i, c := range []struct{ line, want string }{
		{"git clone -q ../other o", `probably refused reading TOP/other, where each command has a folder of its own; allow it with [sandbox] read = ["TOP/other"]`},
		{"git clone -q TOP/other o", `read = ["TOP/other"]`},
		{"git clone -q file://TOP/other o", `read = ["TOP/other"]`},
		{"node ../other/x.js", `reading TOP/other/x.js, where each command has a folder of its own; allow it with [sandbox] read = ["TOP/other"]`},
		{"false '../other/x.js'", `read = ["TOP/other"]`},
		{"false -I../other", `read = ["TOP/other"]`},
		{"false -ITOP/other", `read = ["TOP/other"]`},
		{"false --from=../other", `read = ["TOP/other"]`},
		{"PYTHONPATH=f:../other false", `read = ["TOP/other"]`},
		{"false /var/lib/dpkg/status", `read = ["/var/lib/dpkg"]`},
		{"false ../other/.netrc", "TOP/other/.netrc, which is hidden from commands"},
		{"ln -s ../other l; cat l/x.js", `reading TOP/other/x.js, where each command has a folder of its own; allow it with [sandbox] read = ["TOP/other"]`},
		{"ln -s /var/lib/dpkg l; cat l/status", `reading /var/lib/dpkg/status; allow it with [sandbox] read = ["/var/lib/dpkg"]`},
		{"cp f ../other/", `probably refused writing TOP/other; allow it with [sandbox] write = ["TOP/other"]`},
		{"mv f ../other/g", `probably refused writing TOP/other/g; allow it with [sandbox] write = ["TOP/other"]`},
		{"touch ../other/y", `probably refused writing TOP/other/y; allow it with [sandbox] write = ["TOP/other"]`},
		{"echo x >../other/y", `probably refused writing TOP/other/y; allow it with [sandbox] write = ["TOP/other"]`},
		{"false ../nope", ""},
		{"false ../w/f ./f f/g", ""},
		{"false /usr/share/nope https://example.com/other ../../../../../nope", ""},
		{"true ../other/x.js", ""},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			tool, top := beside(t)
			result, _ := run(t, tool, strings.ReplaceAll(c.line, "TOP", top))
			said, want := strings.Join(result.Notes, "\n"), strings.ReplaceAll(c.want, "TOP", top)
			if !strings.HasSuffix(strings.TrimSuffix(said, ": it may hold secrets"), want) || (said == "") != (want == "") {
				t.Errorf("%s: %q, expected %q\n%s", c.line, said, want, result.Output)
			}
		})
	}
	tool, top := beside(t)
	result, _, err := invoke(t.Context(), t, tool, map[string]any{"command": "false", "env": map[string]string{"CLASSPATH": "x:../other"}}, 0)
	if said := strings.Join(result.Notes, "\n"); err != nil || !strings.Contains(said, `read = ["`+top+`/other"]`) {
		t.Errorf("a variable: %q, %v", said, err)
	}
}

// TestWordsOfTools: what tools say in words of their own.
func TestWordsOfTools(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, c := range []struct{ line, want string }{
		{"echo 'error: the crate `serde` could not be found in registry index.' >&2; exit 101", `network = ["preset:cargo"]`},
		{"echo 'error: could not find `ripgrep` in registry `crates-io` with version `*`' >&2; exit 101", `network = ["preset:cargo"]`},
		{"echo 'RangeError: Array buffer allocation failed' >&2; exit 1", `[sandbox.limits] memoryBytes = 4294967296`},
		{"echo 'go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)' >&2; exit 1", `probably refused fetching Go 1.99; allow it with [sandbox] network = ["preset:go"]`},
		{"git init -q; git config core.hooksPath .husky/_ 2>&1; true", `unprotect = [".git/config"]`},
		{"python3 -c 'import socket; socket.create_server((\"127.0.0.1\", 0))'", `probably refused listening on a port; allow it with [sandbox] network = "loopback"`},
	} {
		tool := newTool(t)
		tool.Sandbox.Limits.MemoryBytes = 2 << 30
		command(t, tool.Dir, "git init -q .")
		result, _ := run(t, tool, c.line)
		if said := strings.Join(result.Notes, "\n"); len(result.Notes) != 1 || !strings.HasSuffix(said, c.want) {
			t.Errorf("%s: %q, expected %q\n%s", c.line, said, c.want, result.Output)
		}
	}
}

// TestEachCauseIsTold: up to three that words tell of, so that nobody opens all for the
// one that was told first.
func TestEachCauseIsTold(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for line, want := range map[string][]string{
		"echo 'unix_listener: socket: Permission denied' >&2; python3 -c 'import socket; socket.create_server((\"127.0.0.1\", 0))'": {"a socket in a file", "listening on a port"},
		"touch /usr/local/x; cat /var/lib/dpkg/status; cat ../other/x.js; chmod u+s f; unshare -n true":                             {"writing /usr/local/x", "reading /var/lib/dpkg/status and reading "},
	} {
		tool, _ := beside(t)
		result, _ := run(t, tool, line)
		if len(result.Notes) != len(want) {
			t.Errorf("%s: %q, expected %q", line, result.Notes, want)
			continue
		}
		for i, part := range want {
			if !strings.Contains(result.Notes[i], part) {
				t.Errorf("%s: %q, expected %q", line, result.Notes, want)
			}
		}
	}
}

// TestATimeoutNamesWhatGivesMore: where there is more to be had.
func TestATimeoutNamesWhatGivesMore(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int]string{200: "timed out after 200ms and was ended; timeoutMs gives it more, up to 60000", 0: ""} {
		tool := newTool(t)
		if ms == 0 {
			tool.Timeout, want = 200_000_000, "timed out after 200ms and was ended"
		}
		args := map[string]any{"command": "exec sleep 100"}
		if ms > 0 {
			args["timeoutMs"] = ms
		}
		result, _, err := invoke(t.Context(), t, tool, args, 0)
		if err != nil || result.Outcome != hostapi.OutcomeTimeout || result.Output != want {
			t.Errorf("%d: %q, %v", ms, result.Output, err)
		}
	}
}

// TestAListedHostThatWasNotReached: a program may say no more than 502.
func TestAListedHostThatWasNotReached(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	tool := listedTool(t, targets{DNS: "1"}, "api.test")
	tool.Sandbox.Network = sandbox.NetworkProxied
	result, _ := run(t, tool, "curl -sSf https://api.test/")
	if said := strings.Join(result.Notes, "\n"); len(result.Notes) != 1 || !strings.HasPrefix(said, "api.test:443 is allowed, and was not reached: ") {
		t.Errorf("%q\n%s", said, result.Output)
	}
}

// TestAdviceToWriteOpensNoPrograms: neither the system's nor those of a toolchain.
func TestAdviceToWriteOpensNoPrograms(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	tool, top := beside(t)
	result, _ := run(t, tool, "touch /usr/x")
	if said := strings.Join(result.Notes, "\n"); !strings.HasSuffix(said, "writing /usr/x, which no setting should allow: commands could change what runs outside") {
		t.Errorf("%q", said)
	}
	home := filepath.Join(top, "home")
	bin := filepath.Join(home, ".rustup", "toolchains", "stable", "bin")
	program(t, filepath.Join(bin, "cargo"), "#!/bin/sh\n")
	tool.Env = append(tool.Env, "HOME="+home, "PATH="+bin+":"+os.Getenv("PATH"))
	result, _ = run(t, tool, "echo 'error: could not create temp file "+home+"/.rustup/tmp/x: Read-only file system' >&2; exit 1")
	if said := strings.Join(result.Notes, "\n"); !strings.HasSuffix(said, "writing "+home+"/.rustup/tmp/x, which no setting should allow: commands could change what runs outside") {
		t.Errorf("%q", said)
	}
}

// TestMemoryThatRanOutIsTold: also where the command succeeded, and only where the kernel
// ended something.
func TestMemoryThatRanOutIsTold(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Sandbox.Limits.MemoryBytes = 1 << 30
	bounded := slices.ContainsFunc(tool.Confinement(), func(m hostapi.Measure) bool {
		return m.Name == "resources" && strings.Contains(m.By, "a control group for the memory of all")
	})
	// Each stays below the limit of a process, and holds its memory until somebody reads.
	result, got := run(t, tool, "mkfifo a b; sleep 2 <>a & sleep 2 <>b & dd if=/dev/zero bs=700M count=1 >a & dd if=/dev/zero bs=700M count=1 >b & wait; exit 0")
	said := strings.Join(result.Notes, "\n")
	if want := "probably refused more memory to processes that ran meanwhile, which the kernel ended; allow it with [sandbox.limits] memoryBytes = 2147483648"; got.ExitCode != 0 || bounded != strings.HasSuffix(said, want) || !bounded && said != "" {
		t.Errorf("bounded %t: %q, %+v", bounded, said, got)
	}
	if result, _ := run(t, tool, "true"); len(result.Notes) > 0 {
		t.Errorf("the next command: %q", result.Notes)
	}
}
