package shell

import (
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Explanation is what a shell line would run under some rules, and why: plain
// data for a person who decides or writes rules.
type Explanation struct {
	Line string `json:"line"`
	// Granted is whether a call of the tool bash with this line alone would be
	// made.
	Granted bool `json:"granted"`
	// Bare is set where a rule without a pattern grants the line: it goes to the
	// shell as it stands, and what follows is for information.
	Bare string `json:"bare,omitempty"`
	// Written is the line as it would run where patterns grant it, but for what
	// notes of its commands say; empty if it has no such form, see [Tool.Plan].
	Written string `json:"written,omitempty"`
	// Commands are the simple commands in the order of the line.
	Commands []CommandExplanation `json:"commands"`
	// Opaque is what keeps the line from having a written form, in the order
	// of the line as far as it could be read.
	Opaque []Obstacle `json:"opaque,omitempty"`
}

// CommandExplanation is one simple command of an [Explanation].
type CommandExplanation struct {
	// Line and Column are where it stands, from 1; a column is a character.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Words are its name and arguments as the program would get them; one that
	// is opaque, as it is written.
	Words []string `json:"words"`
	// Guarded are the words that no wildcard of a pattern covers.
	Guarded []GuardedWord `json:"guarded,omitempty"`
	// Redirections are its own, then those of the commands around it, outwards.
	Redirections []string `json:"redirections,omitempty"`
	// Note is how it runs where patterns grant the line, if its words do not say
	// it all: git reads a repository without its configuration.
	Note string `json:"note,omitempty"`
	// Rule is the first rule with a pattern that covers it; empty if none does.
	Rule string `json:"rule,omitempty"`
	// Reason is why a rule that has the shape of the command does not cover it.
	Reason string `json:"reason,omitempty"`
	// Suggested is a rule that would cover it, if no rule does and the line has a
	// written form: as narrow as a pattern can be, or bash alone where none can.
	// It says what it would take, not that it is wise.
	Suggested string `json:"suggested,omitempty"`
}

// GuardedWord is a word that only the same word in a pattern covers.
type GuardedWord struct {
	Word   string `json:"word"`
	Reason string `json:"reason"`
}

// Obstacle is something in a line that no pattern covers.
type Obstacle struct {
	// Line and Column are where it stands, from 1; 0 where it has no place. A
	// column is a character.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Reason is what it is, and what to write instead.
	Reason string `json:"reason"`
}

// Explain says what a line would run and which of the rules grant it. Rules
// for other tools are passed over. It decides as a [hostapi.Gate] does, by the
// same plan, and runs nothing.
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

// explain is one command under rules. readable says that its words are those that would run.
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
		if word == "" || strings.ContainsAny(word, "* \t\n") || (*Tool)(nil).CheckPattern(word) != nil {
			words[i] = "*"
		}
	}
	// A last * would cover any further words too.
	rule, err := hostapi.ParseRule(toolName + "(" + strings.Join(words, " ") + ")")
	if err != nil || !s.Match(rule.Pattern) {
		return toolName
	}
	return rule.String()
}
