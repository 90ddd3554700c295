package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

func newTypes(e env) *cobra.Command {
	var f hostFlags
	var show bool
	cmd := &cobra.Command{
		Use:   "types",
		Short: "Write the types of tool files, for editors and for tsc",
		Long: `Write scriptrun.d.ts into the tools directory: the types of ctx, of the arguments and data
of host tools, and of what each tool takes and gives, from its schemas. In a tool file,

  // @ts-check
  /** @type {import("./scriptrun").Run<"NAME">} */
  export default async function run(ctx, inputs) { … }

lets an editor complete and check it. Tools of MCP servers that are not started take any
arguments.`,
		Example:           "  scriptrun types --print",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := f.toolsDir().Path
			h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{look: []string{dir}})
			if err != nil {
				return complain(e.stderr, err)
			}
			defer h.close()
			if !show {
				if err := f.writeTypes(cmd.Context(), e, h); err != nil {
					return complain(e.stderr, err)
				}
				return nil
			}
			catalog, err := f.catalog(cmd.Context(), h)
			if err != nil {
				return complain(e.stderr, err)
			}
			_, err = fmt.Fprint(e.stdout, scripttools.Typings(h.runner.Registry(), catalog.All()))
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&show, "print", false, "print the types instead of writing them")
	return cmd
}

// maxTypes is how large the types can be that are there, in bytes.
const maxTypes = 16 << 20

// writeTypes writes the types of the tools directory. It replaces no file that is something else.
func (f *hostFlags) writeTypes(ctx context.Context, e env, h *host) error {
	catalog, err := f.catalog(ctx, h)
	if err != nil {
		return err
	}
	text := scripttools.Typings(h.runner.Registry(), catalog.All())
	path := filepath.Join(f.toolsDir().Path, scripttools.TypingsName)
	shown := plain.Line(filepath.ToSlash(path))
	before, err := regular.Read(path, maxTypes)
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("%s: %w", shown, err)
	case !strings.HasPrefix(string(before), first):
		return fmt.Errorf("%s is there, and scriptrun types did not write it; move it away", shown)
	}
	if err := regular.Replace(path, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s\n", shown)
	return nil
}
