//go:build unix

package shell_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

type answer struct {
	Stdout, Stderr, Signal         string
	ExitCode                       int
	TimedOut, Truncated            bool
	DurationMs                     int64
	StdoutEncoding, StderrEncoding string
	Refused                        []string
}

func newTool(t *testing.T) *shell.Tool {
	t.Helper()
	tool := &shell.Tool{Dir: t.TempDir(), Sandbox: shell.Sandbox{Protected: protect.Paths{Trash: t.TempDir()}}, Env: []string{trace}, Timeout: time.Minute, Grace: 200 * time.Millisecond}
	t.Cleanup(func() {
		if err := tool.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return tool
}

// invoke goes through the door, as a script's call does.
func invoke(ctx context.Context, t *testing.T, tool *shell.Tool, args map[string]any, limit int64) (hostapi.Result, answer, error) {
	t.Helper()
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(ctx, hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}, Quota: hostapi.Quota{MaxResultBytes: cmp.Or(limit, 64<<10)},
	})
	defer gate.Close(time.Second)
	result, err := gate.Invoke(ctx, hostapi.Call{Seq: 1, Tool: "bash", Args: encoded(t, args)})
	return result, decoded(t, result), err
}

func encoded(t *testing.T, args map[string]any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// decoded is the data of a result; zero if there is none.
func decoded(t *testing.T, result hostapi.Result) (got answer) {
	t.Helper()
	if len(result.Data) > 0 {
		if err := json.Unmarshal(result.Data, &got); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func run(t *testing.T, tool *shell.Tool, line string) (hostapi.Result, answer) {
	t.Helper()
	result, got, err := invoke(t.Context(), t, tool, map[string]any{"command": line}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return result, got
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line    string
		outcome hostapi.Outcome
		code    int
		signal  string
		output  string
	}{
		{"echo hi", hostapi.OutcomeOK, 0, "", "hi\n"},
		{"echo out; echo err >&2; exit 3", hostapi.OutcomeFailed, 3, "", ""},
		{"exit 255", hostapi.OutcomeFailed, 255, "", ""},
		{"no-such-program-here", hostapi.OutcomeFailed, 127, "", ""},
		{"kill -9 $$", hostapi.OutcomeSignaled, -1, "SIGKILL", "ended by SIGKILL"},
		{"kill -TERM $$", hostapi.OutcomeSignaled, -1, "SIGTERM", "ended by SIGTERM"},
		{"kill -SEGV $$", hostapi.OutcomeSignaled, -1, "SIGSEGV", "ended by SIGSEGV"},
		{"sh -c 'kill -9 $$'; exit $?", hostapi.OutcomeFailed, 137, "", ""},
		{"cat", hostapi.OutcomeOK, 0, "", ""},      // stdin is null
		{"-x", hostapi.OutcomeFailed, 127, "", ""}, // no option of the shell
		{"false | true", hostapi.OutcomeOK, 0, "", ""},
		{"[[ 1 == 1 ]] && echo bash", hostapi.OutcomeOK, 0, "", "bash\n"},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			result, got := run(t, newTool(t), c.line)
			if result.Outcome != c.outcome || result.ExitCode != c.code || result.Signal != c.signal {
				t.Errorf("%s %d %q, want %s %d %q", result.Outcome, result.ExitCode, result.Signal, c.outcome, c.code, c.signal)
			}
			if got.ExitCode != c.code || got.Signal != c.signal || got.TimedOut || got.Truncated {
				t.Errorf("data %+v", got)
			}
			if c.output != "" && result.Output != c.output {
				t.Errorf("output %q, want %q", result.Output, c.output)
			}
		})
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	result, got := run(t, newTool(t), "echo out; echo err >&2; exit 3")
	if got.Stdout != "out\n" || got.Stderr != "err\n" {
		t.Errorf("data %+v", got)
	}
	if !strings.Contains(result.Output, "out\n") || !strings.Contains(result.Output, "err\n") || result.Bytes < 8 {
		t.Errorf("output %q of %d bytes", result.Output, result.Bytes)
	}
	if _, got := run(t, newTool(t), `printf '\377\000x'`); got.StdoutEncoding != "base64" || got.Stdout != "/wB4" {
		t.Errorf("binary: %+v", got)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	if err := os.Mkdir(filepath.Join(tool.Dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(tool.Dir, "away")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(tool.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		args    map[string]any
		outcome hostapi.Outcome
		stdout  string
	}{
		{"argv", map[string]any{"argv": []string{"printf", "%s|", "a b", "$HOME", "*"}}, hostapi.OutcomeOK, "a b|$HOME|*|"},
		{"argv missing", map[string]any{"argv": []string{"no-such-program-here"}}, hostapi.OutcomeNotStarted, ""},
		{"argv directory", map[string]any{"argv": []string{"./sub"}}, hostapi.OutcomeNotStarted, ""},
		{"stdin", map[string]any{"command": "tr a-z A-Z", "stdin": "abc"}, hostapi.OutcomeOK, "ABC"},
		{"stdin empty", map[string]any{"command": "wc -c | tr -d ' '", "stdin": ""}, hostapi.OutcomeOK, "0\n"},
		{"stdin unread", map[string]any{"command": "exit 7", "stdin": strings.Repeat("x", 1<<20)}, hostapi.OutcomeFailed, ""},
		{"stdin both ways", map[string]any{"command": "cat | wc -c | tr -d ' '", "stdin": strings.Repeat("x", 1<<20)}, hostapi.OutcomeOK, "1048576\n"},
		{"env", map[string]any{"command": `echo "$GREETING"`, "env": map[string]string{"GREETING": "hi"}}, hostapi.OutcomeOK, "hi\n"},
		{"cwd", map[string]any{"command": "pwd -P", "cwd": "sub"}, hostapi.OutcomeOK, filepath.Join(root, "sub") + "\n"},
		{"cwd none", map[string]any{"command": "pwd -P"}, hostapi.OutcomeOK, root + "\n"},
		{"cwd absolute", map[string]any{"command": "pwd -P", "cwd": filepath.Join(root, "sub")}, hostapi.OutcomeOK, filepath.Join(root, "sub") + "\n"},
		{"cwd missing", map[string]any{"command": "pwd", "cwd": "nowhere"}, hostapi.OutcomeNotStarted, ""},
		{"cwd up", map[string]any{"command": "pwd", "cwd": ".."}, hostapi.OutcomeNotStarted, ""},
		{"cwd link out", map[string]any{"command": "pwd", "cwd": "away"}, hostapi.OutcomeNotStarted, ""},
		{"cwd outside", map[string]any{"command": "pwd", "cwd": outside}, hostapi.OutcomeNotStarted, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result, got, err := invoke(t.Context(), t, tool, c.args, 0)
			if err != nil {
				t.Fatal(err)
			}
			if result.Outcome != c.outcome || got.Stdout != c.stdout {
				t.Errorf("%s %q (%s), want %s %q", result.Outcome, got.Stdout, result.Output, c.outcome, c.stdout)
			}
			if c.outcome == hostapi.OutcomeNotStarted && (result.ExitCode != -1 || result.Output == "") {
				t.Errorf("not started with exit code %d and output %q", result.ExitCode, result.Output)
			}
		})
	}
}

func TestArgumentsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args map[string]any
	}{
		{"nothing", map[string]any{}},
		{"blank", map[string]any{"command": " \n"}},
		{"both", map[string]any{"command": "true", "argv": []string{"true"}}},
		{"empty program", map[string]any{"argv": []string{""}}},
		{"NUL", map[string]any{"command": "echo a\x00b"}},
		{"NUL argument", map[string]any{"argv": []string{"echo", "a\x00b"}}},
		{"zero timeout", map[string]any{"command": "true", "timeoutMs": 0}},
		{"long timeout", map[string]any{"command": "true", "timeoutMs": 60_001}},
		{"environment", map[string]any{"command": "true", "environment": "ci"}},
		{"env name", map[string]any{"command": "true", "env": map[string]string{"BASH_FUNC_git%%": "() { rm; }"}}},
		{"unknown", map[string]any{"command": "true", "cmd": "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := invoke(t.Context(), t, newTool(t), c.args, 0); !errors.Is(err, hostapi.ErrInvalidArgs) {
				t.Errorf("error %v, want invalid arguments", err)
			}
		})
	}
}

// What the kernel would not start is refused before anything starts.
func TestLargeArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	for i := range 100 {
		env[fmt.Sprintf("V%d", i)] = strings.Repeat("x", 100_000)
	}
	words := slices.Repeat([]string{strings.Repeat("x", 100_000)}, 20)
	for message, args := range map[string]map[string]any{
		"command, argv and env have 10":     {"command": "true", "env": env},
		"command, argv and env have 20":     {"argv": append([]string{"true"}, words...)},
		"the variable V has 130002 bytes":   {"command": "true", "env": map[string]string{"V": strings.Repeat("x", 130_000)}},
		"command has 130000 bytes; 122880":  {"command": strings.Repeat(" ", 130_000-4) + "true"},
		"argv[1] has 130000 bytes; 122880 ": {"argv": []string{"true", strings.Repeat("x", 130_000)}},
	} {
		result, _, err := invoke(t.Context(), t, newTool(t), args, 0)
		if err != nil || result.Outcome != hostapi.OutcomeNotStarted || !strings.Contains(result.Output, message) {
			t.Errorf("%v, %s: %.300q, not %q", err, result.Outcome, result.Output, message)
		}
	}
	for _, args := range []map[string]any{
		{"argv": []string{"true", strings.Repeat("x", 120<<10)}},
		{"argv": append([]string{"true"}, words[:9]...)},
	} {
		if result, _, err := invoke(t.Context(), t, newTool(t), args, 0); err != nil || result.Outcome != hostapi.OutcomeOK {
			t.Errorf("what fits is refused: %v, %.300q", err, result.Output)
		}
	}
}

