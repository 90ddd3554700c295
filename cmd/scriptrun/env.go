package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// env is everything that the command takes from the system.
type env struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	// screen and rawOut are stderr and stdout as they are, for who draws and for
	// who speaks a protocol; see [env.guarded].
	screen, rawOut io.Writer
	// terminal is whether stderr is one: only then is there a live line.
	terminal bool
	// terminalIn is whether stdin is one: only then can somebody be asked.
	terminalIn bool
	// terminalOut is whether stdout is one: only then is the value made plain.
	terminalOut bool
	// keys are those of the terminal; nil where nobody sits at one.
	keys *keys
	// width is that of the terminal.
	width func() int
	// interrupted returns a context that ends with Ctrl-C, SIGTERM, or when the
	// terminal closes. More of them do nothing until the other function is called:
	// what commands have planted is put away before the process ends.
	interrupted func() (context.Context, context.CancelFunc)
}

func system() env {
	e := env{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal:    term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
		terminalIn:  term.IsTerminal(int(os.Stdin.Fd())),
		terminalOut: term.IsTerminal(int(os.Stdout.Fd())),
		width: func() int {
			if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && w > 0 {
				return w
			}
			return 80
		},
		interrupted: func() (context.Context, context.CancelFunc) {
			ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
			if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
				ends = append(ends, syscall.SIGHUP)
				signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // to the end: the kernel and the shell both tell of it
			}
			ctx, stop := signal.NotifyContext(context.Background(), ends...)
			return ctx, stop
		},
	}
	if e.terminal && e.terminalIn {
		e.keys = &keys{in: os.Stdin}
	}
	return e
}
