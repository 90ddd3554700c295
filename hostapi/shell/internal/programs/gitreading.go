package programs

import (
	"path"
	"strings"
)

// GitReading is a read-only command of git that works without the repository's
// configuration.
type GitReading struct {
	// Own are git's own options before the command. Except for Folder, none of them
	// chooses another repository.
	Own []string
	// Folder is the directory that -C names, relative to where git starts; empty
	// for none.
	Folder string
	// Words are the command and its arguments.
	Words []string
	// Dashed is set where the program names the command, as git-log does.
	Dashed bool
}

// ReadingGit parses words, the program first, as a read-only command of git. ok is
// false where they are another program's, do more than read, choose a repository by
// an option, or run what the configuration names, as --textconv does. It does not
// judge what an option reads or writes outside the repository.
func ReadingGit(words []string) (reading GitReading, ok bool) {
	base := path.Base(words[0])
	name, dashed := strings.CutPrefix(base, "git-")
	switch {
	case dashed:
		reading = GitReading{Words: append([]string{name}, words[1:]...), Dashed: true}
	case base == "git":
		reading = splitGit(words[1:])
	}
	return reading, len(reading.Words) > 0 && readsOnly(reading.Words)
}

// splitGit separates git's own options from the command after them.
func splitGit(args []string) (r GitReading) {
	own := find("git").covered
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-C" && i+1 < len(args):
			i++
			switch {
			case r.Folder == "" || path.IsAbs(args[i]):
				r.Folder = args[i]
			case args[i] != "":
				r.Folder += "/" + args[i]
			}
		case listed(own, args[i]):
		case strings.HasPrefix(args[i], "-"):
			return GitReading{}
		default:
			r.Own, r.Words = args[:i], args[i:]
			return r
		}
	}
	return GitReading{}
}

// readsOnly reports whether a command only reads, and no option of it runs what the
// configuration names.
func readsOnly(args []string) bool {
	l, g := gitLine(args)
	if l == nil {
		return false
	}
	table := g.table()
	for _, o := range l.options {
		switch table[o.name].why {
		case gitConfigured, gitSigned, gitSubmodules:
			return false
		}
		if g.values != nil && g.values(o.name, o.value) != "" {
			return false
		}
	}
	return true
}

// gitLine parses a read-only command of git without judging its operands; nil for any
// other command.
func gitLine(args []string) (*line, grammar) {
	c := find("git").command(args[0])
	if c == nil || c.spelled {
		return nil, grammar{}
	}
	g := c.grammar
	g.operands = nil
	words := append([]string{"git"}, args...)
	return g.read("git "+args[0], words, 2, make([]string, len(words))), g
}
