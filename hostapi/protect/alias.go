package protect

import "strings"

// An alias of git runs a program by "!", but also by options before a command (-c,
// --exec-path) and by options of many commands (rebase -x, grep -O, push --receive-pack);
// others write any file (log --output) or send something away. So an alias is harmless
// only if it is known to be: a command that shows, or does what its user then types, with
// options that say how to show.

const (
	harmlessAliases  = "add blame branch checkout commit diff log reflog shortlog show status switch"
	harmlessShowings = "--abbrev-commit --all --branch --cached --color --decorate --graph --name-only --name-status --no-merges --oneline --patch --reverse --short --staged --stat --summary --verbose " +
		"-1 -5 -10 -20 -a -b -p -s -sb -v -vv"
)

// harmlessAlias reports whether an alias runs and writes nothing besides its command.
func harmlessAlias(value string) bool {
	for i, word := range strings.Split(value, " ") {
		if i == 0 && !hasWord(harmlessAliases, word) || i > 0 && !hasWord(harmlessShowings, word) {
			return false
		}
	}
	return true
}

// harmlessSetting reports whether a setting names no program.
func harmlessSetting(section, sub, name, value string) bool {
	if strings.Contains(value, "::") { // a transport that runs its argument
		return false
	}
	if section == "alias" {
		return sub == "" && harmlessAlias(value)
	}
	return section == "color" || section == "advice" || hasWord(harmlessSettings[section], name)
}
