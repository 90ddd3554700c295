package shell_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// rounds is how often each torment is repeated. Many rounds also hold the
// deadlines to the promised time, which a busy machine might not keep.
var rounds = flag.Int("torment.rounds", 3, "how often each torment is repeated; 100 before a release")

const (
	tormentTimeout = 2 * time.Second
	tormentGrace   = 100 * time.Millisecond
	// slack is what an ending may take beyond the deadline and the grace.
	slack = 250 * time.Millisecond
	// tormentMemory is what the host may grow by, whatever a command writes.
	tormentMemory = 64 << 20
)

// torment is one round: a command, and what must be true of its end.
type torment struct {
	line    string
	stdin   []byte
	timeout time.Duration
	status  func(shell.ExitStatus) bool
	output  func(*testing.T, shell.Output)
}

func (m torment) run(t *testing.T, local *shell.Local) {
	t.Helper()
	// The tag is on the command line of every process, where no process hides
	// it by clearing its environment.
	tag := tormentTag()
	command := line(t, strings.ReplaceAll(m.line, "@", tag))
	command.Stdin = m.stdin
	command.Limits = shell.Limits{Timeout: m.timeout, Grace: tormentGrace, OutputBytes: 64 << 10, SpillDir: t.TempDir()}
	if m.timeout == 0 {
		command.Limits.Timeout = time.Minute
	}
	began := time.Now()
	id, err := local.Create(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	status, err := local.Wait(t.Context(), id)
	took := time.Since(began)
	if err != nil || !m.status(status) {
		t.Errorf("status %+v, %v", status, err)
	}
	if limit := m.timeout + tormentGrace + slack; m.timeout > 0 && *rounds >= 100 && took > limit {
		t.Errorf("it took %v; the deadline of %v and the grace of %v end at %v", took, m.timeout, tormentGrace, limit)
	}
	if left := tagged(tag); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
	out, err := local.Output(id, 0)
	if err != nil || out.Status == nil || *out.Status != status {
		t.Errorf("output after the end: %+v, %v", out.Status, err)
	}
	if m.output != nil {
		m.output(t, out)
	}
	if err := local.Release(id); err != nil {
		t.Error(err)
	}
}

// memory is the resident size of this process, and the most that it was since
// the last reset.
func memory(t *testing.T, reset bool) (now, most int64) {
	t.Helper()
	if reset {
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) int64 {
		_, rest, _ := strings.Cut(string(text), "\n"+name+":")
		fields := strings.Fields(rest)
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n << 10
	}
	return field("VmRSS"), field("VmHWM")
}

func exits(code int) func(shell.ExitStatus) bool {
	return func(s shell.ExitStatus) bool {
		return s.ExitCode == code && s.Signal == "" && !s.TimedOut && !s.Cancelled && s.Duration > 0
	}
}

func timesOut(signals ...string) func(shell.ExitStatus) bool {
	return func(s shell.ExitStatus) bool { return s.TimedOut && !s.Cancelled && slices.Contains(signals, s.Signal) }
}

// TestTorment: processes that do not want to end.
func TestTorment(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]torment{
		"a child holds the pipe":        {line: "sleep @ & exit 0", status: exits(0)},
		"a child in another session":    {line: "setsid sleep @ & exit 3", status: exits(3)},
		"a hidden child":                {line: "env -i setsid --fork /bin/sh -c 'sleep @ </dev/null >/dev/null 2>&1'; sleep 0.05; exit 4", status: exits(4)},
		"a session that outlives it":    {line: "setsid sleep @ & setsid sleep @", timeout: tormentTimeout, status: timesOut("SIGTERM")},
		"TERM is ignored":               {line: "trap '' TERM; sleep @; sleep @; sleep @", timeout: tormentTimeout, status: timesOut("SIGKILL")},
		"children ignore TERM":          {line: "(trap '' TERM; sleep @; sleep @) & (trap '' TERM; setsid sleep @; sleep @)", timeout: tormentTimeout, status: timesOut("SIGTERM", "SIGKILL")},
		"a fork of forks":               {line: "f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; sleep @; }; f 4", timeout: tormentTimeout, status: timesOut("SIGTERM", "SIGKILL")},
		"streams are closed":            {line: "exec >&- 2>&-; sleep @; true", timeout: tormentTimeout, status: timesOut("SIGTERM")},
		"streams are closed, TERM too":  {line: "exec >&- 2>&- <&-; trap '' TERM; sleep @; sleep @", timeout: tormentTimeout, status: timesOut("SIGKILL")},
		"stdin is not read":             {line: "sleep @; true", stdin: make([]byte, 1<<20), timeout: tormentTimeout, status: timesOut("SIGTERM")},
		"it stops itself":               {line: "kill -STOP $$; sleep @", timeout: tormentTimeout, status: timesOut("SIGTERM", "SIGKILL")},
		"writes while it is being told": {line: "trap 'echo told; exit 9' TERM; sleep @ & wait", timeout: tormentTimeout, status: func(s shell.ExitStatus) bool { return s.TimedOut && s.ExitCode == 9 }, output: text("told\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			local := newLocal(t)
			var running sync.WaitGroup
			slots := make(chan struct{}, 5)
			for range *rounds {
				slots <- struct{}{}
				running.Go(func() {
					defer func() { <-slots }()
					m.run(t, local)
				})
			}
			running.Wait()
		})
	}
}

