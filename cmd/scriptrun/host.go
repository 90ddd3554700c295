package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/web"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

// defaultTools is the tools directory where none is named.
const defaultTools = "tools"

// hostFlags say where tools and files are; every command has them.
type hostFlags struct {
	tools       string
	workspace   string
	config      string
	environment string
	inProcess   bool
	mcpFiles    bool
}

func (f *hostFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tools, "tools", "", "tools directory (default \"tools\")")
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "what host tools see, and where .md files look for their scripts (default: the current directory; for a .md file, the folder above its tools directory)")
	cmd.Flags().StringVar(&f.config, "config", "", "the operator's configuration (default \"scriptrun.toml\", if there is one)")
	cmd.Flags().BoolVar(&f.mcpFiles, "mcp-files", false, "start the MCP servers that files of kind: mcp in the tools directory declare")
	cmd.Flags().StringVar(&f.environment, "env", "", "environment that commands run in unless they name another; see scriptrun.toml")
}

// host is a runner with the tools of this machine.
type host struct {
	runner *runtime.Runner
	files  *files.Workspace
	shell  *shell.Tool
	config *config
	spill  string
	fetch  *web.Fetch

	connections []*mcptools.Connection
}

// open makes the host tools of the workspace.
func (f *hostFlags) open(ctx context.Context, observer runtime.Observer) (*host, error) {
	dir := f.workspace
	if dir == "" {
		dir = "."
	}
	workspace, err := files.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	h := &host{files: workspace, spill: spillDir()}
	if h.config, err = readConfig(f.config); err == nil {
		h.shell, err = h.config.shell(dir, f.environment, h.spill)
	}
	var servers []mcptools.Server
	if err == nil {
		servers, err = f.servers(h.config)
	}
	if err == nil {
		h.connections, err = connect(ctx, servers)
	}
	if err == nil {
		h.fetch = &web.Fetch{Hosts: h.config.Fetch.Hosts, Private: h.config.Fetch.Private}
		h.runner, err = runtime.New(runtime.Options{Tools: h.tools(workspace, h.shell), Observer: observer, Ceiling: h.config.ceiling(), InProcess: f.inProcess})
		if err != nil && h.config.path != "" {
			err = &configError{path: h.config.path, err: err}
		}
	}
	if err != nil {
		disconnect(h.connections)
		return nil, errors.Join(err, workspace.Close())
	}
	return h, nil
}

// tools are all that scripts may be allowed to call, of a workspace and its
// shell; the rest is the same for every workspace.
func (h *host) tools(workspace *files.Workspace, commands *shell.Tool) []hostapi.Tool {
	tools := append(workspace.Tools(), commands, &shell.Git{Shell: commands}, h.fetch)
	for _, c := range h.connections {
		tools = append(tools, c.Tools()...)
	}
	return tools
}

// close ends what still runs. What it could say is of no use to anybody.
func (h *host) close() {
	_ = errors.Join(h.runner.Close(), h.files.Close())
	disconnect(h.connections)
	if h.spill != "" {
		dropSpilled(h.spill, time.Now())
	}
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// catalog loads the tools directory. One that is not there is an empty catalog
// unless somebody named it.
func (f *hostFlags) catalog(ctx context.Context, h *host) (*scripttools.Catalog, error) {
	dir := scripttools.Dir{Path: f.tools, Workspace: f.workspace}
	if dir.Path == "" {
		dir.Path = defaultTools
		if _, err := os.Lstat(dir.Path); errors.Is(err, os.ErrNotExist) {
			return &scripttools.Catalog{}, nil
		}
	}
	catalog, err := scripttools.Load(ctx, h.runner, dir)
	return catalog, h.remind(err)
}

// remind adds to an error about tools that are not there why some are not.
func (h *host) remind(err error) error {
	if err == nil || len(h.config.notStarted) == 0 || !strings.Contains(err.Error(), "mcp__") {
		return err
	}
	return fmt.Errorf("%w\nthe MCP servers of %s were not started; --mcp-files does, and mcp_files = true in %s", err, strings.Join(h.config.notStarted, ", "), defaultConfig)
}

// spec finds a tool by file or by name.
func (f *hostFlags) spec(ctx context.Context, h *host, fileOrName string) (*scripttools.ScriptToolSpec, error) {
	if isFile(fileOrName) {
		spec, err := scripttools.LoadFile(ctx, h.runner, fileOrName, f.workspace)
		return spec, h.remind(err)
	}
	catalog, err := f.catalog(ctx, h)
	if err != nil {
		return nil, err
	}
	spec, err := catalog.Spec(fileOrName)
	if err != nil {
		where := f.tools
		if where == "" {
			where = defaultTools
		}
		return nil, fmt.Errorf("%w (looked in %s; a file is named with its extension, such as x.js)", err, where)
	}
	return spec, nil
}

// isFile tells a path from a name: names have neither slashes nor extensions.
func isFile(s string) bool {
	return strings.ContainsRune(s, '/') || strings.ContainsRune(s, filepath.Separator) || filepath.Ext(s) != ""
}

// completeNames offers the names of the tools directory.
func (f *hostFlags) completeNames() cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		h, err := f.open(cmd.Context(), runtime.Observer{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		defer h.close()
		catalog, err := f.catalog(cmd.Context(), h)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var names []cobra.Completion
		for spec := range catalog.All() {
			if strings.HasPrefix(spec.Name, prefix) {
				names = append(names, cobra.CompletionWithDesc(spec.Name, firstLine(spec.Description)))
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
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
