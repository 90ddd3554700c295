package shell_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

var (
	gitVariables = regexp.MustCompile(`(GIT_[A-Z_]+='[^']*' )+`)
	gitSteady    = regexp.MustCompile(` '--no-pager' '--no-optional-locks'( '-c' '[^']*')+`)
	gitForced    = []string{"--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}
)

// asAuthored takes from a command what commands of git are given that read.
func asAuthored(command *shell.Command) {
	if command == nil {
		return
	}
	command.Line = gitSteady.ReplaceAllString(gitVariables.ReplaceAllString(command.Line, ""), "")
	for _, option := range gitForced {
		command.Line = strings.ReplaceAll(command.Line, " '"+option+"'", "")
	}
	if at := slices.Index(command.Argv, "--no-pager"); at == 1 {
		last := len(command.Argv) - 1 - slices.Index(reversed(command.Argv), "-c")
		rest := slices.DeleteFunc(slices.Clone(command.Argv[last+2:]), func(w string) bool { return slices.Contains(gitForced, w) })
		command.Argv = append([]string{command.Argv[0]}, rest...)
	}
}

func reversed(words []string) []string {
	words = slices.Clone(words)
	slices.Reverse(words)
	return words
}
