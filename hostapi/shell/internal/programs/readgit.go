package programs

import (
	"errors"
	"fmt"
	"strings"
)

// GitReads are the commands of git that only read.
func GitReads() []string {
	var names []string
	for _, c := range find("git").commands {
		if !c.spelled {
			names = append(names, strings.Fields(c.names)...)
		}
	}
	return names
}

// ReadGit refuses the arguments of git unless they read the repository, and
// nothing else. inside reports whether a word, taken for a path, is in the
// repository by the links that are there too. All operands are asked about,
// since a revision and a path look alike, but for the pattern of grep.
func ReadGit(args []string, inside func(name string) bool) error {
	if len(args) == 0 {
		return fmt.Errorf("expected a command of git: %s", strings.Join(GitReads(), ", "))
	}
	c := find("git").command(args[0])
	if c == nil || c.spelled {
		return fmt.Errorf("git %s is not a command that only reads; there are %s", args[0], strings.Join(GitReads(), ", "))
	}
	words := append([]string{"git"}, args...)
	why := make([]string, len(words))
	rest := c.grammar
	rest.operands = nil
	l := rest.read("git "+args[0], words, 2, why)
	for _, reason := range why {
		if reason != "" {
			return errors.New(reason)
		}
	}
	operands := l.operands
	if args[0] == "grep" && !l.has("-e") && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, at := range operands {
		if !inside(words[at]) {
			return fmt.Errorf("git %s %s: a path outside the repository", args[0], words[at])
		}
	}
	return nil
}
