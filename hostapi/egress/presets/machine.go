package presets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The bounds of asking a tool.
const (
	askTime = 30 * time.Second
	maxSaid = 4 << 20
)

// Machine is whose tools are asked. The zero Machine finds none.
type Machine struct {
	// Path is the operator's PATH.
	Path string
	// Env are the operator's variables as NAME=value, with which tools may be
	// configured.
	Env []string
	// Avoid are folders from which no program is run, absolute: what commands may
	// write.
	Avoid []string
}

// Preset is what a tool is told to fetch from.
type Preset struct {
	// Hosts are names, with :port where it is not the usual one, each once.
	Hosts []string
	// Env has a tool that is configured otherwise fetch from there. There are no
	// credentials in it.
	Env map[string]string
}

// UnknownError is a preset that there is not.
type UnknownError struct{ Name string }

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no preset %q; there are %s", e.Name, strings.Join(Names(), ", "))
}

// NoHostError is a tool that names no host to fetch from.
type NoHostError struct {
	// Name is the preset's.
	Name string
	// Why says what the tool told, and what to do.
	Why string
}

// Error implements error.
func (e *NoHostError) Error() string { return "preset:" + e.Name + ": " + e.Why }

var tools = map[string]func(context.Context, Machine) (Preset, error){
	"go": goHosts, "npm": npmHosts, "pip": pipHosts, "cargo": cargoHosts,
}

// Names are the presets that there are, sorted.
func Names() []string { return slices.Sorted(maps.Keys(tools)) }

// Check refuses a preset that there is not, with an *[UnknownError].
func Check(name string) error {
	if tools[name] == nil {
		return &UnknownError{Name: name}
	}
	return nil
}

// Find asks a tool, which takes up to a second or two. The error is an
// *[UnknownError], a *[NoHostError], or why the tool could not be asked.
func (m Machine) Find(ctx context.Context, name string) (Preset, error) {
	ask := tools[name]
	if ask == nil {
		return Preset{}, &UnknownError{Name: name}
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	found, err := ask(ctx, m)
	if err != nil {
		var none *NoHostError
		if errors.As(err, &none) {
			return Preset{}, err
		}
		return Preset{}, fmt.Errorf("preset:%s: the hosts could not be found out: %w", name, err)
	}
	slices.Sort(found.Hosts)
	found.Hosts = slices.Compact(found.Hosts)
	return found, nil
}

// ask runs a tool and returns what it writes to stdout.
func (m Machine) ask(ctx context.Context, program string, args []string, env ...string) ([]byte, error) {
	path, err := m.find(program)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // it is the operator's own
	cmd.Dir = "/"
	cmd.Env = append(append(slices.Clone(m.Env), "PATH="+m.Path), env...)
	var out, complaint bounded
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %.300s", program, strings.Join(args, " "), err, bytes.TrimSpace(complaint.text))
	}
	return out.text, nil
}

// find looks for a program on PATH, as it is with links followed.
func (m Machine) find(program string) (string, error) {
	for _, dir := range filepath.SplitList(m.Path) {
		path := filepath.Join(dir, program)
		if !filepath.IsAbs(path) {
			continue
		}
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		info, err := os.Stat(resolved)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if slices.ContainsFunc([]string{path, resolved}, m.avoided) {
			return "", fmt.Errorf("%s lies where commands may write", path)
		}
		return path, nil
	}
	return "", fmt.Errorf("%s is not installed", program)
}

func (m Machine) avoided(path string) bool {
	return slices.ContainsFunc(m.Avoid, func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// bounded keeps the beginning of what is written.
type bounded struct{ text []byte }

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), maxSaid-len(b.text))]...)
	return len(p), nil
}

// address reads the address of a registry. There is none where it is not one of
// http or https. plain is the address without credentials.
func address(text string) (host, plain string) {
	kind, rest, ok := strings.Cut(text, "+") // sparse+https://… and its like
	if !ok || strings.ContainsAny(kind, ":/") {
		kind, rest = "", text
	} else {
		kind += "+"
	}
	u, err := url.Parse(rest)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", ""
	}
	u.User = nil
	return u.Host, kind + u.String()
}
