package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/cases"
	"github.com/spf13/cobra"
)

// firstTool is a tool file to begin with, and firstCase its case.
const firstTool = `/*---
kind: script
name: NAME
description: Count the files of a folder by their extension.
allowed_tools: [ls]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: ".", description: the folder}
output_schema:
  type: object
  additionalProperties: {type: integer}
---*/
// @ts-check
/** @type {import("./scriptrun").Run<"NAME">} */
export default async function run(ctx, inputs) {
  const { data, exitCode, output } = await ctx.tool("ls", { path: inputs.path });
  if (exitCode !== 0) ctx.fail(output);
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { name, type } of data) {
    if (type !== "file") continue;
    const extension = /\.\w+$/.exec(name)?.[0] ?? "none";
    counts[extension] = (counts[extension] ?? 0) + 1;
  }
  return counts;
}
`

// withTypes makes TypeScript of firstTool.
var withTypes = strings.NewReplacer(`// @ts-check
/** @type {import("./scriptrun").Run<"NAME">} */
export default async function run(ctx, inputs) {`, `export default async function run(ctx: import("./scriptrun").Context<"ls">, inputs: import("./scriptrun").Inputs<"NAME">) {`, `  /** @type {Record<string, number>} */
  const counts = {}`, `  const counts: Record<string, number> = {}`)

const firstCase = `{
  "cases": [
    {
      "name": "files of two kinds",
      "inputs": {"path": "src"},
      "calls": [
        {
          "tool": "ls",
          "args": {"path": "src"},
          "result": {
            "data": [
              {"name": "a.js", "type": "file", "size": 10},
              {"name": "b.js", "type": "file", "size": 20},
              {"name": "LICENSE", "type": "file", "size": 30},
              {"name": "old", "type": "dir"}
            ]
          }
        }
      ],
      "value": {".js": 2, "none": 1}
    },
    {
      "name": "a folder that is not there",
      "inputs": {"path": "nowhere"},
      "calls": [
        {"tool": "ls", "args": {"path": "nowhere"}, "result": {"exitCode": 1, "output": "nowhere does not exist"}}
      ],
      "outcome": "failed",
      "error": {"message": {"$match": "does not exist"}}
    }
  ]
}
`

func newNew(e env) *cobra.Command {
	var f hostFlags
	var ts bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a tool file to begin with, and its cases",
		Long: `Write NAME.js, or NAME.ts, and NAME.test.json into the tools directory, which is made if it is not
there: a small tool that works, and cases of it. Neither is overwritten. The types of all
tools are written anew, as scriptrun types does.`,
		Example:           "  scriptrun new count-lines\n  scriptrun test count-lines\n  scriptrun run count-lines",
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("new needs one name, such as count-lines")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{look: []string{f.toolsDir().Path}, tells: true})
			if err != nil {
				return err
			}
			defer h.close()
			if err := f.checkNew(h, args[0]); err != nil {
				return err
			}
			if err := f.writeNew(e, args[0], ts); err != nil {
				return err
			}
			if err := f.writeTypes(cmd.Context(), e, h); err != nil {
				fmt.Fprintln(e.stderr, "scriptrun: the types were not written; scriptrun types writes them, and says why it cannot")
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&ts, "ts", false, "write a TypeScript file")
	return cmd
}

// checkNew refuses names that no tool can have here.
func (f *hostFlags) checkNew(h *host, name string) error {
	if !hostapi.ValidName(name) {
		return fmt.Errorf("%q cannot be the name of a tool: a name holds letters, digits, _ and - only, 1 to 64 of them", name)
	}
	for _, header := range scripttools.Headers(f.toolsDir()) {
		if header.Name == name {
			return fmt.Errorf("there is a tool %q already, in %s", name, header.Path)
		}
	}
	var unknown *hostapi.UnknownNameError
	switch err := h.runner.Registry().CheckRule(hostapi.Rule{Tool: name}); {
	case err == nil:
		return fmt.Errorf("the name %q is taken by a host tool; give the tool another one", name)
	case !errors.As(err, &unknown):
		return fmt.Errorf("the name %q is reserved; give the tool another one", name)
	}
	return nil
}

// writeNew writes the files, both or none.
func (f *hostFlags) writeNew(e env, name string, ts bool) error {
	dir := f.toolsDir().Path
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, extension := range toolExtensions {
		if _, err := root.Lstat(name + extension); err == nil {
			return fmt.Errorf("%s is there already; nothing was written", filepath.Join(dir, name+extension))
		}
	}
	file, text := name+".js", firstTool
	if ts {
		file, text = name+".ts", withTypes.Replace(firstTool)
	}
	files := [][2]string{{file, strings.ReplaceAll(text, "NAME", name)}, {name + cases.Suffix, firstCase}}
	for i, file := range files {
		if err := writeFresh(root, file[0], file[1]); err != nil {
			for _, written := range files[:i] {
				err = errors.Join(err, root.Remove(written[0]))
			}
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already; nothing was written", filepath.Join(dir, file[0]))
			}
			return err
		}
	}
	for _, file := range files {
		fmt.Fprintf(e.stdout, "wrote %s\n", plain.Line(filepath.ToSlash(filepath.Join(dir, file[0]))))
	}
	fmt.Fprintf(e.stderr, "hint: scriptrun test %s replays its cases, scriptrun run %s runs it\n", name, name)
	return nil
}

// writeFresh writes a file that is not there.
func writeFresh(root *os.Root, name, text string) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}
