package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// keys reads single keys of a terminal, for who asks a person. What is typed while
// nobody is asked answers nothing.
type keys struct {
	in *os.File

	begin sync.Once
	mu    sync.Mutex
	want  chan byte // nil while nobody asks
	err   error
	ended chan struct{}
}

func newKeys(in *os.File) *keys { return &keys{in: in, ended: make(chan struct{})} }

// ask shows a question on the terminal, and then passes each key to answer, until it
// says that it has one. Meanwhile Ctrl-C is a key as any other.
func (k *keys) ask(ctx context.Context, show func(), answer func(key byte) (over bool)) error {
	before, err := term.MakeRaw(int(k.in.Fd()))
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(int(k.in.Fd()), before) }()
	k.begin.Do(func() { go k.read() })
	flushInput(k.in)
	typed := make(chan byte, 64)
	k.mu.Lock()
	k.want = typed
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.want = nil
		k.mu.Unlock()
	}()
	show()
	for {
		select {
		case key := <-typed:
			if answer(key) {
				return nil
			}
		case <-k.ended:
			return k.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// read goes on until the terminal closes: a read of one cannot be ended.
func (k *keys) read() {
	defer close(k.ended)
	var one [1]byte
	for {
		n, err := k.in.Read(one[:])
		if err != nil {
			if k.err = err; errors.Is(err, io.EOF) {
				k.err = errors.New("the terminal was closed")
			}
			return
		}
		k.mu.Lock()
		want := k.want
		k.mu.Unlock()
		if n == 1 && want != nil {
			select {
			case want <- one[0]:
			default: // nobody types so many
			}
		}
	}
}
