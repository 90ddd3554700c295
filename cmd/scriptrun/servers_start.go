package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// purpose says why a command opens the host, and so which MCP servers it starts. The
// zero value starts none, and reads no tool file.
type purpose struct {
	all   bool     // every server that may be started
	run   string   // those that a tool needs, by its file or name
	tools []string // those of these host tools
	look  []string // none, but the command reads these files and directories
	// timeout is the caller's time for a run; 0 means that of the file. All servers for
	// run and tools start within the time of the run.
	timeout time.Duration
	tells   bool // the command itself says which files are broken
	runs    bool // it runs something
	traces  *traces
	// approver asks a person; nil if there is none.
	approver hostapi.Approver
}

// heldServerError is a tool that needs a server which nobody has trusted.
type heldServerError struct{ server settings.Server }

func (e *heldServerError) Error() string {
	return fmt.Sprintf("the MCP server %q is not started: %s declares it, and it waits for: %s", e.server.Name, e.server.File, allowed(e.server))
}

// brokenServerError is a tool that needs a server whose file is broken.
type brokenServerError struct{ server settings.Server }

func (e *brokenServerError) Error() string {
	return fmt.Sprintf("the MCP server %q is not started, because its file is broken\n%v", e.server.Name, e.server.Flaw)
}

func (e *brokenServerError) Unwrap() error { return e.server.Flaw }

// offers reports whether one of the tools is the server's.
func offers(d settings.Server, tools []string) bool {
	return slices.ContainsFunc(tools, func(name string) bool { return strings.HasPrefix(name, serverPrefix+d.Name+"__") })
}

// startServers starts the servers that the purpose needs. For the others' tools that
// files name, it adds stand-ins.
func (f *hostFlags) startServers(ctx context.Context, e env, h *host, p purpose) error {
	if len(h.settings.Servers) == 0 {
		return nil
	}
	needs, named, limits := f.needs(p) //nolint:contextcheck // headers are read in an instant
	var start []mcptools.Server
	var others []settings.Server
	for _, d := range h.settings.Servers {
		needed := offers(d, needs)
		switch {
		case needed && d.Flaw != nil:
			return &brokenServerError{d}
		case needed && d.Waits != nil:
			return &heldServerError{d}
		case !needed && (!p.all || d.Waits != nil || d.Flaw != nil):
			others = append(others, d)
			continue
		}
		server, err := d.Resolve(h.lookup)
		if err != nil {
			return err
		}
		server.Path, server.Avoid = cmp.Or(os.Getenv("PATH"), "/"), h.written() // no PATH finds no program
		start = append(start, server)
	}
	h.standIn(others, named)
	if len(start) == 0 {
		return nil
	}
	began := time.Now()
	defer func() { h.waited = time.Since(began) }()
	if !p.all {
		limits = limits.Narrow(runtime.Limits{Timeout: p.timeout}).Narrow(h.settings.Limits)
		late := &lateServerError{after: limits.Timeout}
		for _, server := range start {
			late.servers = append(late.servers, strconv.Quote(server.Name))
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, limits.Timeout, late)
		defer stop()
	}
	var err error
	h.connections, err = connect(ctx, e, start)
	if late := (*lateServerError)(nil); err != nil && errors.As(context.Cause(ctx), &late) {
		return late
	}
	return err
}

// lateServerError is a run whose time ended before its servers had started.
type lateServerError struct {
	servers []string // quoted
	after   time.Duration
}

func (e *lateServerError) Error() string {
	if len(e.servers) == 1 {
		return fmt.Sprintf("the run did not begin within %v; it was waiting for the MCP server %s to start", e.after, e.servers[0])
	}
	return fmt.Sprintf("the run did not begin within %v; it was waiting for the MCP servers %s to start", e.after, strings.Join(e.servers, ", "))
}

