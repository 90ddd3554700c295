package settings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// add merges a file into the settings. Of a project's file it gets only the keys that
// are in force; see [file.split]. Every file narrows limits and lists of hosts, and
// adds its paths. A name that is taken keeps its first meaning. For other keys the last
// file counts.
func (s *Settings) add(f *file) error {
	s.Files = append(s.Files, f.path)
	if f.DefaultEnvironment != "" {
		s.DefaultEnvironment = f.DefaultEnvironment
	}
	s.mcpFiles = s.mcpFiles || f.MCPFiles
	before := slices.Clone(s.Environments)
	for _, e := range f.Environments {
		if slices.ContainsFunc(before, func(have shell.Environment) bool { return have.Name == e.Name }) {
			s.Taken = append(s.Taken, fmt.Sprintf("environment %q of %s", e.Name, f.path))
			continue
		}
		s.Environments = append(s.Environments, shell.Environment(e)) // [shell.Tool.Validate] finds doubles in one file
	}
	if err := s.addSandbox(f); err != nil {
		return err
	}
	if err := s.addHosts(f); err != nil {
		return err
	}
	if err := s.addAudit(f); err != nil {
		return err
	}
	s.FetchPrivate = append(s.FetchPrivate, f.Fetch.Private...)
	s.Limits = narrowed(s.Limits, f.limits())
	s.ServeResultBytes = lower(s.ServeResultBytes, f.Serve.MaxResultBytes)
	s.ServeInstructions = cmp.Or(f.Serve.Instructions, s.ServeInstructions)
	if f.policy != nil {
		s.Rules = append(s.Rules, *f.policy)
	}
	for _, server := range f.MCPServers {
		s.addServer(Server{Name: server.Name, File: f.path, table: server, base: f.dir})
	}
	return nil
}

func (s *Settings) addSandbox(f *file) error {
	if f.Sandbox.Profile != "" {
		s.Sandbox.Profile = shell.Profile(f.Sandbox.Profile)
	}
	if f.Sandbox.Network != nil {
		s.Sandbox.Network, s.Sandbox.Hosts = network(f.Sandbox.Network)
	}
	if f.Sandbox.Require != nil {
		s.Sandbox.Require = *f.Sandbox.Require
	}
	have, more := &s.Sandbox.Limits, f.Sandbox.Limits
	*have = sandbox.Limits{
		MemoryBytes: lower(have.MemoryBytes, more.MemoryBytes), FileBytes: lower(have.FileBytes, more.FileBytes),
		Processes: lower(have.Processes, more.Processes), OpenFiles: lower(have.OpenFiles, more.OpenFiles),
	}
	s.unprotect = append(s.unprotect, f.Sandbox.Unprotect...)
	s.Sandbox.Private = append(s.Sandbox.Private, f.Sandbox.Private...)
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{f.Sandbox.Read, &s.Sandbox.Read}, {f.Sandbox.Write, &s.Sandbox.Write}} {
		for _, path := range list.from {
			resolved, err := f.resolvePath(path)
			if err != nil {
				return err
			}
			*list.to = append(*list.to, resolved)
		}
	}
	return nil
}

// addHosts narrows the hosts to those that both lists allow.
func (s *Settings) addHosts(f *file) error {
	switch {
	case len(f.Fetch.Hosts) == 0:
		return nil
	case len(s.FetchHosts) == 0:
		s.FetchHosts = f.Fetch.Hosts
		return nil
	}
	var both []string
	for _, a := range s.FetchHosts {
		for _, b := range f.Fetch.Hosts {
			if narrower, ok := narrowerHost(a, b); ok && !slices.Contains(both, narrower) {
				both = append(both, narrower)
			}
		}
	}
	if len(both) == 0 { // an empty list would allow every host
		return &placedError{path: f.path, err: fmt.Errorf("fetch.hosts names no host that %s lets scripts ask; it names %s",
			strings.Join(s.Files[:len(s.Files)-1], ", "), strings.Join(s.FetchHosts, ", "))}
	}
	s.FetchHosts = both
	return nil
}

func (s *Settings) addAudit(f *file) error {
	if f.Audit.File == "" {
		return nil
	}
	path, err := f.resolvePath(f.Audit.File)
	s.AuditFile, s.RequireAudit = path, f.Audit.Require
	return err
}

// narrowerHost is the narrower of two host patterns, if one covers the other: name,
// *.name, or either with a port.
func narrowerHost(a, b string) (string, bool) {
	if hostCovers(a, b) {
		return b, true
	}
	return a, hostCovers(b, a)
}

// hostCovers reports whether pattern a matches every host of pattern b.
func hostCovers(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b {
		return true
	}
	nameA, portA, hasA := strings.Cut(a, ":")
	nameB, portB, _ := strings.Cut(b, ":")
	if strings.ContainsAny(a+b, "[]") || hasA && portA != portB {
		return false
	}
	below, wild := strings.CutPrefix(nameA, "*.")
	return nameA == nameB || wild && strings.HasSuffix(nameB, "."+below)
}

// resolvePath makes a path of the file absolute: ~/ is the home folder, and other
// relative paths begin at the file.
func (f *file) resolvePath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", &placedError{path: f.path, err: fmt.Errorf("%q: %w", path, err)}
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Join(f.dir, path), nil
}

// limits are the ceilings of a file; those that it lacks are zero.
func (f *file) limits() runtime.Limits {
	return runtime.Limits{
		Timeout: time.Duration(f.Limits.TimeoutMs) * time.Millisecond, MaxToolCalls: f.Limits.MaxToolCalls,
		MaxOutputBytes: f.Limits.MaxOutputBytes, MaxResultBytes: f.Limits.MaxResultBytes, MaxMemoryBytes: f.Limits.MaxMemoryBytes,
	}
}

// narrowed takes the lower of each two ceilings; zero means no ceiling.
func narrowed(a, b runtime.Limits) runtime.Limits {
	return runtime.Limits{
		Timeout: lower(a.Timeout, b.Timeout), MaxToolCalls: lower(a.MaxToolCalls, b.MaxToolCalls),
		MaxOutputBytes: lower(a.MaxOutputBytes, b.MaxOutputBytes),
		MaxResultBytes: lower(cmp.Or(a.MaxResultBytes, a.MaxOutputBytes), cmp.Or(b.MaxResultBytes, b.MaxOutputBytes)), MaxMemoryBytes: lower(a.MaxMemoryBytes, b.MaxMemoryBytes),
	}
}

func lower[T ~int | ~int64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
