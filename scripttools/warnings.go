package scripttools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools/clients"
)

// Warnings are what is allowed in the tool's header and probably a mistake.
func (s *ScriptToolSpec) Warnings() (warnings []Problem) {
	for _, rule := range s.AllowedTools {
		words := strings.Fields(rule.Pattern)
		if (rule.Tool != "bash" && rule.Tool != "git") || len(words) == 0 {
			continue
		}
		last := words[len(words)-1]
		begins, open := strings.CutSuffix(last, "*")
		if !open || begins == "" || strings.ContainsAny(begins, "*/=") || !strings.HasSuffix(begins, ":") && len(words) > 2 {
			continue
		}
		words[len(words)-1] = strings.TrimSuffix(begins, ":")
		warnings = append(warnings, Problem{
			Pos:  placeOf(rule.From),
			Msg:  fmt.Sprintf("%s: %q is one word that begins with %q", rule, last, begins),
			Hint: fmt.Sprintf("for any words after %q write %s(%s *)", words[len(words)-1], rule.Tool, strings.Join(words, " ")),
		})
	}
	return append(warnings, s.shown()...)
}

// shown warns of names and descriptions that clients cut.
func (s *ScriptToolSpec) shown() (warnings []Problem) {
	warn := func(hint, format string, args ...any) {
		warnings = append(warnings, Problem{Pos: runtime.Position{File: s.Path}, Msg: fmt.Sprintf(format, args...), Hint: hint})
	}
	if most := clients.LongestName(clients.ServerName); len(s.Name) > most {
		warn(fmt.Sprintf("at most %d pass with mcp__%s__ before them", most, clients.ServerName), "some clients take no name of %d characters", len(s.Name))
	}
	if n, most := utf8.RuneCountInString(s.Description), clients.LongestText(); n > most {
		warn("", "the description has %d characters, of which some clients show a model the first %d", n, most)
	}
	if n, most := utf8.RuneCountInString(clients.FirstSentence(s.Description)), clients.LongestSentence(); n > most {
		warn("begin with a sentence that stands alone", "the first sentence of the description has %d characters, of which some clients show %d", n, most)
	}
	return warnings
}

// Alike warns of tools whose names a client takes for one: some write - as _.
func Alike(specs []*ScriptToolSpec) (warnings []Problem) {
	have := map[string]*ScriptToolSpec{}
	for _, spec := range specs {
		name := clients.Folded(spec.Name)
		if other := have[name]; other != nil && other.Name != spec.Name {
			warnings = append(warnings, Problem{
				Pos:  runtime.Position{File: spec.Path},
				Msg:  fmt.Sprintf("some clients write - in names as _, so that %s and %s of %s are one to them", spec.Name, other.Name, other.Path),
				Hint: "give one of them another name",
			})
		}
		have[name] = spec
	}
	return warnings
}

// placeOf reads a place as [runtime.Position] writes it.
func placeOf(text string) (pos runtime.Position) {
	pos.File = text
	if at, col, ok := cutNumber(text); ok {
		if file, line, ok := cutNumber(at); ok {
			pos = runtime.Position{File: file, Line: line, Col: col}
		}
	}
	return pos
}

func cutNumber(text string) (before string, number int, ok bool) {
	at := strings.LastIndexByte(text, ':')
	number, err := strconv.Atoi(text[at+1:])
	return text[:max(at, 0)], number, at > 0 && err == nil
}
