package shell

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// maxPreview is how much of a command is shown to a person, in bytes.
const maxPreview = 16 << 10

// Preview implements [hostapi.Previewer]: the line as it stands, the commands that it
// is read as, and what they are given.
func (t *Tool) Preview(_ context.Context, call hostapi.Call) (string, error) {
	args, err := t.decode(call.Args)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if args.Command == "" {
		fmt.Fprintf(&b, "$ %s\n", newSimple(args.Argv, place{}))
	} else {
		fmt.Fprintf(&b, "$ %s\n", args.Command)
		explained := Explain(args.Command, nil)
		if len(explained.Commands) > 1 {
			for i, c := range explained.Commands {
				fmt.Fprintf(&b, "  %d. %s\n", i+1, simple{words: c.Words})
			}
		}
		for _, o := range explained.Opaque {
			fmt.Fprintf(&b, "  not plain at %d:%d: %s\n", o.Line, o.Column, o.Reason)
		}
	}
	if args.Cwd != "" {
		fmt.Fprintf(&b, "  in %s\n", args.Cwd)
	}
	if args.Environment != "" {
		fmt.Fprintf(&b, "  with the environment %s\n", args.Environment)
	}
	for _, name := range slices.Sorted(maps.Keys(args.Env)) {
		fmt.Fprintf(&b, "  with %s=%s\n", name, args.Env[name])
	}
	switch {
	case args.Stdin != nil:
		fmt.Fprintf(&b, "  its stdin, %d bytes: %s\n", len(*args.Stdin), hostapi.CutHead(*args.Stdin, shown))
	case args.Input:
		b.WriteString("  the script writes to its stdin\n")
	}
	return hostapi.CutHead(b.String(), maxPreview), nil
}

// Preview implements [hostapi.Previewer].
func (g *Git) Preview(_ context.Context, call hostapi.Call) (string, error) {
	args, err := gitArgs(call.Args)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$ %s\n", newSimple(append([]string{"git"}, args.Args...), place{})), nil
}
