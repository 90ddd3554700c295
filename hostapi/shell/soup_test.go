package shell_test

import (
	"math/rand/v2"
	"strings"
)

// soup makes lines that begin with an allowed command and go on as they like:
// about half of them are near to what is granted, with one piece that is not;
// the others are fragments in random order.
type soup struct{ *rand.Rand }

// soupCommands are allowed; all but the first record that they ran. no fails.
var soupCommands = []string{":", "rec", "no"}

// fragments are what lines are made of beside allowed commands: the operators of
// both shells, quotes, comments, continuations, here-documents, reserved words,
// substitutions, escapes, blanks. touch is not allowed, and records that it ran.
var fragments = []string{
	"touch P", ";touch P", "\ntouch P", "|touch P", "&touch P", "&&touch P", "touch\tP;", "$(touch P)", "`touch P`", "\"$(touch P)\"", "\"`touch P`\"",
	"<(touch P)", ">(touch P)", "{ touch P; }", "(touch P)", "touch P #", "touch P\n", "'touch P'", "\\touch P", "touch\\\n P", "tou\\\nch P", "touch P)", "touch P;}", "touch P fi", "touch P done",
	">P", ">>P", "> P", "1>P", "2>P", ">|P", "<>P", "&>P", ">&P", "&>>P", "<P", "<&P", "3>P", "{x}>P", ">/dev/null", "2>/dev/null", "</dev/null", ">>/dev/null", "2>&1", ">&2", "1>&2", "<&0", ">&-", "2>&-", "<&-", "0<&0", "9>&1", "12>/dev/null",
	"&>/dev/null", "&>>/dev/null", ">&/dev/null", ">|/dev/null", "<>/dev/null", "2>&1-", ">& 1", "> /dev/null", "2 >/dev/null", "2\\\n>&1", ">\\\n/dev/null", ">&\\\n2", "</dev/null/../null",
	";", ";;", ";&", ";;&", "&", "&&", "|", "||", "|&", "&|", "&!", "!", "! ", " !", "!!", "\n", "\n\n", ";\n", "&\n", "&&\n", "|\n", "||\n", "&& ", " || ", " | ", " ; ", " & ",
	"(", ")", "((", "))", "{", "}", "{ ", " }", "; }", "()", "( )", "[", "]", "[[", "]]", "[ x ]", "[[ x ]]", "((1))", "$((1))", "$[1]", "{a,b}", "{1..3}", "{}", "{x", "x}",
	"if", "then", "else", "elif", "fi", "if ", "; then ", "; fi", "while no", "; do ", "; done", "until rec", "do", "done", "for", "for i in a b", "in", "case", "case x in x)", "esac", ";; esac", "select", "function", "time", "coproc", "time ", "coproc ",
	"if rec; then ", "if no; then ", " else ", "while no; do ", "until rec; do ", "for x in a; do ", "function f {", "f() {", "rec() {", "rec ()", "alias rec=touch", "eval touch P", "exec touch P", ". P", "command touch P", "set -x", "trap touch EXIT", "export A=b", "local A", "declare A=b", "readonly",
	"'", "\"", "'x'", "\"x\"", "''", "\"\"", "'\n'", "\"\n\"", "'#'", "\"#\"", "'\\'", "\"\\\\\"", "\"\\\"\"", "'\"'", "\"'\"", "$'x'", "$'\\n'", "$'\\''", "$\"x\"", "'\\\n'", "\"\\\n\"", "\"a\\\nb\"", "'a'\"b\"", "\"!\"", "\"\\a\"", "\"$\"", "\"a$\"",
	"\\", "\\\\", "\\\n", " \\\n", " \\\n ", "\\\n\\\n", "\\ ", "\\'", "\\\"", "\\#", "\\;", "\\&", "\\|", "\\$x", "\\`", "\\a", "\\\t", "\\(", "\\<", "\\!", "\\é",
	"#", " #", " # x", "# x\n", " #\\\n", " # x\\\n", "#\\\n", ";#\\\n", "x#y", "'x'#y", "\"x\"#y", "\\\n#", "\\\n#x\n", "#'\n", "#\"\n", "#`", "# $(", " # <<E\n", "#!/bin/sh\n", "&#\n", "|#\n", "(#\n", "&& # x\n", ";# x\n",
	"<<E", "<<E\n", "<<E\nx\nE\n", "<<'E'\nx\nE\n", "<<-E\n\tx\n\tE\n", "<<\"E\"\nE\n", "<<\\E\nE\n", "<<E\\\n\nE\n", "E\n", "\nE\n", "<<<x", "<<< 'x'", "<<<$(touch P)", "<<", "<<-",
	"$x", "${x}", "${x:-touch}", "$(", "`", "$", "$$", "$?", "$!", "$#", "$@", "$*", "$1", "$(rec x)", "`rec x`", "${", "$(<P)", "${x;}", "$( (rec) )", "$'", "$(:)", "$(#\n)",
	"~", "~/x", "a=~", "a=b", "a=b ", "A=B rec", "PATH=", "a+=b", "a[0]=1", "a=(x)", "=", "=x", "x=", "'a'=b", "a'='b", "*", "?", "[a]", "[!a]", "a*", "@(a|b)", "!(a)", "+(a)", "?(a)", "*(a)", "!(",
	" ", "\t", "  ", " \t ", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\r", "\r\n", "\v", "\f", "\x01", "\x7f", "\x1b", "\u0085", "\b",
	"é", "日本", "ぁ", "È", "😀", "ÿ", "\u0301", "x", "1", "2", "-", "--", "-n", "-e", "-c", "+x", "a b", "a:b", "%1", "^", "^x", ",", ".", "/", "@", "x@{0}", "HEAD~1", "HEAD^",
}

