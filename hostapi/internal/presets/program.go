package presets

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// ask runs the tool of a preset and returns what it writes to stdout.
func (m Machine) ask(ctx context.Context, preset, program string, args []string, env ...string) ([]byte, error) {
	out, complaint, err := m.run(ctx, preset, program, args, env...)
	if err != nil && complaint != nil {
		err = fmt.Errorf("%s %s: %w: %.300s", program, strings.Join(args, " "), err, bytes.TrimSpace(complaint))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// run is ask for a tool that may fail: complaint is its stderr, and nil if it did not
// run.
func (m Machine) run(ctx context.Context, preset, program string, args []string, env ...string) (out, complaint []byte, err error) {
	own, err := m.variables(preset)
	if err != nil {
		return nil, nil, err
	}
	m.Path = m.keptPath()
	path, err := m.find(program)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // it is the operator's own
	cmd.Dir = "/"
	cmd.Env = append(append(own, "PATH="+m.Path), env...)
	said, complained := bounded{}, bounded{text: []byte{}}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &complained, time.Second
	alone(cmd)
	err = cmd.Run()
	endLeft(cmd)
	return said.text, complained.text, err
}

// keptPath is PATH without the folders that commands may write to. Tools find other
// programs on it, as npm finds node.
func (m Machine) keptPath() string {
	var dirs []string
	for _, dir := range filepath.SplitList(m.Path) {
		if m.kept(filepath.Clean(dir)) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// find finds a program on PATH. Commands must not be able to write it or its
// interpreter.
func (m Machine) find(program string) (path string, err error) {
	for _, dir := range filepath.SplitList(m.Path) {
		path := filepath.Join(dir, program)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if !m.kept(path) {
			return "", fmt.Errorf("%s lies where commands may write", path)
		}
		if err := m.interpreted(path); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		return path, nil
	}
	return "", fmt.Errorf("%s is not installed, or only where commands may write", program)
}

// interpreted refuses a script whose first line names a program that commands
// may write.
func (m Machine) interpreted(script string) error {
	file, err := os.Open(script)
	if err != nil {
		return nil //nolint:nilerr // what can be run and not read is no script
	}
	defer file.Close()
	begin, _ := io.ReadAll(io.LimitReader(file, 256)) // what the kernel looks at
	line, _, _ := strings.Cut(string(begin), "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return nil
	}
	if !m.kept(words[0]) {
		return fmt.Errorf("%s, which interprets it, lies where commands may write", words[0])
	}
	if filepath.Base(words[0]) != "env" {
		return nil
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			_, err = m.find(word)
			return err
		}
	}
	return nil
}

// kept reports whether commands can write nothing that a path leads through, links
// followed. For what does not exist, its folder counts.
func (m Machine) kept(path string) bool {
	if !filepath.IsAbs(path) || slices.Contains(strings.Split(path, "/"), "..") { // .. may lead elsewhere than it seems
		return false
	}
	if m.Avoid == nil {
		return true
	}
	if m.Avoid.Hold(path) {
		return false
	}
	for at := range upward.From(path) {
		if _, err := os.Lstat(at); err == nil {
			resolved, ok := m.Avoid.Follow(at)
			return ok && !m.Avoid.Hold(resolved)
		}
	}
	return false
}

// bounded keeps the beginning of what is written.
type bounded struct{ text []byte }

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), maxSaid-len(b.text))]...)
	return len(p), nil
}
