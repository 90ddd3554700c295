package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prefixes are the carriers that run the command after their options.
var prefixes = []string{
	"env", "timeout", "nohup", "sudo", "doas", "nice", "ionice", "chrt", "taskset", "stdbuf", "time", "setsid", "command",
	"builtin", "exec", "xargs", "flock", "fakeroot", "find", "gfind", "fd", "fdfind",
}

// settled are the changers that run nothing and change what no command means, unless
// [unsettled] says otherwise.
var settled = []string{"export", "local", "readonly", "read", "set", "shopt", "unset", "wait", "getopts"}

// maxCarried is how many words of a carrier are read.
const maxCarried = 1000

// command reads a command and those that it carries.
func (r *reading) command(words []shape, at place, depth int) {
	size := len(words)
	for _, s := range words {
		size += s.size()
	}
	if size > maxAnalysed {
		r.refuse(opaque(at, "a command of %d bytes; at most %d are analysed", size, maxAnalysed))
		return
	}
	r.one(command{words: words, at: at}, depth, true)
	r.carried(words, at, depth)
}

// carried reads the commands that carriers run.
func (r *reading) carried(words []shape, at place, depth int) {
	name, more := "", false
	for i := range words {
		begins := words[i].begins()
		variable, value, assigns := words[i].assignment()
		carrier := words[i].isPlain() && slices.Contains(prefixes, base(begins))
		switch {
		case i == 0 && !carrier:
			return
		case words[i].many:
			r.refuse(opaque(at, "the words of %s are computed", name))
			return
		case name == "xargs" && (strings.HasPrefix(begins, "-I") || strings.HasPrefix(begins, "-i") || strings.HasPrefix(begins, "-J") || strings.HasPrefix(begins, "--repl") || cluster(begins[:min(len(begins), 3)]) && strings.ContainsAny(begins[:min(len(begins), 3)], "IJ")):
			r.refuse(opaque(at, "xargs %s, which puts what it reads anywhere", begins))
			return
		case name == "xargs" && words[i].isPlain() && (carrier || slices.Contains(carriers, base(begins))):
			r.refuse(opaque(at, "xargs %s, which runs what it reads", begins))
			return
		case assigns && (syntax.ValidName(variable) || name == "env" && syntax.ValidName(strings.ReplaceAll(variable, "-", "_")) && variable[0] != '-'):
			r.sets(variable, value, at, depth)
			continue
		case assigns && strings.HasPrefix(variable, "BASH_FUNC"):
			r.refuse(opaque(at, "a function in a variable"))
			return
		case strings.HasPrefix(begins, "-"):
			continue
		case carrier:
			name = base(begins)
			if why := r.carrier(name, words[i+1:], at); why != nil {
				r.refuse(why)
				return
			}
		}
		if more = more || name == "xargs"; i > 0 && !r.one(command{words: words[i:], more: more, at: at}, depth, name == "command" || name == "builtin") {
			return
		}
		if i > 0 && name == "flock" && words[i].isPlain() {
			r.line(words[i].text(), depth+1)
		}
	}
}

// carrier is why it is unknown what a carrier runs.
func (r *reading) carrier(name string, args []shape, at place) *unclear {
	has := func(is func(begins string) bool) bool {
		return slices.ContainsFunc(args, func(s shape) bool { return is(s.begins()) })
	}
	switch {
	case !r.spend(len(args)):
		return tooMuch(at)
	case len(args) >= maxCarried:
		return opaque(at, "%s with more than %d words", name, maxCarried)
	case name == "env" && has(func(b string) bool {
		return strings.HasPrefix(b, "-") && strings.Contains(b, "S") || strings.HasPrefix(b, "--s")
	}):
		return opaque(at, "env -S, which splits words")
	case (name == "sudo" || name == "doas") && has(func(b string) bool {
		return strings.HasPrefix(b, "--s") || strings.HasPrefix(b, "--l") || strings.HasPrefix(b, "--e") || cluster(b) && strings.ContainsAny(b, "sie")
	}):
		return opaque(at, "%s of a shell or an editor", name)
	}
	return nil
}

