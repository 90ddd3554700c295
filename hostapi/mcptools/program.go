package mcptools

import (
	"fmt"
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
	noted  func(string) // nil: nobody is told
	ended  chan struct{}
}

// note tells of something that the program does wrong, and that is borne.
func (p *program) note(what string) {
	_, _ = p.stderr.Write([]byte(what + "\n")) // it keeps what it can
	if p.noted != nil {
		p.noted(what)
	}
}

// drain is how long what a program that has ended wrote is still read.
const drain = 500 * time.Millisecond

// startProgram starts a server in a process group of its own.
func startProgram(s Server) (*program, error) {
	path, err := s.find()
	if err != nil {
		return nil, err
	}
	p := &program{stderr: &tail{to: s.Stderr}, ended: make(chan struct{})}
	if s.Noted != nil {
		p.noted = func(what string) { s.Noted(fmt.Sprintf("MCP server %q: %s", s.Name, what)) }
	}
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
		_, _ = p.cmd.Process.Wait() // how it ended is told by what it wrote
		killGroup(p.cmd)            // and all that it started
		// Its last answers may not be read yet, and somebody may hold the pipe who
		// left the group.
		time.AfterFunc(drain, func() { _ = p.stdout.Close() })
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// end lets a program end by itself for a while, and then ends it with all that
// it started. It returns when that is done.
func (p *program) end(grace time.Duration) {
	_ = p.stdin.Close() // which is how it is told
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

// environ is all that the program is told of the host.
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
		_, _ = t.to.Write(p) // what cannot be shown is lost
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
