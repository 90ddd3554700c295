package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prefixes are the carriers that run the command that stands behind their options.
var prefixes = []string{
	"env", "timeout", "nohup", "sudo", "doas", "nice", "ionice", "chrt", "taskset", "stdbuf", "time", "setsid", "command",
	"builtin", "exec", "xargs", "flock", "fakeroot", "find", "gfind", "fd", "fdfind",
}

// settled are the changers that run nothing and give no command another meaning.
var settled = []string{"export", "local", "readonly", "read", "set", "shopt", "unset", "wait", "getopts", "history"}

// maxCarried is how many words of a carrier are looked at.
const maxCarried = 1000

// command is whether a command is wanted.
func (w wanted) command(words []shape, at place) (bool, *unclear) { return w.commandIn(words, at, 0) }

func (w wanted) commandIn(words []shape, at place, depth int) (bool, *unclear) {
	size := len(words)
	for _, s := range words {
		size += s.size()
	}
	if size > maxAnalysed {
		return true, opaque(at, "a command of %d bytes, more than the %d that are analysed", size, maxAnalysed)
	}
	if touched, why := w.one(words, at, depth, true); touched {
		return true, why
	}
	name := base(words[0].text())
	if !slices.Contains(prefixes, name) {
		return false, nil
	}
	switch {
	case len(words) > maxCarried:
		return true, opaque(at, "%s with more than %d words", name, maxCarried)
	case name == "env" && slices.ContainsFunc(words[1:], func(s shape) bool {
		return strings.HasPrefix(s.begins(), "-") && strings.Contains(s.begins(), "S") || strings.HasPrefix(s.begins(), "--s")
	}):
		return true, opaque(at, "env -S, which splits words")
	case (name == "sudo" || name == "doas") && slices.ContainsFunc(words[1:], func(s shape) bool {
		return slices.Contains([]string{"-s", "-i", "--shell", "--login", "-e", "--edit"}, s.begins())
	}):
		return true, opaque(at, "%s of a shell or an editor", name)
	}
	for i := 1; i < len(words); i++ {
		begins := words[i].begins()
		variable, _, assigns := strings.Cut(begins, "=")
		switch {
		case words[i].many:
			return true, opaque(at, "the words of %s are computed", name)
		case name == "xargs" && (strings.HasPrefix(begins, "-I") || strings.HasPrefix(begins, "-i") || strings.HasPrefix(begins, "-J") || strings.HasPrefix(begins, "--replace")):
			return true, opaque(at, "xargs %s, which puts what it reads anywhere", begins)
		case name == "xargs" && words[i].isPlain() && (slices.Contains(prefixes, base(begins)) || slices.Contains(carriers, base(begins))):
			return true, opaque(at, "xargs %s, which runs what it reads", begins)
		case assigns && syntax.ValidName(variable):
			if risky(variable) {
				return true, opaque(at, "%s, which shells run", variable)
			}
			continue
		case assigns && strings.HasPrefix(variable, "BASH_FUNC"):
			return true, opaque(at, "a function in a variable")
		case strings.HasPrefix(begins, "-"):
			continue
		}
		carried := words[i:]
		if name == "xargs" { // which adds what it reads
			carried = append(slices.Clone(carried), shape{many: true})
		}
		if touched, why := w.one(carried, at, depth, name == "command" || name == "builtin"); touched {
			return true, why
		}
		if s := words[i]; s.isPlain() && strings.ContainsAny(s.text(), " \t\n;&|") {
			if touched, why := w.line(s.text(), depth+1); touched {
				return true, why
			}
		}
	}
	return false, nil
}