func text(want string) func(*testing.T, shell.Output) {
	return func(t *testing.T, out shell.Output) {
		t.Helper()
		if got := string(out.Both.Head) + string(out.Both.Tail); got != want || out.Both.Total != int64(len(want)) {
			t.Errorf("output %q of %d bytes, want %q", got, out.Both.Total, want)
		}
	}
}

const flood = 200_000_000

// TestTormentByBytes: more output than a host has room for, and bytes that are
// not text. One at a time, since the host's memory is what is looked at.
func TestTormentByBytes(t *testing.T) { //nolint:paralleltest // memory is measured
	whole := func(t *testing.T, out shell.Output) {
		t.Helper()
		if out.Stdout.Total != flood || out.Both.Total != flood || out.Both.Dropped != flood-64<<10 || out.SpillErr != nil {
			t.Errorf("%d bytes, %d of both, %d dropped, %v", out.Stdout.Total, out.Both.Total, out.Both.Dropped, out.SpillErr)
		}
		f, err := os.Open(out.Stdout.File)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sum := sha256.New()
		n, err := io.Copy(sum, f)
		if err != nil || n != flood || fmt.Sprintf("%x", sum.Sum(nil)) != floodSum(t) {
			t.Errorf("the file has %d bytes, %v, or not those that were written", n, err)
		}
		if err := os.Remove(out.Stdout.File); err != nil { // a hundred of them are 20 GB
			t.Error(err)
		}
	}
	shout := fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", flood)
	for _, c := range []struct {
		name string
		torment
	}{
		{"200 MB in one line", torment{line: shout, status: exits(0), output: whole}},
		{"200 MB in, unread, and as much out", torment{line: shout, stdin: make([]byte, flood), status: exits(0), output: whole}},
	} {
		local := newLocal(t)
		for round := range *rounds {
			start, _ := memory(t, true)
			c.run(t, local)
			if _, most := memory(t, false); most-start > tormentMemory {
				t.Errorf("%s: round %d: the host grew by %d MB", c.name, round, (most-start)>>20)
			}
		}
	}
}

var floodDigest struct {
	sync.Once
	sum string
}

func floodSum(t *testing.T) string {
	t.Helper()
	floodDigest.Do(func() {
		sum := sha256.New()
		chunk := bytes.Repeat([]byte("x"), 1_000_000)
		for range flood / len(chunk) {
			sum.Write(chunk)
		}
		floodDigest.sum = fmt.Sprintf("%x", sum.Sum(nil))
	})
	return floodDigest.sum
}