func TestMissingWorkspace(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Dir = filepath.Join(tool.Dir, "nowhere")
	result, _ := run(t, tool, "true")
	if result.Outcome != hostapi.OutcomeNotStarted || !strings.Contains(result.Output, "does not exist") {
		t.Errorf("%s %q", result.Outcome, result.Output)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SHELL_TEST_SECRETIVE", "leaked")
	t.Setenv("LC_SHELLTEST", "inherited")
	tool := newTool(t)
	tool.Env = append(tool.Env, "MINE=1", "MY_TOKEN=x", "LD_PRELOAD=/x.so", "GITHUB_SHA=x", "BASH_ENV=/x", "db_password=x")
	result, got := run(t, tool, "env")
	names := map[string]bool{}
	for line := range strings.Lines(got.Stdout) {
		name, _, _ := strings.Cut(line, "=")
		names[name] = true
	}
	for _, name := range []string{"SHELL_TEST_SECRETIVE", "MY_TOKEN", "LD_PRELOAD", "GITHUB_SHA", "BASH_ENV", "db_password"} {
		if names[name] {
			t.Errorf("%s reached the command", name)
		}
	}
	for _, name := range []string{"MINE", "LC_SHELLTEST", "PATH"} {
		if !names[name] {
			t.Errorf("%s did not reach the command", name)
		}
	}
	if !strings.Contains(string(result.Metadata), `"withheldEnv":["BASH_ENV","GITHUB_SHA","LD_PRELOAD","MY_TOKEN","db_password"]`) {
		t.Errorf("metadata %s", result.Metadata)
	}
}

func TestTimeoutEndsTheTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, line string }{
		{"plain", "echo before; sleep 60"},
		{"child", "echo before; sleep 60 | sleep 60"},
		{"setsid", "echo before; setsid sleep 60 & wait"},
		{"setsid of a setsid", "echo before; setsid bash -c 'setsid sleep 60 & sleep 60' & wait"},
		{"orphan", "echo before; (setsid sleep 60 &) ; sleep 60"},
		{"ignores TERM", "echo before; trap '' TERM; while :; do sleep 60; done"},
		{"child ignores TERM", "echo before; (trap '' TERM; while :; do sleep 60; done) & wait"},
		{"says that all is well", "echo before; trap 'exit 0' TERM; sleep 60 & wait"},
		{"closed streams", "echo before; exec >&- 2>&-; sleep 60"},
		{"forks on", "echo before; f() { sleep 60 & sleep 60; }; f & f & f & wait"},
		{"stopped", "echo before; kill -STOP $$"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && strings.Contains(c.line, "setsid") {
				return // what left the group is not found there, as the package says
			}
			tool := newTool(t)
			mine := "SHELL_TEST_CASE=" + filepath.Base(filepath.Dir(tool.Dir))
			tool.Env = append(tool.Env, mine)
			args := map[string]any{"command": c.line, "timeoutMs": 3000}
			result, got, err := invoke(t.Context(), t, tool, args, 0)
			if err != nil {
				t.Fatal(err)
			}
			if result.Outcome != hostapi.OutcomeTimeout || result.ExitCode != -1 || !got.TimedOut {
				t.Errorf("%s %d %+v", result.Outcome, result.ExitCode, got)
			}
			if got.Stdout != "before\n" {
				t.Errorf("what it wrote before is %q", got.Stdout)
			}
			if left := marked(mine); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// marked is carrying without the children of this process, of which there are
// those of other tests.
func marked(entry string) (found []string) {
	for _, p := range carrying(entry) {
		pid, _, _ := strings.Cut(p, " ")
		env, _ := os.ReadFile("/proc/" + pid + "/environ")
		if strings.Contains("\x00"+string(env), "\x00"+entry+"\x00") {
			found = append(found, p)
		}
	}
	return found
}

func TestCancel(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	mine := "SHELL_TEST_CASE=" + filepath.Base(filepath.Dir(tool.Dir))
	tool.Env = append(tool.Env, mine)
	fifo := filepath.Join(tool.Dir, "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if f, err := os.Open(fifo); err == nil { // once the command writes
			_, _ = io.ReadAll(f)
			_ = f.Close()
		}
		cancel()
	}()
	result, got, err := invoke(ctx, t, tool, map[string]any{"command": "echo before; setsid sleep 60 & echo > ready; sleep 60"}, 0)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if result.Outcome != hostapi.OutcomeCancelled || result.ExitCode != -1 || got.Stdout != "before\n" {
		t.Errorf("%s %d %+v", result.Outcome, result.ExitCode, got)
	}
	if left := marked(mine); runtime.GOOS == "linux" && len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if _, _, err := invoke(ctx, t, tool, map[string]any{"command": "true"}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("started after the end: error %v", err)
	}
}

func TestBackgroundChildDoesNotHang(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"sleep 60 & echo done",
		"setsid sleep 60 & echo done",
		"(setsid sleep 60 >/dev/null 2>&1 &) ; echo done",
		"(trap '' TERM; sleep 60) & echo done",
		"yes > /dev/null & echo done",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && strings.Contains(line, "setsid") {
				return
			}
			tool := newTool(t)
			mine := "SHELL_TEST_CASE=" + filepath.Base(filepath.Dir(tool.Dir))
			tool.Env = append(tool.Env, mine)
			began := time.Now()
			result, got := run(t, tool, line)
			if result.Outcome != hostapi.OutcomeOK || got.Stdout != "done\n" {
				t.Errorf("%s %+v", result.Outcome, got)
			}
			if took := time.Since(began); took > 40*time.Second {
				t.Errorf("it took %v", took)
			}
			if left := marked(mine); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	const limit = 4096
	result, got, err := invoke(t.Context(), t, newTool(t), map[string]any{"command": "echo first; yes | head -c 20000000; echo last"}, limit)
	if err != nil {
		t.Fatal(err)
	}
	if result.Outcome != hostapi.OutcomeOK || !result.Truncated || !got.Truncated || result.Bytes != 20000011 {
		t.Errorf("%s truncated %v %v, %d bytes", result.Outcome, result.Truncated, got.Truncated, result.Bytes)
	}
	for _, text := range []string{result.Output, got.Stdout} {
		if len(text) > limit || !strings.HasPrefix(text, "first\ny\n") || !strings.HasSuffix(text, "y\nlast\n") ||
			!strings.Contains(text, "of 20000011 bytes dropped here") || strings.Count(text, "dropped") != 1 {
			t.Errorf("%d bytes: %.40q … %q", len(text), text, text[max(len(text)-40, 0):])
		}
	}
	if len(result.Data) > 2*limit+1<<10 { // a line end is two bytes of JSON
		t.Errorf("data has %d bytes", len(result.Data))
	}
	endless, _, err := invoke(t.Context(), t, newTool(t), map[string]any{"command": "yes", "timeoutMs": 3000}, limit)
	if err != nil || endless.Outcome != hostapi.OutcomeTimeout || len(endless.Output) > limit {
		t.Errorf("endless: %v %s, %d bytes", err, endless.Outcome, len(endless.Output))
	}
}

func TestSmallLimits(t *testing.T) {
	t.Parallel()
	for _, limit := range []int64{1, 10, 150, 300, 1000} {
		result, got, err := invoke(t.Context(), t, newTool(t), map[string]any{"command": `printf '\001%.0s' $(seq 3000); echo '"<é>' >&2`}, limit)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(result.Output)) > limit || int64(len(got.Stdout+got.Stderr)) > limit || int64(len(result.Data)) > 6*limit+1<<10 || !result.Truncated {
			t.Errorf("limit %d: output %d, data %d bytes, truncated %v", limit, len(result.Output), len(result.Data), result.Truncated)
		}
	}
}

// TestHandleIsWaitedForByNobodyOrTwice: neither blocks, and neither panics.
func TestHandleIsWaitedForByNobodyOrTwice(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for waits := range 3 {
		handle, result, err := tool.Start(t.Context(), hostapi.Call{Args: encoded(t, map[string]any{"command": "exit 3"})})
		if err != nil || handle == nil {
			t.Fatalf("%+v, %v", result, err)
		}
		for range waits {
			if result, err := handle.Wait(t.Context()); err != nil || result.ExitCode != 3 {
				t.Errorf("%+v, %v", result, err)
			}
		}
		if err := handle.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHolderThatWasKilledIsReplaced: what starts commands is started again.
func TestHolderThatWasKilledIsReplaced(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // commands start from this process
	}
	tool := newTool(t)
	tool.Sandbox.Profile = shell.ProfileOff
	// It may be gone before it has said that the command started.
	if result, got := run(t, tool, "kill -9 $PPID; sleep 100"); got.Signal != "SIGKILL" && result.Outcome != hostapi.OutcomeNotStarted {
		t.Errorf("%+v, %+v", got, result)
	}
	if result, got := run(t, tool, "echo on"); got.Stdout != "on\n" {
		t.Errorf("%+v, %+v", got, result)
	}
}
