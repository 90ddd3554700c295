package shell

import (
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// readers are programs that only read, whatever their options are.
const readers = "basename cat cmp comm cut dirname du egrep fgrep grep head ls nl od pwd readlink realpath stat tac tail tr wc"

// PatternEffect implements [hostapi.Narrower]: a pattern for a command that only reads
// allows no more than that. A program with a path can be a file of the workspace, and an
// option that the rule spells out can write: it is allowed because it is spelled out.
func (t *Tool) PatternEffect(pattern string) hostapi.Effect {
	words := strings.Fields(pattern)
	if len(words) == 0 || strings.ContainsAny(pattern, "<>|&;()$`\\\"'\n") {
		return hostapi.EffectExec
	}
	_, git := programs.ReadingGit(words)
	if strings.Contains(words[0], "/") || !git && !slices.Contains(strings.Fields(readers), words[0]) {
		return hostapi.EffectExec
	}
	for i, why := range programs.Guard(words) {
		if why != "" && strings.HasPrefix(words[i], "-") {
			return hostapi.EffectExec
		}
	}
	return hostapi.EffectRead
}
