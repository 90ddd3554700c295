package shell

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// pipes are the ends of a command's streams.
type pipes struct {
	stdin, stdout, stderr *os.File // ours; stdin may be nil
	theirs                []*os.File
	input                 *input // to stdin; nil where there is none
	terminal              bool   // stdout is our end of one, and the input too
}

func openPipes(cmd *exec.Cmd, stdin bool) (p *pipes, err error) {
	p = &pipes{}
	open := func() (read, write *os.File) {
		if err == nil {
			read, write, err = os.Pipe()
		}
		return read, write
	}
	var in, out, errs *os.File
	p.stdout, out = open()
	p.stderr, errs = open()
	p.theirs = []*os.File{out, errs}
	if stdin {
		in, p.stdin = open()
		p.theirs = append(p.theirs, in)
		p.input = newInput(p.stdin, false)
		cmd.Stdin = in
	}
	cmd.Stdout, cmd.Stderr = out, errs
	if err != nil {
		p.closeTheirs()
		p.closeOurs()
		return nil, err
	}
	return p, nil
}

// Closing a nil *os.File is an error and nothing more.
func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close()
	}
}

func (p *pipes) closeOurs() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		_ = f.Close()
	}
}

// pump moves the streams until they end or expire; then the channel is closed.
// Of the input, that is what the command was given when it started.
func (p *pipes) pump(into *recorder, command Command) <-chan struct{} {
	var moving sync.WaitGroup
	moving.Go(func() { copyStream(into, &into.stdout, p.stdout) })
	if p.stderr != nil {
		moving.Go(func() { copyStream(into, &into.stderr, p.stderr) })
	}
	if p.input != nil {
		moving.Go(p.input.first(command.Stdin, command.Input))
	}
	idle := make(chan struct{})
	go func() {
		moving.Wait()
		close(idle)
	}()
	return idle
}

// expire stops reading after d, and writing at once.
func (p *pipes) expire(d time.Duration) {
	end := time.Now().Add(d)
	_ = p.stdout.SetReadDeadline(end)
	_ = p.stderr.SetReadDeadline(end)
	if p.input != nil {
		_ = p.input.to.SetWriteDeadline(time.Now())
	}
}

func copyStream(into *recorder, stream *stream, from io.Reader) {
	chunk := chunks.Get().(*[64 << 10]byte) // nothing else is put there
	defer chunks.Put(chunk)
	for {
		n, err := from.Read(chunk[:])
		into.write(stream, chunk[:n])
		if err != nil {
			return
		}
	}
}

// chunks are what streams are read into. They hold nothing between two reads.
var chunks = sync.Pool{New: func() any { return new([64 << 10]byte) }}