// one is whether a command is wanted, but for what it carries behind its options.
// builtin says that it may be one of the shell's own.
func (w wanted) one(words []shape, at place, depth int, builtin bool) (bool, *unclear) {
	if !words[0].isPlain() || words[0].text() == "" {
		return true, opaque(at, "the name of a command is computed")
	}
	full := words[0].text()
	name := base(full)
	if strings.Contains(full, "/proc/") || strings.Contains(full, "/dev/") {
		return true, opaque(at, "a program by the name of something else")
	}
	if !w.work.spend(len(full)) {
		return true, tooMuch(at)
	}
	if meets([]string{name}, w.program) {
		touched := w.arguments(words[1:])
		if w.work.left == 0 {
			return true, tooMuch(at)
		}
		if touched {
			return true, nil
		}
	}
	var plain []string
	for _, s := range words[1:] {
		plain = append(plain, s.begins())
	}
	switch {
	case slices.Contains(prefixes, name): // see commandIn
	case slices.Contains(carriers, name):
		return true, opaque(at, "%s runs another command", name)
	case slices.Contains(shells, name):
		return w.shell(words, at, depth)
	case !builtin && (full == "." || slices.Contains(changers, full)): // no program
	case full == "trap" || full == "eval":
		return w.evaluated(words, at, depth)
	case full == "source" || full == ".":
		if why := plainShell(full, plain); why != "" {
			return true, opaque(at, "%s", why)
		}
		if !words[1].isPlain() || standIn(plain[0]) {
			return true, opaque(at, "%s runs what it reads, or what is computed", full)
		}
	case slices.Contains(settled, full):
		if slices.ContainsFunc(words[1:], func(s shape) bool { return unsettled(full, s) }) {
			return true, opaque(at, "%s of something that is computed, which can run commands", full)
		}
	case slices.Contains(changers, full):
		return true, opaque(at, "%s can change what other commands do", full)
	case computesOption(name, words[1:]):
		return true, opaque(at, "%s with an option that is computed, which can run commands", name)
	default:
		if why := obscure(name, plain); why != "" {
			return true, opaque(at, "%s", why)
		}
		if why := aliased(name, words[1:]); why != "" {
			return true, opaque(at, "%s", why)
		}
	}
	return false, nil
}

// aliased is why a command of git may be any other.
func aliased(name string, args []shape) string {
	if name != "git" {
		return ""
	}
	value := false
	for _, arg := range args {
		switch text := arg.text(); {
		case !arg.isPlain():
			return "the command of git is computed"
		case value:
			value = false
		case strings.HasPrefix(text, "-"):
			value = slices.Contains(gitValued, text)
		case !slices.Contains(gitCommands, text):
			return "git " + text + " may be an alias of another command"
		default:
			return ""
		}
	}
	return ""
}

// gitCommands are those that no alias can take the place of.
var gitCommands = []string{
	"add", "am", "annotate", "apply", "archive", "bisect", "blame", "branch", "bundle", "cat-file", "check-attr", "check-ignore", "check-ref-format",
	"checkout", "checkout-index", "cherry", "cherry-pick", "clean", "clone", "commit", "commit-graph", "commit-tree", "config", "count-objects", "describe",
	"diff", "diff-files", "diff-index", "diff-tree", "fast-export", "fast-import", "fetch", "fetch-pack", "for-each-ref", "format-patch", "fsck", "gc", "grep",
	"hash-object", "help", "index-pack", "init", "interpret-trailers", "log", "ls-files", "ls-remote", "ls-tree", "maintenance", "merge", "merge-base",
	"merge-file", "merge-tree", "mktag", "mktree", "multi-pack-index", "mv", "name-rev", "notes", "pack-objects", "pack-refs", "patch-id", "prune", "pull",
	"push", "range-diff", "read-tree", "rebase", "reflog", "remote", "repack", "replace", "rerere", "reset", "restore", "rev-list", "rev-parse", "revert",
	"rm", "send-pack", "shortlog", "show", "show-branch", "show-index", "show-ref", "sparse-checkout", "stash", "status", "stripspace", "submodule", "switch",
	"symbolic-ref", "tag", "unpack-objects", "update-index", "update-ref", "update-server-info", "var", "verify-commit", "verify-pack", "verify-tag", "version",
	"whatchanged", "worktree", "write-tree",
}

