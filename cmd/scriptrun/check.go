package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

func newCheck(e env) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [PATH …]",
		Short: "Check tool files: every problem of every file, and what each tool can reach",
		Long: `Check tool files and directories of them; the tools directory if none is named.
It prints every problem of every file with its place, and warns of calls that are
not awaited, of calls that allowed_tools does not grant, of arguments that their
tool does not take, of names that nothing declares and of a value that is not
returned. For sound files it prints what each may call, also if others are broken;
with --policy, also which of these calls the operator's policy refuses or asks a
person about, and by which rule.
With --types, tsc checks the types of scripts too, where it is installed.
The exit code is 2 if there is any problem.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{f.toolsDir().Path}
			}
			if f.watch {
				f.files = func() []string { return filesOf(args) }
				return f.again(e, func(e env) error {
					ctx, stop := e.interrupted()
					defer stop()
					return f.once(ctx, e, args)
				})
			}
			return f.once(cmd.Context(), e, args)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the tools and the findings as one JSON document")
	cmd.Flags().BoolVar(&f.policy, "policy", false, "print which of each tool's calls the operator's policy refuses or asks about")
	cmd.Flags().BoolVar(&f.sarif, "sarif", false, "print the findings as SARIF 2.1.0, for editors and code scanners")
	cmd.Flags().BoolVar(&f.types, "types", false, "let tsc check the types of JavaScript files, too; see scriptrun types")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "check again each time a file changes, until Ctrl-C; with --json, a document a line")
	cmd.MarkFlagsMutuallyExclusive("json", "sarif")
	cmd.MarkFlagsMutuallyExclusive("sarif", "watch")
	return cmd
}

// checkFlags are those of check.
type checkFlags struct {
	hostFlags
	policy, asJSON, types, sarif bool
	watching
}

// once checks all paths, once.
func (f *checkFlags) once(ctx context.Context, e env, args []string) error {
	h, err := f.open(ctx, e, runtime.Observer{}, purpose{look: args, tells: true})
	if err != nil {
		return err
	}
	defer h.close()
	out := checked{Tools: []checkedTool{}, Findings: []finding{}}
	for _, line := range idle(h.settings, h.runner.Registry()) {
		out.Findings = append(out.Findings, noted("note", "", line))
	}
	for _, path := range args {
		if err := f.check(ctx, h, path, &out); err != nil {
			out.Findings = append(out.Findings, findingsOf(err)...)
		}
	}
	if f.types {
		out.Findings = append(out.Findings, typeErrors(ctx, out.Tools)...)
	}
	if f.watch {
		if ctx.Err() != nil {
			return nil
		}
		f.depends(out.files()...)
		f.outcome = "checked"
	}
	printed := func() error { return out.print(e, f.asJSON, f.watch) }
	if f.sarif {
		printed = func() error { return printJSON(e.stdout, out.sarif()) }
	}
	if err := printed(); err != nil {
		f.outcome = ""
		return err
	}
	if out.broken() > 0 {
		return exit(exitUsage)
	}
	return nil
}

// check loads one path, and finds what its tools can reach.
func (f *checkFlags) check(ctx context.Context, h *host, path string, out *checked) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist; name a tool file or a directory of them, or put tool files into a directory called tools", path)
	}
	if err != nil {
		return err
	}
	var specs []*scripttools.ScriptToolSpec
	var broken error // other files
	if info.IsDir() {
		var catalog *scripttools.Catalog
		catalog, broken = scripttools.Reload(ctx, h.runner, f.acceptableIn(h, path), nil)
		for spec := range catalog.All() {
			specs = append(specs, spec)
		}
		out.Findings = append(out.Findings, leftOut(path)...)
		if len(specs) == 0 && broken == nil {
			return errors.New(path + ": there is no tool file in it")
		}
	} else {
		spec, err := f.loadFile(ctx, h, path)
		if err != nil {
			return err
		}
		specs = append(specs, spec)
	}
	for _, warning := range scripttools.Alike(specs) {
		out.Findings = append(out.Findings, findingOf("warning", warning))
	}
	for _, spec := range specs {
		about := spec.Describe()
		tool := checkedTool{
			Name: spec.Name, Path: spec.Path, source: spec.Source, Reach: about.AllowedTools, reach: about.Reach(), Imports: about.Imports, imports: about.ImportedFiles(),
		}
		out.Findings = append(out.Findings, h.notes(spec)...)
		for _, warning := range spec.Warnings() {
			out.Findings = append(out.Findings, findingOf("warning", warning))
		}
		warnings, err := h.runner.Warnings(ctx, spec.Program, spec.AllowedTools)
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil: // of this file; it runs all the same
			out.Findings = append(out.Findings, findingOf("warning", scripttools.Problem{Pos: runtime.Position{File: spec.Path}, Msg: "it could not be checked for likely mistakes: " + err.Error()}))
		}
		for _, w := range warnings {
			out.Findings = append(out.Findings, findingOf("warning", scripttools.Problem{Pos: w.Pos, Msg: w.Msg, Excerpt: spec.Program.Excerpt(w.Pos)}))
		}
		if f.policy {
			if tool.Policy, err = decided(h.settings, h.runner.Registry(), spec.AllowedTools); err != nil {
				return err
			}
		}
		out.Tools = append(out.Tools, tool)
	}
	return broken
}

// leftOut finds tool files in subfolders, which are not loaded.
func leftOut(path string) (found []finding) {
	entries, _ := os.ReadDir(path) // loading has reported an error
	for _, entry := range entries {
		if !entry.IsDir() || entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		for _, tool := range scripttools.Headers(scripttools.Dir{Path: filepath.Join(path, entry.Name())}) {
			found = append(found, noted("warning", tool.Path, fmt.Sprintf("the file is left out: tool files are loaded from %s itself, and not from folders in it", path)))
		}
	}
	return found
}
