package sandbox_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// typed runs a line on a terminal and returns all its output.
func typed(t *testing.T, box *sandbox.Box, dir, line string) string {
	t.Helper()
	p, terminal, err := box.StartPty(&exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", line}, Env: os.Environ(), Dir: dir}, sandbox.Size{Cols: 91, Rows: 17})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err = io.Copy(&out, terminal)
	if err == nil || !strings.Contains(err.Error(), "input/output error") {
		t.Errorf("the terminal ended with %v", err)
	}
	<-p.Exited()
	p.End(100 * time.Millisecond)
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	return out.String()
}

// A terminal is of the box: by its name, by its number and by what can be done
// with it, and it is gone with its command.
func TestTerminalOfTheBox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	mine, err := filepath.Glob("/dev/pts/*")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		// One that has just been closed may be there for a moment more.
		const alone = `n=0; while [ "$(echo /dev/pts/[0-9]*)" != "$(tty)" ] && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.05; done; `
		const want = "/dev/pts/N\r\n/dev/pts/N /dev/pts/ptmx\r\n17 91\r\nmine\r\n"
		got := typed(t, box, dir, alone+"tty; echo /dev/pts/*; stty size; echo mine >/dev/tty")
		if number, _, ok := strings.Cut(strings.TrimPrefix(got, "/dev/pts/"), "\r\n"); !ok || strings.ReplaceAll(got, "/dev/pts/"+number, "/dev/pts/N") != want {
			t.Errorf("it wrote %q, not %q; there are %q outside", got, want, mine)
		}
	}
	// What is pushed into its input, where the kernel still lets that be, is read
	// here.
	const push = `import fcntl, termios
for c in "pushed\n":
    try: fcntl.ioctl(0, termios.TIOCSTI, c.encode())
    except OSError as e: print("refused"); break
`
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} { // one may be found by way of a home folder
		if line(t, box, dir, name+" -c pass").code == 0 {
			python = name
		}
	}
	if python == "" {
		t.Log("there is no python3 in the box: nothing is pushed into a terminal")
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "push.py"), []byte(push), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, box, dir, `stty -echo; if `+python+` push.py | grep -q refused; then echo pushed; else read -r x; echo "$x"; fi`); got != "pushed\r\n" {
		t.Errorf("it wrote %q", got)
	}
	// A command without one has none, nor does it get one by asking.
	got := line(t, box, dir, `tty; (: >/dev/tty) 2>/dev/null || echo none; cut -d' ' -f7 /proc/self/stat; sh -c ': 3<>/dev/ptmx; cut -d" " -f7 /proc/self/stat'`)
	if got.out != "not a tty\nnone\n0\n0\n" {
		t.Errorf("without a terminal: %+v", got)
	}
	// Programs make terminals of their own, for what they start.
	got = line(t, box, dir, python+` -c 'import pty,sys; sys.exit(pty.spawn(["sh","-c","tty; test -t 0"]) >> 8)' </dev/null`)
	if got.code != 0 || !strings.Contains(got.out, "/dev/pts/") {
		t.Errorf("a terminal that a program made: %+v", got)
	}
}

// Where nothing starts, nothing is left open.
func TestTerminalOfNoCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if _, _, err := box.StartPty(&exec.Cmd{Path: "/nowhere", Args: []string{"nowhere"}, Dir: dir}, sandbox.Size{Cols: 80, Rows: 24}); err == nil {
		t.Error("it started")
	}
	if whole(t, box) {
		if got := typed(t, box, dir, "tty"); got != "/dev/pts/0\r\n" {
			t.Errorf("the one before is still there: %q", got)
		}
	}
}

// TestTerminalsAreOfOneCommand: no other command of the box writes to a command's
// terminal or reads what is typed there, by no name of it.
func TestTerminalsAreOfOneCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	size := sandbox.Size{Cols: 80, Rows: 24}
	victim, terminal, err := box.StartPty(&exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", "echo mine; touch ready; while [ ! -e go ]; do sleep 0.01; done; echo end"}, Env: os.Environ(), Dir: dir,
	}, size)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&out, terminal)
	}()
	const attack = `while [ ! -e ready ]; do sleep 0.01; done
for p in /dev/pts/[0-9]* /proc/[0-9]*/fd/* /proc/[0-9]*/root/dev/pts/[0-9]*; do
	case $p in /proc/$$/*|/proc/self/*) continue;; esac
	[ -c "$p" ] && [ "$(readlink -f "$p")" != /dev/null ] && (echo INJECTED > "$p")
done 2>/dev/null`
	line(t, box, dir, attack)
	typed(t, box, dir, attack)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-victim.Exited()
	victim.End(0)
	<-read
	_ = terminal.Close()
	if got := out.String(); got != "mine\r\nend\r\n" {
		t.Errorf("it shows %q", got)
	}
}
