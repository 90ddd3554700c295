package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pseudoTerminal opens both ends of a pseudo-terminal.
func pseudoTerminal() (ours, theirs *os.File, err error) {
	if ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	return ours, theirs, err
}

// dialog runs a program on a terminal. Each line of the dialog is the text to wait for, a tab,
// and the text to type then, quoted as in Go. It returns the screen, and how the program ended.
func dialog(dir, lines string, argv []string, getenv func(string) string) (screen, out string, code int, err error) {
	path, err := lookIn(getenv("PATH"), argv[0])
	if err != nil {
		return "", "", 0, err
	}
	var stdout bytes.Buffer
	cmd := exec.Command(path, argv[1:]...)
	cmd.Dir, cmd.Stdout = dir, &stdout
	cmd.Env = []string{"PATH=" + getenv("PATH"), "HOME=" + getenv("HOME"), "TERM=xterm"}
	screen, err = onPseudoTerminal(cmd, 0, lines)
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	return screen, stdout.String(), code, err
}

// onPseudoTerminal runs a command on a terminal with so many columns, none of them for one that
// does not know. It returns all that was written there.
func onPseudoTerminal(cmd *exec.Cmd, columns uint16, lines string) (seen string, err error) {
	ours, theirs, err := pseudoTerminal()
	if err != nil {
		return "", err
	}
	defer ours.Close()
	if err := unix.IoctlSetWinsize(int(theirs.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: 50}); err != nil {
		return "", err
	}
	cmd.Stdin, cmd.Stderr = theirs, theirs
	if cmd.Stdout == nil {
		cmd.Stdout = theirs
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_ = theirs.Close()
	late := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	from, space := 0, make([]byte, 4096)
	steps := strings.Split(strings.TrimSpace(lines), "\n")
	for {
		n, err := ours.Read(space)
		seen += string(space[:n])
		for len(steps) > 0 && steps[0] != "" {
			wait, typed, _ := strings.Cut(steps[0], "\t")
			i := strings.Index(seen[from:], wait)
			if i < 0 {
				break
			}
			from += i + len(wait)
			steps = steps[1:]
			keys, err := strconv.Unquote(typed)
			if err != nil {
				return seen, fmt.Errorf("the dialog types %s: %w", typed, err)
			}
			if _, err := ours.WriteString(keys); err != nil {
				return seen, err
			}
		}
		if err != nil { // the other end is closed
			break
		}
	}
	_ = cmd.Wait() // the exit code tells
	if len(steps) > 0 && steps[0] != "" {
		return seen, fmt.Errorf("it ended before %q was on the terminal:\n%s", steps[0], seen)
	}
	return seen, nil
}
