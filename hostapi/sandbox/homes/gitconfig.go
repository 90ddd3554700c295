package homes

import "strings"

// readGitConfig reads a git configuration: the last value of each section.name in lower
// case. It skips subsections, and all that follows a mistake.
func readGitConfig(text string) map[string]string {
	values := map[string]string{}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	section := ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\n\v\f\r")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			head, rest, ok := strings.Cut(text[1:], "]")
			if !ok {
				return values
			}
			if strings.ContainsAny(head, " \t\".") { // a subsection; its name may hold anything
				section = ""
				if rest, ok = afterSubsection(text[1:]); !ok {
					return values
				}
			} else {
				section = strings.ToLower(head)
			}
			text = rest
		default:
			end := strings.IndexFunc(text, func(c rune) bool {
				return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
			})
			if end < 0 {
				end = len(text)
			}
			if end == 0 {
				return values
			}
			name := strings.ToLower(text[:end])
			text = strings.TrimLeft(text[end:], " \t")
			if !strings.HasPrefix(text, "=") { // a name alone is true
				_, text, _ = strings.Cut(text, "\n")
				continue
			}
			value, rest, ok := readGitValue(text[1:])
			if !ok {
				return values
			}
			if section != "" {
				values[section+"."+name] = value
			}
			text = rest
		}
	}
	return values
}

// afterSubsection is the text after a head such as section "sub]section"].
func afterSubsection(text string) (rest string, ok bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return "", false
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return text[i+1:], true
		}
	}
	return "", false
}

// readGitValue reads a value with quotes, escapes, comments and continued lines. Blanks
// around it count only if they are quoted.
func readGitValue(text string) (value, rest string, ok bool) {
	var b strings.Builder
	quoted, blanks := false, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String(), text[i+1:], !quoted
		case !quoted && (c == ' ' || c == '\t'):
			if b.Len() > 0 {
				blanks++
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String(), rest, true
		case c == '"':
			quoted = !quoted
			b.WriteString(strings.Repeat(" ", blanks))
			blanks = 0
			continue
		case c == '\\':
			i++
			if i == len(text) {
				return "", "", false
			}
			at := strings.IndexByte("\n\\\"ntb", text[i])
			if at < 0 {
				return "", "", false
			}
			if at == 0 {
				continue // the line goes on
			}
			c = "\n\\\"\n\t\b"[at]
		}
		b.WriteString(strings.Repeat(" ", blanks))
		blanks = 0
		b.WriteByte(c)
	}
	return b.String(), "", !quoted
}
