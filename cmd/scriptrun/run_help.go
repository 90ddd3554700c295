package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

// header is the header of the first tool that the arguments name. It reads no more of the file:
// the user only asks for its inputs.
func (f *hostFlags) header(args []string) (tool scripttools.Header, ok bool) {
	for _, arg := range args {
		dir := f.toolsDir()
		if isFile(arg) {
			dir.Path = arg
		}
		for _, tool := range scripttools.Headers(dir) {
			if tool.Name == arg || isFile(arg) && filepath.Ext(arg) != "" {
				return tool, true
			}
		}
	}
	return tool, false
}

// helpFor says what a tool takes.
func helpFor(w io.Writer, tool scripttools.Header) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  scriptrun run %s [key=value …] [flags]\n", plain.Text(tool.Description), plain.Line(tool.Name))
	inputs := scripttools.Properties(tool.InputSchema)
	if len(inputs) > 0 {
		fmt.Fprint(w, "\nInputs:\n")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, input := range inputs {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", plain.Line(input.Name), plain.Line(input.String()), plain.Line(clip.Line(input.Description)))
	}
	_ = table.Flush() // as any write to a terminal
	fmt.Fprintf(w, "\nThe flags are those of scriptrun run --help; what it may call is told by scriptrun describe %s.\n", plain.Line(tool.Name))
}

// completeNames offers the names of the tools directory. It only reads the files'
// headers: the user has pressed no more than a key.
func (f *hostFlags) completeNames() cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for _, tool := range scripttools.Headers(f.toolsDir()) {
			if strings.HasPrefix(tool.Name, prefix) {
				names = append(names, cobra.CompletionWithDesc(tool.Name, plain.Line(clip.Line(tool.Description))))
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

// completeArguments is completeNames, and then offers the keys of a tool's inputs, the values
// of inputs that have few, and files for other inputs.
func (f *hostFlags) completeArguments() cobra.CompletionFunc {
	names := f.completeNames()
	return func(cmd *cobra.Command, args []string, prefix string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names(cmd, args, prefix)
		}
		tool, _ := f.header(args[:1])
		key, value, valued := strings.Cut(prefix, "=")
		for _, input := range scripttools.Properties(tool.InputSchema) {
			switch {
			case !valued && strings.HasPrefix(input.Name, key):
				found = append(found, cobra.CompletionWithDesc(input.Name+"=", plain.Line(input.String())))
			case valued && input.Name == key:
				values := wordsOf(input)
				for _, word := range values {
					if strings.HasPrefix(word, value) {
						found = append(found, key+"="+word)
					}
				}
				if len(values) > 0 {
					return found, cobra.ShellCompDirectiveNoFileComp
				}
			}
		}
		if valued {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return found, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// wordsOf are the values of an input that has only a few.
func wordsOf(input scripttools.Property) (words []string) {
	for _, value := range input.Values {
		word := string(value)
		_ = json.Unmarshal(value, &word) // what is no text stands as it is
		words = append(words, plain.Line(word))
	}
	if len(words) == 0 && slices.Equal(input.Types, []string{"boolean"}) {
		return []string{"true", "false"}
	}
	return words
}
