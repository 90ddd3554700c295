package shell

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// direction is that of a pipe.
type direction bool

const (
	fromCommand direction = false
	toCommand   direction = true
)

// pipes are the ends of a command's streams.
type pipes struct {
	stdin, stdout, stderr *os.File // ours; stdin may be nil
	theirs                []*os.File
	input                 *input // nil for none
	terminal              bool   // stdout and input are our end of a terminal
}

func openPipes(cmd *exec.Cmd, stdin bool) (p *pipes, err error) {
	p = &pipes{}
	open := func(to direction) (ours, theirs *os.File) {
		if err == nil {
			ours, theirs, err = openPipe(to)
		}
		return ours, theirs
	}
	var in, out, errs *os.File
	p.stdout, out = open(fromCommand)
	p.stderr, errs = open(fromCommand)
	p.theirs = []*os.File{out, errs}
	if stdin {
		p.stdin, in = open(toCommand)
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

// pump copies the streams until they end or expire, then closes the channel. Of the
// input it writes what the command is started with.
func (p *pipes) pump(into *recorder, command Command) <-chan struct{} {
	moves := []func(){func() { copyStream(into, &into.stdout, p.stdout) }}
	if p.stderr != nil {
		moves = append(moves, func() { copyStream(into, &into.stderr, p.stderr) })
	}
	if p.input != nil {
		moves = append(moves, p.input.first(command.Stdin, command.Input))
	}
	idle := make(chan struct{})
	var moving atomic.Int32
	moving.Store(int32(len(moves)))
	for _, move := range moves {
		go func() {
			move()
			if moving.Add(-1) == 0 {
				close(idle)
			}
		}()
	}
	return idle
}

// end waits for the copying to end. After d it stops it.
func (p *pipes) end(reading <-chan struct{}, d time.Duration) {
	if p.input == nil {
		select {
		case <-reading: // usual: the streams end before the exit is reported
			return
		default:
		}
	}
	p.expire(d)
	<-reading
}

// expire stops reading after d, and writing now.
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

// chunks are buffers for reading streams.
var chunks = sync.Pool{New: func() any { return new([64 << 10]byte) }}
