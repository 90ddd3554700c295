package shell

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

var (
	errNoInput = errors.New("the command has no open input; start it with {input: true} or {pty: true}")
	errEnded   = errors.New("the command has ended; nothing reads its input")
	errNoPty   = errors.New("the command has no terminal; start it with {pty: true}")
	errUnread  = errors.New("the command has closed its input")
)

// input is the open input of a command. Writes are made one after the other. Each waits
// until the command, or the pipe to it, has taken all of it.
type input struct {
	to      *os.File
	writing chan struct{} // a lock: who has sent to it may write
	// The rest is guarded by writing.
	open    bool
	pty     bool // it is a terminal
	unended bool // the last write did not end a line
}

func newInput(to *os.File, pty bool) *input {
	return &input{to: to, writing: make(chan struct{}, 1), open: true, pty: pty}
}

// first takes the lock and returns the first write: what the command is started with. It
// closes the input unless more may come.
func (in *input) first(p []byte, more bool) func() {
	in.writing <- struct{}{}
	return func() {
		defer func() { <-in.writing }()
		err := in.put(p) // the command need not read it
		if err != nil || !more {
			_ = in.close() // nor its end
		}
	}
}

// put writes p, under the lock.
func (in *input) put(p []byte) error {
	_, err := in.to.Write(p)
	if len(p) > 0 {
		in.unended = p[len(p)-1] != '\n'
	}
	return err
}

// write returns when the command has taken all of p, or never will, or ctx ends. Part of
// p may have arrived then.
func (in *input) write(ctx context.Context, p []byte) error {
	return in.within(ctx, func() error {
		if !in.open {
			return errNoInput
		}
		return in.put(p)
	})
}

// end closes the input after the writes before it. Closing it again is not an error.
func (in *input) end(ctx context.Context) error {
	return in.within(ctx, in.close)
}

// within does something under the lock, until ctx ends.
func (in *input) within(ctx context.Context, do func() error) error {
	if in == nil {
		return errNoInput
	}
	select {
	case in.writing <- struct{}{}:
		defer func() { <-in.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	given := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(given)
		_ = in.to.SetWriteDeadline(time.Now())
	})
	err := do()
	if !stop() {
		<-given
		_ = in.to.SetWriteDeadline(time.Time{})
	}
	return inputError(ctx, err)
}

// inputError explains a failed write.
func inputError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EIO): // the last is a terminal's
		return errEnded
	case errors.Is(err, syscall.EPIPE):
		return errUnread
	}
	return err
}

// close closes the input, under the lock.
func (in *input) close() error {
	if !in.open {
		return nil
	}
	in.open = false
	if !in.pty {
		return in.to.Close()
	}
	end := []byte{endOfFile}
	if in.unended { // the first one only ends the line
		end = append(end, endOfFile)
	}
	_, err := in.to.Write(end)
	return err
}

// endOfFile is the end-of-file character of a terminal.
const endOfFile = 4
