package protect

import (
	"regexp"
	"strings"
	"sync"
)

// An unfinished rebase or pick keeps options that git passes on. Some of those that
// git's own programs know write any file: apply has
// --build-fake-ancestor, and git merge-resolve passes its options to read-tree,
// which has --index-output. So only options stay that are known to write nothing else.

var optionForms = sync.OnceValue(func() (forms struct{ apply, merge *regexp.Regexp }) {
	forms.apply = regexp.MustCompile(`^(?: *'(?:--whitespace=[a-z-]+|--reject|--ignore-whitespace|--ignore-space-change|-[pC][0-9]+|--(?:ex|in)clude=[^'\\!]*)'(?: |$))*$`)
	forms.merge = regexp.MustCompile(`^(?:--)?(?:ours|theirs|patience|histogram|minimal|renormalize|no-renormalize|no-renames|ignore-space-change|ignore-all-space|ignore-space-at-eol|ignore-cr-at-eol|` +
		`(?:subtree|diff-algorithm|find-renames|rename-threshold)(?:=[A-Za-z0-9%._/-]*)?)$`)
	return forms
})

// harmlessApply reports whether all options for git apply, quoted as git keeps them, are known
// ones.
func harmlessApply(text string) bool {
	return optionForms().apply.MatchString(strings.TrimSpace(text))
}

// harmlessMerge reports whether all options for a strategy are known ones.
func harmlessMerge(text string) bool {
	for option := range strings.FieldsSeq(text) {
		if bare, ok := strings.CutPrefix(option, `"`); ok { // as later versions of git keep them
			if option, ok = strings.CutSuffix(bare, `"`); !ok {
				return false
			}
		}
		if !optionForms().merge.MatchString(option) {
			return false
		}
	}
	return true
}

// harmlessOption reports whether a setting of a pick runs nothing and writes nothing else.
func harmlessOption(s setting) bool {
	switch s.name {
	case "strategy":
		return hasWord(harmlessStrategies, s.value)
	case "strategy-option":
		return harmlessMerge(s.value)
	}
	return hasWord(harmlessOptions, s.name)
}
