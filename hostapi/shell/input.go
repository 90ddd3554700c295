package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

var (
	errNoInput = errors.New("the command has no input that is open; start it with {input: true}, or {pty: true}")
	errEnded   = errors.New("the command has ended; nothing reads its input")
	errUnread  = errors.New("the command has closed its input")
)

// input is what a command reads, as long as somebody may write to it. Writes
// are made one after the other, and each waits until the command has room for
// all of it.
type input struct {
	to      *os.File
	writing chan struct{} // whoever has put something in may write
	open    bool          // the rest is of whoever writes
}

func newInput(to *os.File) *input {
	return &input{to: to, writing: make(chan struct{}, 1), open: true}
}

// first writes what the command was given when it started, and closes the input
// unless more may come. Nobody else writes before.
func (in *input) first(p []byte, more bool) func() {
	in.writing <- struct{}{}
	return func() {
		defer func() { <-in.writing }()
		_, err := in.to.Write(p) // a command need not read it
		if err != nil || !more {
			in.close()
		}
	}
}

// write returns when the command has taken all of p, or never will, or ctx ends;
// some of p may have arrived then.
func (in *input) write(ctx context.Context, p []byte) error {
	if in == nil {
		return errNoInput
	}
	select {
	case in.writing <- struct{}{}:
		defer func() { <-in.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if !in.open {
		return errNoInput
	}
	given := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(given)
		_ = in.to.SetWriteDeadline(time.Now())
	})
	_, err := in.to.Write(p)
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
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, os.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return errEnded
	case errors.Is(err, syscall.EPIPE):
		return errUnread
	}
	return err
}

// end closes the input once what is being written is. Closing what is closed is
// not an error.
func (in *input) end(ctx context.Context) error {
	if in == nil {
		return errNoInput
	}
	select {
	case in.writing <- struct{}{}:
		defer func() { <-in.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	in.close()
	return nil
}

// close is for whoever writes.
func (in *input) close() {
	if in.open {
		in.open = false
		_ = in.to.Close()
	}
}