// argued are the programs whose arguments say whether they run others.
var argued = []string{"source", ".", "find", "gfind", "fd", "fdfind", "test", "[", "printf", "git"}

// one reads a command without those that it carries, and reports whether to go on.
// builtin says that it may be a builtin of the shell.
func (r *reading) one(c command, depth int, builtin bool) bool {
	words, at := c.words, c.at
	full := words[0].text()
	c.name = base(full)
	name := c.name
	switch {
	case full == "":
		r.refuse(opaque(at, "the name of a command is computed"))
		return false
	case strings.Contains(full, "/proc/") || strings.Contains(full, "/dev/"):
		r.refuse(opaque(at, "a program by the name of something else"))
		return false
	case !r.spend(len(full)):
		r.refuse(tooMuch(at))
		return false
	}
	r.commands = append(r.commands, c)
	var plain []string
	if slices.Contains(argued, name) || slices.Contains(shells, name) {
		if !r.spend(len(words)) {
			r.refuse(tooMuch(at))
			return false
		}
		for _, s := range words[1:] {
			plain = append(plain, s.begins())
		}
	}
	var why *unclear
	switch {
	case slices.Contains(prefixes, name): // see carried
	case slices.Contains(carriers, name):
		why = opaque(at, "%s runs another command", name)
	case slices.Contains(shells, name):
		r.shell(words, plain, at, depth)
	case !builtin && (full == "." || slices.Contains(changers, full)): // no program
	case full == "trap" || full == "eval":
		r.evaluated(words, at, depth)
	case full == "source" || full == ".":
		if problem := plainShell(full, plain); problem != "" {
			why = opaque(at, "%s", problem)
		} else if !words[1].isPlain() || standIn(plain[0]) {
			why = opaque(at, "%s runs what it reads, or what is computed", full)
		}
	case slices.Contains(settled, full):
		if why = unsettled(full, words[1:], at); why == nil && full != "set" && full != "unset" {
			r.given(full, words[1:], at, depth)
		}
	case slices.Contains(changers, full):
		why = opaque(at, "%s can change what other commands do", full)
	case computesOption(name, words[1:]):
		why = opaque(at, "%s with an option that is computed, which can run commands", name)
	default:
		problem := obscure(name, plain)
		if name == "git" {
			problem = cmp.Or(problem, gitRuns(plain))
		}
		if problem != "" {
			why = opaque(at, "%s", problem)
		}
	}
	r.refuse(why)
	r.script(words, at)
	r.operands(words, at, depth)
	return why == nil
}

