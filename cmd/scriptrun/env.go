package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// env is all that the program takes from the system.
type env struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	// screen and rawOut are stderr and stdout without the guard, for drawing and for a
	// protocol; see [env.guarded].
	screen, rawOut io.Writer
	// terminal says whether stderr is a terminal: only then is there a live line.
	terminal bool
	// terminalIn says whether stdin is a terminal: only then can a person be asked.
	terminalIn bool
	// terminalOut says whether stdout is a terminal: only then is the value made plain.
	terminalOut bool
	// colours says whether terminals get them unless a flag says otherwise; wanted is
	// that flag.
	colours bool
	wanted  *colour
	// lines lays out what goes to stderr.
	lines *page
	// keys are the terminal's; nil if nobody sits at one.
	keys *keys
	// width is the terminal's, in columns.
	width func() int
	// interrupted returns a context that ends with Ctrl-C, SIGTERM, or when the
	// terminal closes. Further signals do nothing until the other function is called,
	// so that files that commands have planted are moved away before the process ends.
	interrupted func() (context.Context, context.CancelFunc)
}

func system() env {
	e := env{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal:    term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
		terminalIn:  term.IsTerminal(int(os.Stdin.Fd())),
		terminalOut: term.IsTerminal(int(os.Stdout.Fd())),
		colours:     os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		width: func() int {
			for _, file := range []*os.File{os.Stderr, os.Stdout} {
				if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
					return w
				}
			}
			return 80
		},
		interrupted: func() (context.Context, context.CancelFunc) {
			ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
			if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
				ends = append(ends, syscall.SIGHUP)
				signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // until the end: the kernel and the shell both send it
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