// TestTormentByEncoding: NUL, bytes that are not UTF-8, and a character across
// every place where output may be cut.
func TestTormentByEncoding(t *testing.T) {
	t.Parallel()
	local := newLocal(t)
	raw := "\x00\xff\xfe\x00\xc3\x28 end"
	for range *rounds {
		torment{
			line:   `printf '\000\377\376\000\303\050 end'; printf '\377' >&2`,
			status: exits(0),
			output: func(t *testing.T, out shell.Output) {
				t.Helper()
				if string(out.Stdout.Head)+string(out.Stdout.Tail) != raw || string(out.Stderr.Head)+string(out.Stderr.Tail) != "\xff" {
					t.Errorf("stdout %q %q, stderr %q", out.Stdout.Head, out.Stdout.Tail, out.Stderr.Head)
				}
			},
		}.run(t, local)
	}
	word := strings.Repeat("a€𝄞é", 600)
	if *rounds < 100 {
		word = strings.Repeat("a€𝄞é", 60)
	}
	id, err := local.Create(t.Context(), line(t, "printf '%s' '"+word+"'"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := local.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for since := range int64(len(word)) {
		out, err := local.Output(id, since)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int64{200, 201, 202, 203, 220, 250} {
			got, cut := out.Both.Text(limit)
			if !utf8.ValidString(got) || clip.Size(got) > limit || cut && strings.Contains(got, "\uFFFD") && utf8.RuneStart(word[since]) {
				t.Fatalf("since %d, limit %d: %q", since, limit, got)
			}
		}
	}
	if err := local.Release(id); err != nil {
		t.Error(err)
	}
}

// TestTormentOfTheHost: the host is killed, and nothing of its commands stays.
func TestTormentOfTheHost(t *testing.T) {
	t.Parallel()
	if os.Getenv(hostVariable) != "" {
		playHost(t)
		return
	}
	var running sync.WaitGroup
	slots := make(chan struct{}, 4)
	for range *rounds {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			killHost(t)
		})
	}
	running.Wait()
}

// hostVariable holds the tag for a copy of this program that is killed.
const hostVariable = "SHELL_TEST_HOST"

// playHost starts a command with children of every kind, and waits for its own
// death.
func playHost(t *testing.T) {
	t.Helper()
	var local shell.Local
	tag := os.Getenv(hostVariable)
	command := line(t, strings.ReplaceAll(
		"sleep @ & setsid sleep @ & trap '' TERM; (env -i setsid sleep @ </dev/null >/dev/null 2>&1 &) ; touch tmp $TMPDIR/tmp; echo ready; sleep @; sleep @", "@", tag))
	id, err := local.Create(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	for {
		out, err := local.Output(id, 0)
		if err != nil || out.Status != nil {
			t.Fatalf("%+v, %v", out.Status, err)
		}
		if string(out.Both.Head) == "ready\n" {
			break
		}
	}
	fmt.Println("ready")
	_, _ = local.Wait(t.Context(), id)
}

func killHost(t *testing.T) {
	t.Helper()
	tag, temp := tormentTag(), t.TempDir()
	host := exec.Command(os.Args[0], "-test.run=^TestTormentOfTheHost$")
	host.Env = append(os.Environ(), hostVariable+"="+tag, "TMPDIR="+temp)
	stdout, err := host.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := host.Start(); err != nil {
		t.Error(err)
		return
	}
	ready := make([]byte, 6)
	_, readErr := io.ReadFull(stdout, ready)
	if left := tagged(tag); readErr != nil || len(left) < 4 {
		t.Errorf("the host said %q, %v, and runs %q", ready, readErr, left)
	}
	if err := host.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = host.Wait() // it was killed
	for deadline := time.Now().Add(10 * time.Second); ; {
		left := tagged(tag)
		sites, _ := filepath.Glob(filepath.Join(temp, "scriptrun-*"))
		if len(left) == 0 && len(sites) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("of a host that was killed, there are left %q and %q", left, sites)
			return
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
}
