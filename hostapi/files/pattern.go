package files

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// CheckPattern implements [hostapi.Scoper]. It refuses patterns that match nothing, or
// less than they seem to: a rule that denies must not be silent about that.
func (t *tool) CheckPattern(pattern string) error {
	switch {
	case !doublestar.ValidatePattern(pattern):
		return fmt.Errorf("%q is not a path pattern; write one such as src/** or docs/*.md", pattern)
	case strings.HasPrefix(pattern, "/"), strings.Contains("/"+pattern+"/", "/../"):
		return fmt.Errorf("%q must be relative to the workspace, such as src/**", pattern)
	case !fewAlternatives(pattern, maxWrittenRule):
		return errors.New("the alternatives in {} multiply too much; write several rules in its place")
	}
	if err := matchesNothing(pattern); err != nil {
		return err
	}
	if t.def.folder && !coversFolders(pattern) {
		return fmt.Errorf("%q would never match: %s reads all that is below a folder; end it in /**, or name a file", pattern, t.def.name)
	}
	return nil
}

// matchesNothing is why a pattern does not match the paths that its author means: they
// have no empty part and no ".", and nothing but a * in them stands for something else.
func matchesNothing(pattern string) error {
	never := func(why string, args ...any) error {
		return fmt.Errorf("%q would never match: %s", pattern, fmt.Sprintf(why, args...))
	}
	clean := path.Clean(pattern)
	first, _, _ := strings.Cut(pattern, "/")
	switch quote := strings.Trim(pattern, `"'`); {
	case first == "~", first == "$HOME", first == "$PWD", first == "${HOME}", first == "${PWD}":
		return never("nothing stands for %s in it; write the path as it is from the workspace", first)
	case strings.HasPrefix(pattern, "!"):
		return never("a ! at its beginning takes nothing out; write a rule for what it is about")
	case len(quote) == len(pattern)-2 && pattern[0] == pattern[len(pattern)-1]:
		return never("the quotes are part of it; write %s", quote)
	case strings.HasSuffix(pattern, "/") && path.Base(clean) == "**":
		return never("no path ends in /; write %s", clean)
	case strings.HasSuffix(pattern, "/"):
		return never("no path ends in /; write %s/** for what is in the folder, or %[1]s for itself", clean)
	case clean != pattern:
		return never("write %s", clean)
	}
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			if i++; !strings.ContainsRune(`*?[]{}\,!^-`, rune(pattern[i])) {
				return never(`a \ only takes the meaning of *, ?, [, { and the like; folders are separated by /`)
			}
		}
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.Contains(part, "**") && part != "**" && !strings.ContainsAny(part, `{}[]\,`) {
			before, after, _ := strings.Cut(part, "**")
			meant := strings.Trim(before+"/**/*"+after, "/")
			if after == "" {
				meant = before + "*/**"
			}
			return fmt.Errorf("%q matches less than it seems to: ** stands for folders only alone between slashes; write %s", pattern, strings.Replace(pattern, part, meant, 1))
		}
	}
	return nil
}
