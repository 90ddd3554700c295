package programs

import (
	"regexp"
	"strings"
	"sync"
)

// sedPlain matches scripts whose commands neither write nor run, and that all
// versions of sed parse alike. Versions differ in what a bracket expression holds,
// in where one can stand, and in what an escape means. So only brackets match that
// end at the same place for all of them and hold no delimiter, and only the escapes
// of regular expressions and replacements. Braces, labels and texts do not match.
var sedPlain = sync.OnceValue(func() *regexp.Regexp {
	const number = `[0-9]+`
	address := `(?:` + number + `(?:~` + number + `)?|\$|/` + sedPart("/") + `/I?)`
	commands := []string{`[pdqQ=lnNgGhHxDP]`, `y/[A-Za-z0-9 _.,-]+/[A-Za-z0-9 _.,-]+/`}
	for _, d := range []string{"/", "|", ",", "#", ":", "@", "!"} {
		q := regexp.QuoteMeta(d)
		commands = append(commands, `s`+q+sedPart(d)+q+sedPart(d)+q+`[gpIi0-9]*`)
	}
	command := `(?:` + address + `(?:,(?:` + address + `|\+` + number + `))?)? *!? *(?:` + strings.Join(commands, "|") + `) *`
	return regexp.MustCompile(`^ *` + command + `(?:[;\n] *` + command + `)*;?$`)
})

// sedPart matches a regular expression or a replacement between delimiters.
func sedPart(delimiter string) string {
	without := func(chars string) string { return strings.Replace(chars, delimiter, "", 1) }
	plain := `[^\\\n\[\]` + delimiter + `]`
	escape := `\\[` + without(`|`) + `/.*^$+?(){}&nrtsSwWbBULulE0-9\[\]\\-]`
	bracket := `[A-Za-z0-9_ .;%+*=?"'<>()` + without(`:`) + without(`,`) + without(`#`) + without(`@`) + without(`!`) + `-]`
	if delimiter != ":" {
		bracket += `|\[:(?:alpha|digit|alnum|upper|lower|space|blank|punct|print|graph|cntrl|xdigit):\]`
	}
	return `(?:` + plain + `|` + escape + `|\[\^?(?:` + bracket + `)+\])*`
}

// sedSwallowed matches a character outside ASCII before one that is syntax in a
// script. In some encodings the two are one character.
var sedSwallowed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\x00-\x7f][\\|@\[\]^]`) })

func sedScript(script string) string {
	if len(script) > 4096 || !sedPlain().MatchString(script) || sedSwallowed().MatchString(script) {
		return "a sed script can write files and run programs; this one is not plain enough to rule that out"
	}
	return ""
}

// awkProgram refuses a program that contains what writing files, reading other
// files and running programs need, even within a string.
func awkProgram(program string) string {
	lower := strings.ToLower(program)
	for _, part := range []string{"|", "<", ">", "@", "\\\n", "\\\r", "system", "getline", "\x00"} {
		if strings.Contains(lower, part) {
			return "an awk program with " + strings.TrimSpace(part) + " in it can write files or run programs"
		}
	}
	return ""
}
