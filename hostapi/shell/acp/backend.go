package acp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// Client is the part of a connection that a [Backend] uses. A
// *[acpsdk.AgentSideConnection] is one. It must be safe for concurrent use.
type Client interface {
	CreateTerminal(context.Context, acpsdk.CreateTerminalRequest) (acpsdk.CreateTerminalResponse, error)
	TerminalOutput(context.Context, acpsdk.TerminalOutputRequest) (acpsdk.TerminalOutputResponse, error)
	WaitForTerminalExit(context.Context, acpsdk.WaitForTerminalExitRequest) (acpsdk.WaitForTerminalExitResponse, error)
	KillTerminal(context.Context, acpsdk.KillTerminalRequest) (acpsdk.KillTerminalResponse, error)
	ReleaseTerminal(context.Context, acpsdk.ReleaseTerminalRequest) (acpsdk.ReleaseTerminalResponse, error)
}

// How long a client gets for an answer that it should have at once, and, after
// it was told to kill a command, to say that the command has ended.
const (
	answerTime = 10 * time.Second
	settleTime = 3 * time.Second
)

// Backend runs commands in the terminals of a client. [New] makes one. It is
// safe for concurrent use.
type Backend struct {
	client  Client
	session acpsdk.SessionId

	mu        sync.Mutex
	terminals map[shell.TerminalID]*terminal
}

var _ shell.Backend = (*Backend)(nil)

// New is a backend for one session of a client. The connection stays the
// caller's.
func New(client Client, session string) *Backend {
	return &Backend{client: client, session: acpsdk.SessionId(session), terminals: map[shell.TerminalID]*terminal{}}
}

// Open is a backend for a client at the other end of a stream, which it speaks
// to about nothing else. Closing the stream ends it: what waits then gets an
// error.
func Open(stream io.ReadWriter, session string) *Backend {
	return New(connect(stream), session)
}

// ClientError is what the client answered instead of what it was asked for.
type ClientError struct {
	// Method is what it was asked, such as "terminal/create".
	Method string
	// Err is its answer, a *[acpsdk.RequestError] if it was one.
	Err error
}

// Error implements error.
func (e *ClientError) Error() string {
	var answer *acpsdk.RequestError
	if errors.As(e.Err, &answer) {
		return fmt.Sprintf("the client refused %s: %s (code %d)", e.Method, answer.Message, answer.Code)
	}
	return fmt.Sprintf("the client did not answer %s: %v", e.Method, e.Err)
}

// Unwrap returns Err.
func (e *ClientError) Unwrap() error { return e.Err }

// Create implements [shell.Backend]. Signals of the system, a stdin, and a
// required sandbox are more than the protocol can say.
func (b *Backend) Create(ctx context.Context, command shell.Command) (shell.TerminalID, error) {
	refuse := func(err error) (shell.TerminalID, error) { return "", &shell.StartError{Err: err} }
	if err := command.Check(); err != nil {
		return refuse(err)
	}
	if command.Stdin != nil {
		return refuse(errors.New("the Agent Client Protocol gives a command no stdin; put the text into a file, or into the line"))
	}
	if command.Input {
		return refuse(errors.New("the Agent Client Protocol gives a command no input; leave out input, and put the text into a file, or into the line"))
	}
	if command.Pty != nil {
		return refuse(errors.New("the Agent Client Protocol does not say what terminal a command gets; leave out pty"))
	}
	if command.Sandbox.Require {
		return refuse(errors.New("a sandbox is required, and the client that runs the command tells of none"))
	}
	if command.Sandbox.Network == sandbox.NetworkProxied {
		return refuse(errors.New("the network is a list of hosts, and nobody keeps a client to it that runs commands elsewhere"))
	}
	if err := context.Cause(ctx); err != nil {
		return refuse(err)
	}
	asked, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	response, err := b.client.CreateTerminal(asked, b.request(command))
	if err != nil {
		return refuse(&ClientError{"terminal/create", err})
	}
	t := newTerminal(ctx, b, response.TerminalId, command.Limits)
	id := shell.TerminalID(rand.Text())
	b.mu.Lock()
	defer b.mu.Unlock()
	b.terminals[id] = t
	return id, nil
}

// request is a command in the words of the protocol.
func (b *Backend) request(command shell.Command) acpsdk.CreateTerminalRequest {
	program, args := "/bin/sh", []string{"-c", command.Line}
	if command.Line == "" {
		program, args = command.Argv[0], command.Argv[1:]
	}
	request := acpsdk.CreateTerminalRequest{SessionId: b.session, Command: program, Args: args}
	if cwd := command.Context.Cwd(); cwd != "" {
		request.Cwd = &cwd
	}
	for _, entry := range command.Context.Env() {
		name, value, _ := strings.Cut(entry, "=")
		request.Env = append(request.Env, acpsdk.EnvVariable{Name: name, Value: value})
	}
	limit := int(command.Limits.OutputBytes)
	if limit == 0 {
		limit = defaultOutputBytes
	}
	request.OutputByteLimit = &limit
	return request
}

const defaultOutputBytes = 1 << 20

// Output implements [shell.Backend]. It asks the client and so takes a round
// trip. Stdout is all there is, and Stderr empty, since the protocol does not tell
// the streams apart. Of an output that the client cut, Dropped is below zero: how
// much is missing is not told, so that since leaves out nothing of it.
func (b *Backend) Output(id shell.TerminalID, since int64) (shell.Output, error) {
	t, err := b.terminal(id)
	if err != nil {
		return shell.Output{}, err
	}
	return t.output(since)
}

// Wait implements [shell.Backend].
func (b *Backend) Wait(ctx context.Context, id shell.TerminalID) (shell.ExitStatus, error) {
	t, err := b.terminal(id)
	if err != nil {
		return shell.ExitStatus{}, err
	}
	select {
	case <-t.done:
		return t.status, t.err
	case <-ctx.Done():
		return shell.ExitStatus{}, context.Cause(ctx)
	}
}

// Kill implements [shell.Backend]. Signal 0 does nothing; any other is the
// client's kill, and it is sent once.
func (b *Backend) Kill(id shell.TerminalID, signal syscall.Signal) error {
	t, err := b.terminal(id)
	if err != nil || signal == 0 {
		return err
	}
	return t.kill(byKill)
}

// Release implements [shell.Backend]. The client is told once, whatever it
// does with a second time.
func (b *Backend) Release(id shell.TerminalID) error {
	b.mu.Lock()
	t := b.terminals[id]
	delete(b.terminals, id)
	b.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.release()
}

// Close releases every terminal that is still there. The backend stays usable.
func (b *Backend) Close() error {
	b.mu.Lock()
	left := b.terminals
	b.terminals = map[shell.TerminalID]*terminal{}
	b.mu.Unlock()
	var mu sync.Mutex
	var errs []error
	var releasing sync.WaitGroup
	for _, t := range left {
		releasing.Go(func() {
			err := t.release()
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	releasing.Wait()
	return errors.Join(errs...)
}

func (b *Backend) terminal(id shell.TerminalID) (*terminal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t, ok := b.terminals[id]; ok {
		return t, nil
	}
	return nil, shell.ErrNotFound
}
