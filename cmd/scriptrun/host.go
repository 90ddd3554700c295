package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/web"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
	"github.com/spf13/cobra"
)

// defaultTools is the tools directory if none is named.
const defaultTools = "tools"

// hostFlags say where tools and files are; every command has them.
type hostFlags struct {
	tools       string
	workspace   string
	config      string
	environment string
	inProcess   bool
	mcpFiles    bool
	serves      bool     // files that come into the tools directory are loaded while commands run
	madeOf      []string // what the tools of the directory are found to be made of, with that itself; set where it is protected
	served      []string // paths whose files are tools that are served, by this process or another one
}

func (f *hostFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tools, "tools", "", "tools directory (default \"tools\")")
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "what host tools see (default: the current directory)")
	cmd.Flags().StringVar(&f.config, "config", "", "the operator's settings, instead of the user's own and the project's scriptrun.toml")
	cmd.Flags().BoolVar(&f.mcpFiles, "mcp-files", false, "start the MCP servers that files of kind: mcp in the tools directory declare")
	cmd.Flags().StringVar(&f.environment, "env", "", "environment of the settings for commands that name none")
}

// host is a runner with the tools of this machine.
type host struct {
	runner *runtime.Runner
	files  *files.Workspace
	shell  *shell.Tool
	spill  string
	fetch  *web.Fetch

	settings    *settings.Settings
	protected   protect.Paths
	quiet       quiet // of a server
	underway    underway
	connections []*mcptools.Connection
	standIns    map[string]*standIn // by the names of tools
	waited      time.Duration       // for servers
}

// open makes the host tools of the workspace, and starts the MCP servers that the
// purpose needs. It prints what is held back, in one line.
func (f *hostFlags) open(ctx context.Context, e env, observer runtime.Observer, p purpose) (*host, error) {
	inForce, err := f.loadSettings()
	if err != nil {
		return nil, err
	}
	if p.runs {
		if err := auditOf(inForce).create(e.stderr); err != nil {
			return nil, inForce.Blame(err)
		}
	}
	protected, err := f.protected(inForce)
	if err != nil {
		return nil, err
	}
	if closed := f.closeServed(inForce); p.runs && len(closed) > 0 {
		fmt.Fprintf(e.stderr, "scriptrun: what lies there is served as tools, so that nothing writes in %s, which settings let commands write\n", strings.Join(closed, ", "))
	}
	workspace, err := files.OpenProtecting(f.workspaceDir(), protected)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	h := &host{files: workspace, spill: f.reached(inForce, spillDir()), settings: inForce, protected: protected}
	workspace.Outputs = h.spill
	if err := f.fill(ctx, e, h, observer, p); err != nil {
		disconnect(h.connections)
		return nil, errors.Join(err, workspace.Close())
	}
	return h, nil
}

// fill does the work of open.
func (f *hostFlags) fill(ctx context.Context, e env, h *host, observer runtime.Observer, p purpose) (err error) {
	h.underway.folder = f.reached(h.settings, underwayFolder())
	err = h.settings.AddServerFiles(f.acceptable(h), f.mcpFiles) //nolint:contextcheck // headers are read in an instant
	if !p.tells {
		for _, note := range h.leftOut() {
			fmt.Fprintf(e.stderr, "scriptrun: %s\n", note)
		}
	}
	if note := h.note(); note != "" {
		fmt.Fprintf(e.stderr, "scriptrun: %s\n", note)
	}
	if err != nil {
		return err
	}
	if h.shell, err = h.shellOf(f.workspaceDir(), f.environment, h.protected); err != nil {
		return err
	}
	if p.runs && f.shut(h.settings) {
		fmt.Fprintf(e.stderr, "scriptrun: what lies in the workspace is served as tools, so that nothing writes there; --workspace names another folder\n")
		if h.shell.Sandbox.Profile != shell.ProfileOff {
			h.shell.Sandbox.Profile = shell.ProfileReadOnly
		}
	}
	if err := f.startServers(ctx, e, h, p); err != nil {
		return err
	}
	h.fetch = &web.Fetch{Hosts: h.settings.FetchHosts, Private: h.settings.FetchPrivate}
	options := runtime.Options{
		Tools: h.tools(h.files, h.shell), Observer: observer, Ceiling: h.settings.Limits, CeilingFrom: f.ceilingFrom(h.settings), InProcess: f.inProcess, SpillDir: h.spill,
		Policies: h.settings.Policies(), Approver: p.approver,
	}
	if f.serves {
		options.Around = append(options.Around, h.quiet.Around)
	}
	if p.runs {
		h.underway.places = f.written(h.settings)
		if h.shell.Sandbox.Profile == shell.ProfileReadOnly { // the workspace is read-only then
			h.underway.places = h.settings.Sandbox.Write
		}
		h.underway.held = sync.OnceValue(func() []string { return h.heldIn(f.realWorkspace()) }) //nolint:contextcheck // it looks at the workspace for an instant
		h.underway.failed = func(err error) {
			fmt.Fprintf(e.stderr, "scriptrun: servers of this user cannot be told of commands, and may take what these leave for tools: %v\n", err)
		}
		options.Around = append(options.Around, h.underway.Around)
	}
	p.traces.around(&options)
	if p.runs {
		auditOf(h.settings).around(&options, e.stderr)
	}
	h.runner, err = runtime.New(options)
	if err == nil {
		if err = checkPolicy(h.settings, h.runner.Registry()); err != nil {
			return errors.Join(err, h.runner.Close())
		}
	}
	return h.settings.Blame(err)
}

