package shell

import (
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Explanation is what a shell line would run under some rules, and why. It is plain
// data for a person who decides about a call or writes rules.
type Explanation struct {
	Line string `json:"line"`
	// Granted is whether the rules grant a bash call with this line and nothing else.
	Granted bool `json:"granted"`
	// Bare is the rule without a pattern that grants the line, if there is one. The
	// line then goes to the shell unchanged, and the rest is for information.
	Bare string `json:"bare,omitempty"`
	// Written is the line as it would run if patterns grant it, except for what the
	// notes of its commands say; empty if it is opaque, see [Tool.Plan].
	Written string `json:"written,omitempty"`
	// Commands are the simple commands, in the order of the line.
	Commands []CommandExplanation `json:"commands"`
	// Opaque is what makes the line opaque, in the order of the line as far as it
	// could be parsed.
	Opaque []Obstacle `json:"opaque,omitempty"`
}

// CommandExplanation is one simple command of an [Explanation].
type CommandExplanation struct {
	// Line and Column are its position, from 1; a column is a character.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Words are its name and arguments as the program would get them, or as they
	// are written where they are opaque.
	Words []string `json:"words"`
	// Guarded are the words that no wildcard of a pattern covers.
	Guarded []GuardedWord `json:"guarded,omitempty"`
	// Redirections are its own, then those of the commands around it.
	Redirections []string `json:"redirections,omitempty"`
	// Note is what its words do not say about how it runs if patterns grant the
	// line: git reads a repository without its configuration.
	Note string `json:"note,omitempty"`
	// Rule is the first rule with a pattern that covers it; empty if none does.
	Rule string `json:"rule,omitempty"`
	// Reason is why a rule whose words fit the command does not cover it.
	Reason string `json:"reason,omitempty"`
	// Suggested is the narrowest rule that would cover it, or bash alone where no
	// pattern can. It is set if no rule covers the command and the line is not
	// opaque. It says what would be needed, not that it is wise.
	Suggested string `json:"suggested,omitempty"`
}

// GuardedWord is a word that only the same word in a pattern covers.
type GuardedWord struct {
	Word   string `json:"word"`
	Reason string `json:"reason"`
}

// Obstacle is something in a line that no pattern covers.
type Obstacle struct {
	// Line and Column are its position, from 1; 0 where it has none. A column is a
	// character.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Reason says what it is, and what to write instead.
	Reason string `json:"reason"`
}

// Explain says what a line would run and which rules grant it. It skips rules for
// other tools. It decides by the same plan as a [hostapi.Gate], and runs nothing.
func Explain(line string, rules []hostapi.Rule) Explanation {
	out := Explanation{Line: line, Commands: []CommandExplanation{}}
	var scoped []hostapi.Rule
	for _, rule := range rules {
		if rule.Tool != toolName {
			continue
		}
		if rule.Pattern == "" && out.Bare == "" {
			out.Bare = rule.String()
		}
		scoped = append(scoped, rule)
	}
	found, problems := read(line)
	uncovered := false
	found.each(nil, func(s simple, redirects []redirect) {
		command := s.explain(line, scoped, len(problems) == 0)
		for _, r := range redirects {
			command.Redirections = append(command.Redirections, r.String())
		}
		uncovered = uncovered || command.Rule == ""
		out.Commands = append(out.Commands, command)
	})
	for _, p := range problems {
		at := p.at.characters(line)
		out.Opaque = append(out.Opaque, Obstacle{Line: at.line, Column: at.column, Reason: p.reason})
	}
	if len(problems) == 0 {
		out.Written = found.written()
	}
	out.Granted = out.Bare != "" || len(problems) == 0 && len(out.Commands) > 0 && !uncovered
	return out
}

// explain explains one command. readable says that its words are final.
func (s simple) explain(line string, rules []hostapi.Rule, readable bool) CommandExplanation {
	at := s.at.characters(line)
	out := CommandExplanation{Line: at.line, Column: at.column, Words: s.words}
	if s.git != nil && readable {
		out.Note = "git runs without the configuration of the repository, the user and the system"
	}
	for i, why := range s.guards {
		if why != "" {
			out.Guarded = append(out.Guarded, GuardedWord{Word: s.words[i], Reason: why})
		}
	}
	for _, rule := range rules {
		switch covers, why := s.match(rule.Pattern); {
		case covers && why == "":
			out.Rule = rule.String()
			return out
		case out.Reason == "":
			out.Reason = why
		}
	}
	if readable {
		out.Suggested = s.suggestion()
	}
	return out
}

// suggestion is the narrowest rule that covers a command.
func (s simple) suggestion() string {
	words := slices.Clone(s.words)
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, "* \t\n") || plainWords(word) != nil {
			words[i] = "*"
		}
	}
	// A last * covers any further words too, and some words no * covers.
	rule, err := hostapi.ParseRule(toolName + "(" + strings.Join(words, " ") + ")")
	if err != nil || !s.Match(rule.Pattern) {
		return toolName
	}
	return rule.String()
}
