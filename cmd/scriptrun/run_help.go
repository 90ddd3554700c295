package main

import (
	"encoding/json"
	"fmt"
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

// The most that is offered at a key, in bytes: in all, and of what stands beside a name.
const (
	maxOffered = 64 << 10
	maxBeside  = 200
)

// completions are what the shell is offered. Beyond maxOffered nothing is, and the user is told.
type completions struct {
	found      []cobra.Completion
	size, more int
}

func (c *completions) add(word, about string) {
	about = plain.Line(brief(about, maxBeside))
	if c.size += len(word) + len(about); c.size > maxOffered {
		c.more++
		return
	}
	if about != "" {
		word = cobra.CompletionWithDesc(word, about)
	}
	c.found = append(c.found, word)
}

func (c *completions) all() []cobra.Completion {
	if c.more > 0 {
		return cobra.AppendActiveHelp(c.found, fmt.Sprintf("%d more are not offered; type more of the word", c.more))
	}
	return c.found
}

// completeNames offers the names of the tools directory. It only reads the files'
// headers: the user has pressed no more than a key.
func (f *hostFlags) completeNames() cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names completions
		for _, tool := range scripttools.Headers(f.toolsDir()) {
			if strings.HasPrefix(tool.Name, prefix) {
				names.add(tool.Name, clip.Line(tool.Description))
			}
		}
		return names.all(), cobra.ShellCompDirectiveDefault
	}
}

// completeArguments is completeNames, and then offers the keys of a tool's inputs, the values
// of inputs that have few, and files for other inputs.
func (f *hostFlags) completeArguments() cobra.CompletionFunc {
	names := f.completeNames()
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names(cmd, args, prefix)
		}
		tool, _ := f.header(args[:1])
		key, value, valued := strings.Cut(prefix, "=")
		var found completions
		for _, input := range scripttools.Properties(tool.InputSchema) {
			switch {
			case !valued && strings.HasPrefix(input.Name, key):
				found.add(input.Name+"=", input.String())
			case valued && input.Name == key:
				values := wordsOf(input)
				for _, word := range values {
					if strings.HasPrefix(word, value) {
						found.add(key+"="+word, "")
					}
				}
				if len(values) > 0 {
					return found.all(), cobra.ShellCompDirectiveNoFileComp
				}
			}
		}
		if valued {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return found.all(), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
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
