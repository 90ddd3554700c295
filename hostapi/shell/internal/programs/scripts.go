package programs

import (
	"regexp"
	"strings"
	"sync"
)

// sedPlain is a script of commands that neither write nor run, in which all
// versions of sed see the same commands. They differ in what a bracket holds,
// in which parts of a command there are brackets, and in what an escape makes.
// So a bracket is one that ends at the same place for each of them and has no
// delimiter in it, and escapes are those that regular expressions and
// replacements have. There are no braces, labels and texts.
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

// sedPart is a regular expression, or what replaces it, between delimiters.
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

// sedSwallowed is a character beyond ASCII before one that a script is made of.
// In some encodings the two are one character.
var sedSwallowed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\x00-\x7f][\\|@\[\]^]`) })

func sedScript(script string) string {
	if len(script) > 4096 || !sedPlain().MatchString(script) || sedSwallowed().MatchString(script) {
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
