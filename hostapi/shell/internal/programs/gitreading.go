package programs

import (
	"path"
	"strings"
)

// GitReading is a command of git that reads, and does it as well without the
// configuration of the repository.
type GitReading struct {
	// Own are options of git that stand before the command. They choose no other
	// repository, but for Folder.
	Own []string
	// Folder is where they have git work, relative to where it is started;
	// empty for there.
	Folder string
	// Words are the command and its arguments.
	Words []string
	// Dashed is set where the program is the command: git-log.
	Dashed bool
}

// ReadingGit is the command of git that words are, the program first. There is
// none where they are not of git, do more than read, take a repository by an
// option, or ask for what the configuration names, as --textconv does. What
// an option reads or writes beyond the repository does not matter here.
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

// splitGit takes what stands before a command of git from it.
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

// readsOnly reports whether a command is one that reads, and no option asks for
// what the configuration names.
func readsOnly(words []string) bool {
	c := find("git").command(words[0])
	if c == nil || c.spelled {
		return false
	}
	rest := c.grammar
	rest.operands = nil
	l := rest.read("git "+words[0], append([]string{"git"}, words...), 2, make([]string, len(words)+1))
	table := rest.table()
	for _, o := range l.options {
		switch table[o.name].why {
		case gitConfigured, gitSigned, gitSubmodules:
			return false
		}
		if rest.values != nil && rest.values(o.name, o.value) != "" {
			return false
		}
	}
	return true
}
