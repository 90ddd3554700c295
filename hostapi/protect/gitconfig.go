package protect

import "strings"

// setting is one setting of a git configuration. The section and the name are in lower case;
// sub is the quoted text beside the section.
type setting struct{ section, sub, name, value string }

// asGit is a setting as git reads it, for which a text ends at a NUL. In a quoted section with
// a NUL, the end of that section is the name.
func (s setting) asGit() setting {
	s.value = untilNUL(s.value)
	if strings.Contains(s.sub, nul) {
		key := untilNUL(s.sub)
		i := strings.LastIndexByte(key, '.')
		s.sub, s.name = key[:max(i, 0)], strings.ToLower(key[i+1:])
	}
	return s
}

// lines is a setting as git writes it.
func (s setting) lines() (header, line string) {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	header = "[" + s.section + "]\n"
	if s.sub != "" {
		header = "[" + s.section + ` "` + quoted.Replace(s.sub) + "\"]\n"
	}
	return header, "\t" + s.name + ` = "` + strings.NewReplacer("\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(quoted.Replace(s.value)) + "\"\n"
}

const nul = "\x00"

func untilNUL(text string) string {
	text, _, _ = strings.Cut(text, nul)
	return text
}

// settingsOf reads a configuration by git's own grammar. It stops where git would fail: git
// does not use the rest either.
func settingsOf(text string) []setting {
	all, _ := readSettings(text)
	return all
}

// readSettings is settingsOf, and reports whether git reads the text to its end.
func readSettings(text string) (all []setting, whole bool) {
	r := configText{text: strings.TrimPrefix(text, "\ufeff")}
	section, sub := "", ""
	for !r.ended {
		switch c := r.next(); {
		case c == '\n' || isBlank(c):
		case c == '#' || c == ';':
			for c != '\n' {
				c = r.next()
			}
		case c == '[':
			var ok bool
			if section, sub, ok = r.header(); !ok {
				return all, false
			}
		case !isLetter(c):
			return all, false
		default:
			name, value, ok := r.setting(c)
			if !ok {
				return all, false
			}
			all = append(all, setting{section, sub, name, value}.asGit())
		}
	}
	return all, !strings.Contains(text, nul)
}

// configText is the rest of a configuration. It ends in a newline.
type configText struct {
	text  string
	ended bool
}

func (r *configText) next() byte {
	if r.text == "" {
		r.ended = true
		return '\n'
	}
	if strings.HasPrefix(r.text, "\r\n") {
		r.text = r.text[1:]
	}
	c := r.text[0]
	r.text = r.text[1:]
	return c
}

// header reads the text in brackets.
func (r *configText) header() (section, sub string, ok bool) {
	var name strings.Builder
	for {
		switch c := r.next(); {
		case c == ']':
			section, sub, _ = strings.Cut(name.String(), ".")
			return section, sub, true
		case isBlank(c):
			sub, ok = r.subsection(c)
			return name.String(), sub, ok
		case isNamed(c) || c == '.':
			name.WriteByte(lower(c))
		default:
			return "", "", false
		}
	}
}

func (r *configText) subsection(c byte) (sub string, ok bool) {
	for isBlank(c) {
		c = r.next()
	}
	if c != '"' {
		return "", false
	}
	var text strings.Builder
	for {
		switch c = r.next(); c {
		case '\n':
			return "", false
		case '"':
			return text.String(), r.next() == ']'
		case '\\':
			if c = r.next(); c == '\n' {
				return "", false
			}
		}
		text.WriteByte(c)
	}
}

// setting reads a name, whose first letter was read already, and its value.
func (r *configText) setting(c byte) (name, value string, ok bool) {
	var text strings.Builder
	for ; isNamed(c); c = r.next() {
		text.WriteByte(lower(c))
	}
	for c == ' ' || c == '\t' {
		c = r.next()
	}
	if c == '=' {
		value, ok = r.value()
		return text.String(), value, ok
	}
	return text.String(), "", c == '\n'
}

func (r *configText) value() (value string, ok bool) {
	var text strings.Builder
	quoted, comment, end := false, false, 0
	for {
		c := r.next()
		switch {
		case c == '\n':
			return text.String()[:end], !quoted
		case comment:
			continue
		case isBlank(c) && !quoted:
			if text.Len() > 0 {
				text.WriteByte(c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			comment = true
			continue
		case c == '"':
			quoted = !quoted
			end = text.Len()
			continue
		case c == '\\':
			switch c = r.next(); c {
			case '\n':
				continue
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case '\\', '"':
			default:
				return "", false
			}
		}
		text.WriteByte(c)
		end = text.Len()
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func isLetter(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }

func isNamed(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
