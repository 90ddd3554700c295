package programs

import (
	"regexp"
	"strings"
	"sync"
)

// sedPlain is a script of commands that neither write nor run. Of the forms
// that versions of sed read differently (brackets that hold the delimiter,
// braces, labels, text) there is none in it.
var sedPlain = sync.OnceValue(func() *regexp.Regexp {
	const (
		address = `(?:[0-9]+(?:~[0-9]+)?|\$|/(?:[^/\\\n\[\]]|\\[^\n/]|\[\^?[^\]\[/\\\n]+\])+/I?)`
		simple  = `[pdqQ=lnNgGhHxDP]`
	)
	replace := []string{}
	for _, d := range []string{"/", "|", ",", "#", ":", "@", "!"} {
		q := regexp.QuoteMeta(d)
		part := `(?:[^` + d + `\\\n\[\]]|\\[^\n` + d + `]|\[\^?[^\]\[` + d + `\\\n]+\])*`
		text := `(?:[^` + d + `\\\n]|\\[^\n` + d + `])*`
		replace = append(replace, `s`+q+part+q+text+q+`[gpIi0-9]*`, `y`+q+text+q+text+q)
	}
	command := `(?:` + address + `(?:,(?:` + address + `|\+[0-9]+))?)? *!? *(?:` + simple + `|` + strings.Join(replace, "|") + `) *`
	return regexp.MustCompile(`^ *` + command + `(?:[;\n] *` + command + `)*;?$`)
})

func sedScript(script string) string {
	if len(script) > 4096 || !sedPlain().MatchString(script) {
		return "a script of sed can write files and run programs; this one is not plain enough to tell"
	}
	return ""
}

// awkProgram refuses a program that has what writing, reading elsewhere and
// running take, even in its texts: every way takes one of these.
func awkProgram(program string) string {
	lower := strings.ToLower(program)
	for _, part := range []string{"|", "<", ">", "@", "\\\n", "\\\r", "system", "getline", "\x00"} {
		if strings.Contains(lower, part) {
			return "a program of awk with " + strings.TrimSpace(part) + " in it can write files or run programs"
		}
	}
	return ""
}
