package shell

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

var (
	errNoInput = errors.New("the command has no input that is open; start it with {input: true}, or {pty: true}")
	errEnded   = errors.New("the command has ended; nothing reads its input")
	errNoPty   = errors.New("the command has no terminal; start it with {pty: true}")
	errUnread  = errors.New("the command has closed its input")
)

// input is what a command reads, as long as somebody may write to it. Writes
// are made one after the other, and each waits until the command has room for
// all of it.
type input struct {
	to      *os.File
	writing chan struct{} // whoever has put something in may write
	// The rest is of whoever writes.
	open    bool
	pty     bool // it is typed
	unended bool // and what was typed last did not end a line
}

func newInput(to *os.File, pty bool) *input {
	return &input{to: to, writing: make(chan struct{}, 1), open: true, pty: pty}
}

// first writes what the command was given when it started, and closes the input
// unless more may come. Nobody else writes before.
func (in *input) first(p []byte, more bool) func() {
	in.writing <- struct{}{}
	return func() {
		defer func() { <-in.writing }()
		err := in.put(p) // a command need not read it
		if err != nil || !more {
			_ = in.close() // nor its end
		}
	}
}

// put is for whoever writes.
func (in *input) put(p []byte) error {
	_, err := in.to.Write(p)
	if len(p) > 0 {
		in.unended = p[len(p)-1] != '\n'
	}
	return err
}

// write returns when the command has taken all of p, or never will, or ctx ends;
// some of p may have arrived then.
func (in *input) write(ctx context.Context, p []byte) error {
	return in.within(ctx, func() error {
		if !in.open {
			return errNoInput
		}
		return in.put(p)
	})
}

// end closes the input once what is being written is. Closing what is closed is
// not an error.
func (in *input) end(ctx context.Context) error {
	return in.within(ctx, in.close)
}

// within waits until nobody else writes, and then for what is done, as long as
// ctx lasts.
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

// inputError says what a failed write means.
func inputError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EIO): // the last is of terminals
		return errEnded
	case errors.Is(err, syscall.EPIPE):
		return errUnread
	}
	return err
}

// close is for whoever writes.
func (in *input) close() error {
	if !in.open {
		return nil
	}
	in.open = false
	if !in.pty {
		return in.to.Close()
	}
	end := []byte{endOfFile}
	if in.unended { // the first one ends the line
		end = append(end, endOfFile)
	}
	_, err := in.to.Write(end)
	return err
}

// endOfFile is what ends the input that is typed at a terminal.
const endOfFile = 4
