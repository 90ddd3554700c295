package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

func newCheck(e env) *cobra.Command {
	var f hostFlags
	var policy bool
	cmd := &cobra.Command{
		Use:   "check [PATH …]",
		Short: "Check tool files: every problem of every file, and what each tool can reach",
		Long: `Check tool files and directories of them; the tools directory if none is named.
It prints every problem of every file with its place, and warns of calls that are
not awaited and of calls that allowed_tools does not grant. For sound files it
prints what each may call; with --policy, also which of these calls the operator's
policy refuses or asks a person about, and by which rule. The exit code is 2 if
there is any problem.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{f.toolsDir().Path}
			}
			h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{look: args, tells: true})
			if err != nil {
				return err
			}
			defer h.close()
			bad := false
			if policy {
				for _, line := range idle(h.settings, h.runner.Registry()) {
					fmt.Fprintln(e.stderr, plain.Line("note: "+line))
				}
			}
			for _, path := range args {
				if err := f.check(cmd.Context(), e, h, path, policy); err != nil {
					bad = true
					_ = complain(e.stderr, err)
				}
			}
			if bad {
				return exit(exitUsage)
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&policy, "policy", false, "print which of each tool's calls the operator's policy refuses or asks about")
	return cmd
}

// check loads one path and prints what its tools can reach.
func (f *hostFlags) check(ctx context.Context, e env, h *host, path string, policy bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	var specs []*scripttools.ScriptToolSpec
	if info.IsDir() {
		catalog, err := scripttools.Load(ctx, h.runner, scripttools.Dir{Path: path, Workspace: f.workspace})
		if err != nil {
			return err
		}
		for spec := range catalog.All() {
			specs = append(specs, spec)
		}
		f.tellDeeper(e, path)
		if len(specs) == 0 {
			return errors.New(path + ": there is no tool file in it")
		}
	} else {
		spec, err := scripttools.LoadFile(ctx, h.runner, path, f.workspace)
		if err != nil {
			return err
		}
		specs = append(specs, spec)
	}
	for _, spec := range specs {
		fmt.Fprintln(e.stdout, plain.Line(fmt.Sprintf("%s: ok: %s may call %s", spec.Path, spec.Name, spec.Describe().Reach())))
		h.tellNotes(e, spec)
		for _, warning := range spec.Warnings() {
			fmt.Fprintln(e.stderr, plain.Line("warning: "+warning))
		}
		warnings, err := h.runner.Warnings(ctx, spec.Program, spec.AllowedTools)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			fmt.Fprintln(e.stderr, "warning: "+w.Pos.String()+": "+plain.Line(w.Msg)+"\n"+spec.Program.Excerpt(w.Pos))
		}
		if !policy {
			continue
		}
		lines, err := decided(h.settings, h.runner.Registry(), spec.AllowedTools)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintln(e.stdout, plain.Line("  "+line))
		}
	}
	return nil
}

// tellDeeper warns of tool files in subfolders, which are not loaded.
func (f *hostFlags) tellDeeper(e env, path string) {
	entries, _ := os.ReadDir(path) // loading has reported an error
	for _, entry := range entries {
		if !entry.IsDir() || entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		for _, tool := range scripttools.Headers(scripttools.Dir{Path: filepath.Join(path, entry.Name())}) {
			fmt.Fprintln(e.stderr, plain.Line(fmt.Sprintf("warning: %s is left out: tool files are loaded from %s itself, and not from folders in it", tool.Path, path)))
		}
	}
}
