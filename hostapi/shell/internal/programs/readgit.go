package programs

import (
	"errors"
	"fmt"
	"strings"
)

// GitReads are the read-only commands of git.
func GitReads() []string {
	var names []string
	for _, c := range find("git").commands {
		if !c.spelled {
			names = append(names, strings.Fields(c.names)...)
		}
	}
	return names
}

// ReadGit refuses the arguments of git unless they read the repository and do
// nothing else. inside reports whether a word, taken as a path, stays in the
// repository once links are followed. It is called for every operand, since a
// revision and a path look alike, except for the pattern of grep.
func ReadGit(args []string, inside func(name string) bool) error {
	if len(args) == 0 {
		return fmt.Errorf("expected a git command: %s", strings.Join(GitReads(), ", "))
	}
	l, _ := gitLine(args)
	if l == nil {
		return fmt.Errorf("git %s is not a read-only command; allowed: %s", args[0], strings.Join(GitReads(), ", "))
	}
	for _, reason := range l.why {
		if reason != "" {
			return errors.New(reason)
		}
	}
	operands := l.operands
	if args[0] == "grep" && !l.has("-e") && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, at := range operands {
		if !inside(l.words[at]) {
			return fmt.Errorf("git %s %s: the path is outside the repository", args[0], l.words[at])
		}
	}
	return nil
}