// interpreters run the script that their first argument names, as shells do.
var interpreters = []string{"source", ".", "python", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript", "osascript", "tclsh"}

// script records the script of a shell or an interpreter as a command of its own.
func (r *reading) script(words []shape, at place) {
	name := base(words[0].text())
	if !slices.Contains(shells, name) && !slices.Contains(interpreters, strings.TrimRight(name, "0123456789.")) && name != "." {
		return
	}
	for i, word := range words[1:] {
		switch option := strings.HasPrefix(word.begins(), "-"); {
		case !r.spend(len(words)):
			r.refuse(tooMuch(at))
			return
		case !option:
			r.commands = append(r.commands, command{words: words[i+1:], name: base(word.begins()), at: at})
			if !strings.HasPrefix(words[i].begins(), "-") { // else it may be the value of an option
				return
			}
		}
	}
}

// operands notes the variables among the words of programs that take them there, as in
// make CC=clang.
func (r *reading) operands(words []shape, at place, depth int) {
	if !slices.Contains([]string{"make", "gmake", "bmake", "configure"}, base(words[0].text())) || !r.spend(len(words)) {
		return
	}
	for _, word := range words[1:] {
		if name, value, ok := word.assignment(); ok && syntax.ValidName(name) {
			r.sets(name, value, at, depth)
		} else if strings.HasPrefix(name, "--ev") {
			r.refuse(opaque(at, "make %s, which can run commands", name))
		}
	}
}

// gitRunning are options of git that name a program; gitLetters are those of one letter,
// by command.
var (
	gitRunning = []string{"--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--extcmd"}
	gitLetters = map[string]string{"grep": "O", "rebase": "x", "difftool": "x", "clone": "u"}
)

// gitRuns is why git may run a program that an option names.
func gitRuns(args []string) string {
	letters := ""
	for _, arg := range args {
		letters += gitLetters[arg]
		option, _, _ := strings.Cut(arg, "=")
		if len(option) > 3 && slices.ContainsFunc(gitRunning, func(o string) bool { return strings.HasPrefix(o, option) }) ||
			len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.ContainsAny(option, letters) {
			return "git " + option + " can run another command"
		}
	}
	return ""
}

// shell reads a command that is a shell: the line after -c, or a script.
func (r *reading) shell(words []shape, plain []string, at place, depth int) {
	why := plainShell(base(words[0].text()), plain)
	switch {
	case why == "" && words[1].isPlain() && !standIn(plain[0]): // a script, by its name
		return
	case len(words) > 2 && words[1].isPlain() && runsLine(words[1].text()) && words[2].isPlain() && strings.Trim(words[2].begins()[:min(1, len(words[2].begins()))], "-+") != "":
		r.line(words[2].text(), depth+1)
		return
	case why == "":
		why = "what a shell runs is computed, or read"
	}
	r.refuse(opaque(at, "%s", why))
}

// unsettled is why a builtin may evaluate one of its words, or change what other commands
// do.
func unsettled(builtin string, args []shape, at place) *unclear {
	computes := opaque(at, "%s of something that is computed, which can run commands", builtin)
	for _, s := range args {
		begins, option := s.begins(), strings.HasPrefix(s.begins(), "-") || strings.HasPrefix(s.begins(), "+")
		bracket := strings.Contains(strings.Join(s.chunks, ""), "[")
		switch builtin {
		case "set", "shopt":
			if builtin == "set" && begins == "--" {
				return nil
			}
			if !s.isPlain() || option && builtin == "set" && strings.ContainsAny(begins, "kH") || slices.Contains([]string{"keyword", "history", "histexpand", "expand_aliases"}, begins) {
				return opaque(at, "%s %s, which can change what commands do", builtin, begins)
			}
		case "wait":
			if bracket || option && strings.Contains(begins, "p") {
				return computes
			}
		case "export", "local", "readonly": // sh expands their words as those of any command
			if option || bracket || !s.isPlain() && !strings.Contains(begins, "=") {
				return computes
			}
		default:
			if bracket || !s.isPlain() {
				return computes
			}
		}
	}
	return nil
}

// runsLine reports whether an option of a shell makes it run the next word.
func runsLine(option string) bool {
	return cluster(option) && strings.HasSuffix(option, "c") && strings.Trim(option[1:], "cexuvlnf") == ""
}

// standIn reports whether a script's name may stand for the input of a shell.
func standIn(name string) bool {
	return strings.Contains(name, "dev/") || strings.Contains(name, "proc/") || base(name) == "stdin" || strings.Trim(base(name), "0123456789") == ""
}

// computesOption reports whether test or printf may evaluate a word: a computed option
// stands before a word that is an array index, or may be.
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

// evaluated reads a builtin that runs its arguments as a line.
func (r *reading) evaluated(words []shape, at place, depth int) {
	var line []string
	for _, s := range words[1:] {
		if !s.isPlain() {
			r.refuse(opaque(at, "%s runs what is computed", words[0].text()))
			return
		}
		line = append(line, s.text())
	}
	if words[0].text() == "trap" {
		if len(line) > 0 && line[0] == "--" {
			line = line[1:]
		}
		line = line[:min(1, len(line))]
		if len(line) > 0 && strings.HasPrefix(line[0], "-") {
			if line[0] != "-" && line[0] != "-p" && line[0] != "-l" {
				r.refuse(opaque(at, "trap %s", line[0]))
			}
			return
		}
	}
	r.line(strings.Join(line, " "), depth+1)
}