// needs returns the host tools whose servers must start, all tools that the files to
// load name, and the limits of the tool to run.
func (f *hostFlags) needs(p purpose) (needs, named []string, limits runtime.Limits) {
	needs = p.tools
	look := p.look
	if p.run != "" {
		look = f.pathsOf(p.run)
	}
	for _, path := range look {
		for _, header := range scripttools.Headers(scripttools.Dir{Path: path, Workspace: f.workspace}) {
			named = append(named, header.Tools...)
			if p.run != "" && (isFile(p.run) || header.Name == p.run) {
				needs, limits = append(needs, header.Tools...), header.Limits
			}
		}
	}
	return needs, named, limits
}

// pathsOf is what is loaded for a tool named by file or name.
func (f *hostFlags) pathsOf(fileOrName string) []string {
	if isFile(fileOrName) {
		return []string{fileOrName}
	}
	return []string{f.toolsDir().Path}
}

// standIn adds stand-ins for tools of servers that are not started, so that files that
// name them can still be checked.
func (h *host) standIn(servers []settings.Server, tools []string) {
	for _, name := range tools {
		at := slices.IndexFunc(servers, func(d settings.Server) bool { return offers(d, []string{name}) })
		if at < 0 || !hostapi.ValidName(name) || h.standIns[name] != nil {
			continue
		}
		if h.standIns == nil {
			h.standIns = map[string]*standIn{}
		}
		h.standIns[name] = &standIn{name: name, server: servers[at]}
	}
}

// standIn is a tool of a server that is not started. Its schema and effect are unknown.
type standIn struct {
	name   string
	server settings.Server
}

// Name implements [hostapi.Tool].
func (s *standIn) Name() string { return s.name }

// Describe implements [hostapi.Describer]: the worst is assumed.
func (s *standIn) Describe() hostapi.Description {
	return hostapi.Description{Summary: s.note(), Effect: hostapi.EffectExec}
}

// Invoke implements [hostapi.Tool].
func (s *standIn) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	return hostapi.Fail(s.note()), nil
}

func (s *standIn) note() string {
	text := fmt.Sprintf("%s is unknown until the MCP server %q runs, which is not started here", s.name, s.server.Name)
	switch {
	case s.server.Flaw != nil:
		text += "; its file is broken: " + s.server.File
	case s.server.Waits != nil:
		text += "; it waits for: " + allowed(s.server)
	}
	return text
}

// notes has one for each stand-in that a tool file names.
func (h *host) notes(spec *scripttools.ScriptToolSpec) (all []finding) {
	for _, rule := range spec.AllowedTools {
		if s := h.standIns[rule.Tool]; s != nil {
			all = append(all, finding{Severity: "note", File: rule.From, Message: s.note(), text: plain.Line(rule.From + ": note: " + s.note())})
		}
	}
	return all
}

// connect starts the servers at the same time, and all or none.
func connect(ctx context.Context, e env, servers []mcptools.Server) ([]*mcptools.Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	connections := make([]*mcptools.Connection, len(servers))
	errs := make([]error, len(servers))
	var all sync.WaitGroup
	for i, server := range servers {
		server.Noted = func(sentence string) { fmt.Fprintln(e.stderr, "scriptrun: "+plain.Line(sentence)) }
		all.Go(func() { connections[i], errs[i] = mcptools.Connect(ctx, server) })
	}
	all.Wait()
	connections = slices.DeleteFunc(connections, func(c *mcptools.Connection) bool { return c == nil })
	if err := errors.Join(errs...); err != nil {
		disconnect(connections)
		return nil, err
	}
	return connections, nil
}

// disconnect ends the servers at the same time.
func disconnect(connections []*mcptools.Connection) {
	var all sync.WaitGroup
	for _, c := range connections {
		all.Go(func() { _ = c.Close() }) // it never fails
	}
	all.Wait()
}

// ruleTools are the tools that rules name. It skips rules that cannot be parsed;
// parseRules reports them.
func ruleTools(texts []string) (tools []string) {
	for _, text := range texts {
		if rule, err := hostapi.ParseRule(text); err == nil {
			tools = append(tools, rule.Tool)
		}
	}
	return tools
}