// words are what is near to being granted.
var soupWords = []string{
	"a", "bc", "-n", "--x=y", "'a b'", "\"a b\"", "a\\ b", "'it'\\''s'", "\"it's\"", "\"\\\"\"", "''", "'\n'", "é", "'日本'", "ぁ", "È", "\"a\\\nb\"", "a\\\nb", "'a\\\nb'", "x#y", "'#'", "\\#", "{}", "@{0}", "a=b", "'*'", "\\*", "'$x'", "\\$x", "'`'",
	"if", "then", "!", "fi", "done", "]", "a:b", "%x", "^", "\\\\", "'\\'", "\"\\\\\"", "\"a\\b\"", "\"$\"", "';'", "\\;", "'&'", "'|'", "-", "--", "+x", ",", "HEAD~1", "\\\n a", "\\\na", "'!'", "\\!", "\"#\"", "'x'#y", "\"\"#", "\\é", "=", "x=",
}

func (s soup) pick(from []string) string { return from[s.IntN(len(from))] }

// line is one line.
func (s soup) line() string {
	switch s.IntN(8) {
	case 0: // fragments alone
		return s.pick(soupCommands) + " " + s.fragments(1+s.IntN(6))
	case 1, 2: // with a fragment somewhere, which may be in the middle of anything
		line := s.list(2)
		at := s.IntN(len(line) + 1)
		return line[:at] + s.pick(fragments) + line[at:]
	case 3: // with one between words
		words := strings.SplitAfter(s.list(2), " ")
		at := s.IntN(len(words) + 1)
		return strings.Join(words[:at], "") + s.pick(fragments) + s.pick([]string{"", " "}) + strings.Join(words[at:], "")
	}
	return s.list(2)
}

func (s soup) fragments(n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(s.pick(fragments))
		if s.IntN(2) == 0 {
			out.WriteByte(' ')
		}
		if s.IntN(6) == 0 {
			out.WriteString(s.pick(soupCommands) + " ")
		}
	}
	return out.String()
}

func (s soup) list(depth int) string {
	var out strings.Builder
	for i := range 1 + s.IntN(3) {
		if i > 0 {
			out.WriteString(s.pick([]string{"; ", ";", "\n", " && ", "&&", "||", " || ", " | ", "|", " &\n", " & ", "&", " && \n", "|\n", "\n\n", " # x\n", " # it's\n", ";# \"\n", " && # $(x\n", " \\\n&& ", " &\\\n& ", " |\\\n ", ";\\\n"}))
		}
		out.WriteString(s.part(depth))
	}
	out.WriteString(s.pick([]string{"", "", "", "", ";", "\n", " &", " # x", " #", "\n# x", " ", " \\\n"}))
	return out.String()
}

func (s soup) part(depth int) string {
	switch n := s.IntN(12); {
	case depth == 0 || n < 8:
		return s.pick([]string{"", "", "", "", "", "", "! "}) + s.command()
	case n == 8:
		return "(" + s.pick([]string{"", " ", "\n"}) + s.list(depth-1) + "\n)" + s.redirects()
	case n == 9:
		return "{ " + s.list(depth-1) + "\n}" + s.redirects()
	case n == 10:
		return "if " + s.list(depth-1) + "\nthen " + s.list(depth-1) + s.pick([]string{"", "\nelse " + s.command(), "\nelif " + s.command() + "; then " + s.command()}) + "\nfi" + s.redirects()
	}
	return s.pick([]string{"while no x", "until rec y"}) + "; do " + s.list(depth-1) + "\ndone" + s.redirects()
}

func (s soup) command() string {
	var out strings.Builder
	out.WriteString(s.pick([]string{":", "rec", "rec", "rec", "no", "no", "'rec'", "\\rec", "r\"e\"c", "re\\\nc"}))
	for range s.IntN(4) {
		out.WriteString(s.pick([]string{" ", " ", "  ", "\t", " \\\n"}))
		out.WriteString(s.pick(soupWords))
	}
	out.WriteString(s.redirects())
	return out.String()
}

func (s soup) redirects() string {
	if s.IntN(4) > 0 {
		return ""
	}
	return " " + s.pick([]string{"2>&1", ">/dev/null", "> /dev/null", "2>/dev/null", "</dev/null", ">&2", "2>&-", ">>/dev/null", "<&0", ">/dev/null 2>&1", "2>'/dev/null'", "2>\\\n/dev/null", ">&\\\n2"})
}