// shell is for a shell: what -c says is looked into.
func (w wanted) shell(words []shape, at place, depth int) (bool, *unclear) {
	var plain []string
	for _, s := range words[1:] {
		plain = append(plain, s.begins())
	}
	why := plainShell(base(words[0].text()), plain)
	switch {
	case why == "" && words[1].isPlain() && !standIn(plain[0]):
		return false, nil // a script, by its name
	case len(words) > 2 && words[1].isPlain() && runsLine(words[1].text()) && words[2].isPlain() && strings.Trim(words[2].begins()[:min(1, len(words[2].begins()))], "-+") != "":
		return w.line(words[2].text(), depth+1)
	case why == "":
		why = "what a shell runs is computed, or read"
	}
	return true, opaque(at, "%s", why)
}

// unsettled reports whether a builtin may evaluate a word that it is given.
func unsettled(builtin string, word shape) bool {
	switch builtin {
	case "set", "shopt", "wait", "history":
		return false
	case "export", "local", "readonly": // sh reads their words as those of any command
		return strings.HasPrefix(word.begins(), "-") || strings.Contains(strings.Join(word.chunks, ""), "[")
	}
	return !word.isPlain() || strings.Contains(word.text(), "[")
}

// runsLine reports whether an option of a shell has it run the next word.
func runsLine(option string) bool {
	return cluster(option) && strings.HasSuffix(option, "c") && strings.Trim(option[1:], "cexuvlnf") == ""
}

// standIn reports whether the name of a script may be that of what a shell reads.
func standIn(name string) bool {
	return strings.Contains(name, "dev/") || strings.Contains(name, "proc/") || base(name) == "stdin" || strings.Trim(base(name), "0123456789") == ""
}

// computesOption reports whether test or printf may evaluate what it is given: an
// option that is not known before a word that is an index, or may be.
func computesOption(name string, args []shape) bool {
	if name != "test" && name != "[" && name != "[[" && name != "printf" {
		return false
	}
	for i, s := range args[:max(len(args)-1, 0)] {
		next := args[i+1]
		if open := s.many || !s.isPlain() && (s.begins() == "" || s.begins() == "-"); open && (!next.isPlain() || strings.Contains(next.text(), "[")) {
			return true
		}
	}
	return false
}

// risky are variables that shells run, or that give commands another meaning.
func risky(name string) bool {
	return slices.Contains([]string{"PS4", "PS0", "PROMPT_COMMAND", "BASH_ENV", "ENV", "BASH_ALIASES", "BASH_CMDS", "SHELLOPTS", "BASHOPTS"}, name)
}

// evaluated is for what runs its arguments as a line.
func (w wanted) evaluated(words []shape, at place, depth int) (bool, *unclear) {
	var line []string
	for _, s := range words[1:] {
		if !s.isPlain() {
			return true, opaque(at, "%s runs what is computed", words[0].text())
		}
		line = append(line, s.text())
	}
	if words[0].text() == "trap" {
		if len(line) > 0 && line[0] == "--" {
			line = line[1:]
		}
		line = line[:min(1, len(line))]
		if len(line) > 0 && strings.HasPrefix(line[0], "-") && line[0] != "-" && line[0] != "-p" && line[0] != "-l" {
			return true, opaque(at, "trap %s", line[0])
		}
		if len(line) > 0 && strings.HasPrefix(line[0], "-") {
			return false, nil
		}
	}
	return w.line(strings.Join(line, " "), depth+1)
}

// arguments is whether arguments have all that is wanted.
func (w wanted) arguments(args []shape) bool {
	for _, flag := range w.flags {
		if !slices.ContainsFunc(args, func(s shape) bool { return s.flagged(flag) }) {
			return false
		}
	}
	left := w.words
	for _, s := range args {
		if len(left) > 0 && !w.work.spend(s.size()*(1+len(left[0])*strings.Count(left[0], "*"))) {
			return true
		}
		switch {
		case len(left) == 0:
			return true
		case s.many:
			return true
		case meets(s.chunks, left[0]), strings.HasPrefix(left[0], "--") && s.shortens(left[0]):
			left = left[1:]
		}
	}
	return len(left) == 0
}
