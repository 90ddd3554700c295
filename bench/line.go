package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// line is how long somebody at a terminal waits until there is a line.
func line(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "The first line on a terminal", about: "From the start of a process until the first line that it prints is on a pseudo-terminal. None of them ends at once."}
	dir := filepath.Join(in.dir, "lines")
	if err := os.Mkdir(dir, 0o750); err != nil {
		return t, err
	}
	for name, body := range map[string]string{
		"logs":   "console.log('first'); await new Promise((f) => setTimeout(f, 200)); return 1",
		"prints": "return (await ctx.bash('echo first; sleep 0.2')).exitCode",
	} {
		text := "/*---\nkind: script\ndescription: d\nallowed_tools: [bash]\n---*/\nexport default async function run(ctx) { " + body + " }\n"
		if err := os.WriteFile(filepath.Join(dir, name+".mjs"), []byte(text), 0o600); err != nil {
			return t, err
		}
	}
	t.rows, err = turns(ctx, rounds,
		onTerminal("`scriptrun run logs`, a script that logs", 2, in.scriptrun, "run", "--tools", dir, "--workspace", dir, "logs"),
		onTerminal("`scriptrun run prints`, a script whose command prints, in the sandbox", 2, in.scriptrun, "run", "--tools", dir, "--workspace", dir, "prints"),
		onTerminal("node, a script that prints", 2, "node", "-e", "console.log('first'); setTimeout(() => {}, 200)"))
	return t, err
}

// onTerminal is the time until a program has written "first" on a terminal.
func onTerminal(name string, batch int, args ...string) subject {
	return subject{name: name, batch: batch, needs: args[0], took: func(ctx context.Context) (time.Duration, error) {
		ours, theirs, err := pseudoTerminal()
		if err != nil {
			return 0, err
		}
		defer ours.Close()
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
		cmd.Env = append(os.Environ(), "TERM=xterm")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		began := time.Now()
		err = errors.Join(cmd.Start(), theirs.Close())
		if err != nil {
			return 0, err
		}
		var took time.Duration
		var seen []byte
		space := make([]byte, 4096)
		for err == nil {
			var n int
			n, err = ours.Read(space)
			if seen = append(seen, space[:n]...); took == 0 && bytes.Contains(seen, []byte("first")) {
				took = time.Since(began)
			}
		}
		if err := cmd.Wait(); err != nil || took == 0 {
			return 0, errors.Join(err, fmt.Errorf("the terminal shows %q", seen))
		}
		return took, nil
	}}
}

// pseudoTerminal opens both ends of a terminal. Reading ours fails when theirs is closed.
func pseudoTerminal() (ours io.ReadCloser, theirs *os.File, err error) {
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(file.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(file.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, theirs, nil
}
