package protect

import "strings"

// Commands of several processes may run in one workspace, and the guard of each knows its
// own. Then what is there when the first of its commands begins may be what others have
// made, who take it away when theirs end. It is kept as anything else, but once it was
// replaced it is not known any more.

// learned is something as it was before, as far as that is known.
func (g *Guard) learned(c candidate) candidate {
	if g.others {
		c.shared = true
		if c.git == gitPart {
			c.text = harmlessPart(c.text)
		}
	}
	return c
}

// harmlessPart is what of a configuration names no program.
func harmlessPart(text string) string {
	var part strings.Builder
	section := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			section = line
		}
		if harmlessConfig(section + line) {
			part.WriteString(line)
		}
	}
	if !harmlessConfig(part.String()) {
		return ""
	}
	return part.String()
}
