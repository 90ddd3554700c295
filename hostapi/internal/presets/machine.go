package presets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The limits of asking a tool.
const (
	askTime = 30 * time.Second
	maxSaid = 4 << 20
)

// Machine is the operator's machine. The zero Machine has no tools.
type Machine struct {
	// Path is the operator's PATH.
	Path string
	// Env are the operator's variables as NAME=value. A tool gets only those that say
	// who the operator is and what to fetch from.
	Env []string
	// Avoid are the folders that commands may write to: programs that lie there, or are
	// configured there, are not run. It may be nil.
	Avoid Places
}

// Places are the folders that commands may write to; see package sandbox.
type Places interface {
	// Hold reports whether a path, with its links followed, lies in one.
	Hold(path string) bool
	// Follow follows the links of an absolute path. It fails when one of them
	// lies in a place, and when the path does not exist.
	Follow(path string) (resolved string, ok bool)
}

// Preset is where a tool fetches from.
type Preset struct {
	// Hosts are names, with :port if it is not the default, each once.
	Hosts []string
	// Env makes the tool fetch from there even if it is configured otherwise. It has no
	// credentials.
	Env map[string]string
}

// UnknownError is a preset that does not exist.
type UnknownError struct{ Name string }

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no preset %q; there are %s", e.Name, strings.Join(Names(), ", "))
}

// NoHostError is a tool that names no host to fetch from.
type NoHostError struct {
	// Name is the preset's.
	Name string
	// Why says what the tool said, and what to do.
	Why string
}

// Error implements error.
func (e *NoHostError) Error() string { return "preset:" + e.Name + ": " + e.Why }

var tools = map[string]func(context.Context, Machine) (Preset, error){
	"go": goHosts, "npm": npmHosts, "pip": pipHosts, "cargo": cargoHosts,
}

// Names are all presets, sorted.
func Names() []string { return slices.Sorted(maps.Keys(tools)) }

// Check refuses a preset that does not exist, with an *[UnknownError].
func Check(name string) error {
	if tools[name] == nil {
		return &UnknownError{Name: name}
	}
	return nil
}

// Find asks a tool, which takes up to a second or two. The error is an
// *[UnknownError], a *[NoHostError], wraps a *[WritableError], or says why the
// tool could not be asked.
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

// address reads the address of a registry; host is empty if it is not http or https.
// plain is the address without credentials.
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
