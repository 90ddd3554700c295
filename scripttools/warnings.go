package scripttools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/runtime"
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
