package shell

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"mvdan.cc/sh/v3/syntax"
)

// Preview implements [hostapi.Previewer]: the line as it stands, the commands that it
// is read as, and what they are given.
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
		fmt.Fprintf(&b, "$ %s\n", args.Command)
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
		fmt.Fprintf(&b, "  with %s=%s\n", name, args.Env[name])
	}
	switch {
	case args.Stdin != nil:
		fmt.Fprintf(&b, "  its stdin, %d bytes:\n%s\n", len(*args.Stdin), *args.Stdin)
	case args.Input:
		b.WriteString("  the script writes to its stdin\n")
	}
	return b.String(), nil
}

// wholeOf are words as people write them, none of them cut.
func wholeOf(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		var err error
		if quoted[i], err = syntax.Quote(word, syntax.LangBash); err != nil {
			quoted[i] = fmt.Sprintf("%q", word)
		}
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
