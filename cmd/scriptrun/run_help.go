package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

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
func helpFor(p *page, tool scripttools.Header) {
	p.prose(set(tool.Description) + "\n") // indented: no line of it looks like one of ours
	p.heading("Usage:")
	p.say("  scriptrun run %s [key=value …] [flags]\n", plain.Line(tool.Name))
	if inputs := argumentsOf(tool.InputSchema); len(inputs) > 0 {
		_ = p.arguments("Inputs:", inputs) // as any write to a terminal
		p.say("")
	}
	p.prose("The flags are those of scriptrun run --help; scriptrun describe " + tool.Name + " shows what it may call.")
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
