package shell

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Preview implements [hostapi.Previewer]: the line, the commands in it, and what they
// are given.
func (t *Tool) Preview(_ context.Context, call hostapi.Call) (string, error) {
	args, err := t.decode(call.Args)
	if err != nil {
		return "", err
	}
	where, _, err := t.resolve(args)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if args.Command == "" {
		fmt.Fprintf(&b, "$ %s\n", wholeOf(args.Argv))
	} else {
		fmt.Fprintf(&b, "$ %s\n", onward(args.Command))
		explained := Explain(args.Command, nil)
		if len(explained.Commands) > 1 {
			for i, c := range explained.Commands {
				fmt.Fprintf(&b, "  %d. %s\n", i+1, wholeOf(c.Words))
			}
		}
		for _, o := range explained.Opaque {
			fmt.Fprintf(&b, "  not plain at %d:%d: %s\n", o.Line, o.Column, o.Reason)
		}
	}
	fmt.Fprintf(&b, "  in %s\n", where.Cwd())
	if args.Environment != "" {
		fmt.Fprintf(&b, "  with the environment %s\n", args.Environment)
	}
	for _, name := range slices.Sorted(maps.Keys(args.Env)) {
		fmt.Fprintf(&b, "  with %s=%s\n", name, onward(args.Env[name]))
	}
	if args.Pty {
		b.WriteString("  on a terminal\n")
	}
	if args.TimeoutMs > 0 {
		fmt.Fprintf(&b, "  for %d ms at most\n", args.TimeoutMs)
	}
	if call.Background {
		b.WriteString("  in the background: the script goes on\n")
	}
	if args.Input || args.Pty && call.Background {
		b.WriteString("  its input stays open: you are asked about each thing that the script writes to it, but for a yes for all of this run\n")
	}
	if args.Stdin != nil {
		fmt.Fprintf(&b, "  its stdin, %d bytes:%s\n", len(*args.Stdin), onward("\n"+*args.Stdin))
	}
	return b.String(), nil
}

// onward marks the further lines of a text, so that they cannot pass for ours.
func onward(text string) string { return strings.ReplaceAll(text, "\n", "\n> ") }

// wholeOf is a command as a shell takes it, uncut.
func wholeOf(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = pasted(word)
	}
	return strings.Join(quoted, " ")
}

// Preview implements [hostapi.Previewer].
func (g *Git) Preview(_ context.Context, call hostapi.Call) (string, error) {
	args, err := gitArgs(call.Args)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$ %s\n", wholeOf(append([]string{"git"}, args.Args...))), nil
}