// workspaceDir is the workspace; the current directory if none is named.
func (f *hostFlags) workspaceDir() string {
	if f.workspace == "" {
		return "."
	}
	return f.workspace
}

// toolsDir is the tools directory, which may not exist.
func (f *hostFlags) toolsDir() scripttools.Dir {
	dir := scripttools.Dir{Path: f.tools, Workspace: f.workspace}
	if dir.Path == "" {
		dir.Path = defaultTools
	}
	return dir
}

// tools are all that scripts may be allowed to call, for one workspace and its shell;
// the other tools are the same for every workspace.
func (h *host) tools(workspace *files.Workspace, commands *shell.Tool) []hostapi.Tool {
	tools := append(workspace.Tools(), commands, &shell.Git{Shell: commands}, h.fetch)
	for _, c := range h.connections {
		tools = append(tools, c.Tools()...)
	}
	for _, s := range h.standIns {
		tools = append(tools, s)
	}
	return tools
}

// close ends all that still runs. Nobody could use its errors.
func (h *host) close() {
	_ = errors.Join(h.runner.Close(), h.files.Close())
	disconnect(h.connections)
	if h.spill != "" {
		dropSpilled(h.spill, time.Now())
	}
}

// catalog loads the tools directory, without the broken files of kind: mcp, which were
// reported before. If the user named no directory and there is none, the catalog is
// empty.
func (f *hostFlags) catalog(ctx context.Context, h *host) (*scripttools.Catalog, error) {
	if !f.toolsThere() {
		return &scripttools.Catalog{}, nil
	}
	catalog, err := scripttools.Reload(ctx, h.runner, f.acceptable(h), nil)
	if err != nil && !h.knowsAll(err) {
		return nil, err
	}
	return catalog, nil
}

// spec finds a tool by file or by name.
func (f *hostFlags) spec(ctx context.Context, h *host, fileOrName string) (*scripttools.ScriptToolSpec, error) {
	if isFile(fileOrName) {
		return f.loadFile(ctx, h, fileOrName)
	}
	dir := f.acceptable(h)
	spec, err := (*scripttools.ScriptToolSpec)(nil), error(&scripttools.UnknownToolError{Name: fileOrName})
	if f.toolsThere() {
		spec, err = scripttools.LoadNamed(ctx, h.runner, dir, fileOrName)
	}
	var unknown *scripttools.UnknownToolError
	switch {
	case errors.As(err, &unknown):
		return nil, fmt.Errorf("%w (%s)", err, unfound(fileOrName, dir.Path))
	case err != nil && (spec == nil || !h.knowsAll(err)):
		return nil, err
	}
	return spec, nil
}

// toolsThere reports whether the tools directory exists, or the user named one.
func (f *hostFlags) toolsThere() bool {
	if f.tools != "" {
		return true
	}
	_, err := os.Lstat(f.toolsDir().Path)
	return !errors.Is(err, os.ErrNotExist)
}

// isFile tells a path from a name: names have neither slashes nor extensions.
func isFile(s string) bool {
	return strings.ContainsRune(s, '/') || strings.ContainsRune(s, filepath.Separator) || filepath.Ext(s) != ""
}

// parseRules reads --allow.
func parseRules(texts []string) ([]hostapi.Rule, error) {
	var rules []hostapi.Rule
	for _, text := range texts {
		rule, err := hostapi.ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("--allow: %w", err)
		}
		rule.From = "--allow"
		rules = append(rules, rule)
	}
	return slices.Clip(rules), nil
}
