package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/scriptrun/scriptrun/runtime"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	runtime.WorkerMain()
	testscript.Main(leakChecked{m}, map[string]func(){"scriptrun": main, "hostile-server": hostileServer, measuring: measure})
}

// leakChecked fails the tests when a goroutine is left.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	remove, err := ownCaches()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	code := l.m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// ownCaches keeps the homes of these tests' commands out of the user's caches. Go's own cache
// stays where it is.
func ownCaches() (remove func(), err error) {
	usual, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "scriptrun-caches-")
	if err != nil {
		return nil, err
	}
	set := map[string]string{"XDG_CACHE_HOME": dir}
	if os.Getenv("GOCACHE") == "" {
		set["GOCACHE"] = filepath.Join(usual, "go-build")
	}
	for name, value := range set {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return func() { _ = errors.Join(homesFolder().Clear(), os.RemoveAll(dir)) }, nil
}

func TestScripts(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	plain := plainPrograms(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", top)
			home := filepath.Join(filepath.Dir(e.WorkDir), "home-"+filepath.Base(e.WorkDir)) // beside the workspace, as homes are
			e.Setenv("HOME", home)
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("PLAIN", plain)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("WARM_GOCACHE", os.Getenv("GOCACHE")) // for scripts that build; an empty cache takes a minute
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"report":    report,
			"ledger":    ledger,
			"nobody":    nobody,
			"bytes":     writeBytes,
			"interrupt": interrupt,
		},
	})
}

// plainPrograms is a folder for PATH without toolchains, where doctor has none to try: each takes
// as long as many other commands.
func plainPrograms(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"scriptrun", "sh", "bash", "git", "cat", "chmod", "ls", "sleep"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue // scripts that need it say so
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exits CODE PROGRAM ARGS… runs a program and expects its exit code. Its output
// goes to the files out and err.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program args…")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("it exited with %d, not %s", code, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(ts.ReadFile("stdout")), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(ts.ReadFile("stderr")), 0o644))
}

// lookup reads the document that was printed last, by a path such as
// error.line or calls.0.status.
func lookup(ts *testscript.TestScript, path string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// report PATH VALUE compares a part of the document; without a value it says
// that the part must not be there.
func report(ts *testscript.TestScript, neg bool, args []string) {
	got := lookup(ts, args[0])
	if len(args) == 1 {
		if (got == nil) != neg {
			ts.Fatalf("%s is %v", args[0], got)
		}
		return
	}
	text, ok := got.(string)
	if !ok {
		encoded, err := json.Marshal(got)
		ts.Check(err)
		text = string(encoded)
	}
	if (text == args[1]) == neg {
		ts.Fatalf("%s is %s, not %s", args[0], text, args[1])
	}
}

// ledger STATUS… compares the statuses of all calls, and that each row is whole.
func ledger(ts *testscript.TestScript, _ bool, want []string) {
	calls, ok := lookup(ts, "calls").([]any)
	if !ok {
		ts.Fatalf("there is no ledger")
	}
	var got []string
	for i, c := range calls {
		row := c.(map[string]any)
		got = append(got, fmt.Sprint(row["status"]))
		for _, key := range []string{"seq", "tool", "args", "verdict", "status", "outputBytes", "truncated", "startMs", "durationMs"} {
			if _, ok := row[key]; !ok {
				ts.Fatalf("call %d has no %s", i+1, key)
			}
		}
		if row["seq"] != float64(i+1) {
			ts.Fatalf("call %d is number %v", i+1, row["seq"])
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		ts.Fatalf("the calls are %v, not %v", got, want)
	}
}

// nobody MARK checks that no process with MARK in its command line is left.
func nobody(ts *testscript.TestScript, _ bool, args []string) {
	lines, err := commandLines()
	ts.Check(err)
	for _, line := range lines {
		if strings.Contains(line, args[0]) {
			ts.Fatalf("still running: %s", line)
		}
	}
}

// commandLines lists what runs on the machine.
func commandLines() ([]string, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		out, err := exec.Command("ps", "-eo", "args").Output()
		return strings.Split(string(out), "\n"), err
	}
	var lines []string
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil { // else it has just gone
			lines = append(lines, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return lines, nil
}

// bytes FILE COUNT TEXT writes TEXT over and over until there are COUNT bytes.
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	var count int
	if _, err := fmt.Sscan(args[1], &count); err != nil {
		ts.Fatalf("%v", err)
	}
	text := strings.Repeat(args[2], count/len(args[2])+1)[:count]
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// interrupt FILE,… PROGRAM ARGS… runs a program, sends it SIGINT once each FILE is
// there, and writes exit code, stdout and stderr to the files code, out and err.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	outcome, err := interrupted(ts.MkAbs("."), args[0], args[1:], ts.Getenv)
	ts.Check(err)
	for name, text := range outcome {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}
