package protect

import "strings"

// Commands of several processes may run in one workspace, and each guard knows only its
// own. Then a file that exists when its first command begins may be one that others made,
// and remove when theirs end. It is protected like any other, but once it is
// replaced it counts as new.

// learned is a candidate as known from before.
func (g *Guard) learned(c candidate) candidate {
	if g.others {
		c.shared = true
		if c.git == gitPart {
			c.text = harmlessPart(c.text)
		}
	}
	return c
}

// harmlessPart is the part of a configuration that names no program.
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
