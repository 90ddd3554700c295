package mcptools

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// program is a server that was started here.
type program struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	stderr *tail
	noted  func(what string)
	ended  chan struct{}
}

// note tells of something that the program does wrong without failing.
func (p *program) note(what string) {
	_, _ = p.stderr.Write([]byte(what + "\n")) // it keeps what it can
	p.noted(what)
}

// drain is how long output is read after a program has ended.
const drain = 500 * time.Millisecond

// startProgram starts a server in a process group of its own.
func startProgram(s Server) (*program, error) {
	path, err := s.find()
	if err != nil {
		return nil, err
	}
	p := &program{stderr: &tail{to: s.Stderr}, noted: s.note, ended: make(chan struct{})}
	p.cmd = exec.Command(path, s.Command[1:]...) //nolint:noctx // it outlives the call that starts it
	p.cmd.Args[0] = s.Command[0]
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr, p.cmd.SysProcAttr = s.Dir, s.environ(), p.stderr, groupOfItsOwn()
	p.cmd.WaitDelay = drain // for stderr, which others may hold
	var theirs *os.File
	if p.stdout, theirs, err = os.Pipe(); err != nil {
		return nil, err
	}
	defer theirs.Close()
	p.cmd.Stdout = theirs
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		_ = p.stdout.Close()
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_, _ = p.cmd.Process.Wait() // stderr says how it ended
		killGroup(p.cmd)            // and all that it started
		// Its last answers may still be unread, and a process that left the group may
		// hold the pipe.
		time.AfterFunc(drain, func() { _ = p.stdout.Close() })
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// end gives a program grace to end by itself, and then kills it with all that it
// started. It returns when that is done.
func (p *program) end(grace time.Duration) {
	_ = p.stdin.Close() // tells it to end
	if grace > 0 {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.ended:
		case <-timer.C:
		}
	}
	killGroup(p.cmd)
	<-p.ended
}

// environ is the program's environment.
func (s Server) environ() []string {
	env := []string{} // nil would be the host's
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// tail keeps the end of what is written.
type tail struct {
	to io.Writer

	mu   sync.Mutex
	last []byte
	cut  bool // there was more before
}

const maxTail = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if over := len(t.last) - maxTail; over > 0 {
		t.last, t.cut = t.last[over:], true
	}
	if t.to != nil {
		_, _ = t.to.Write(p) // output that cannot be shown is lost
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.last), "\ufffd"))
	if t.cut {
		text = "… " + text
	}
	return text
}
