package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// readers are programs that only read, whatever their options are.
const readers = "basename cat cmp comm cut dirname du egrep fgrep grep head ls nl od pwd readlink realpath stat tac tail tr wc"

// PatternEffect implements [hostapi.Narrower]: a pattern for a command that only reads
// allows no more than that.
func (t *Tool) PatternEffect(pattern string) hostapi.Effect {
	words := strings.Fields(pattern)
	if len(words) == 0 {
		return hostapi.EffectExec
	}
	_, git := programs.ReadingGit(words)
	if git || slices.Contains(strings.Fields(readers), path.Base(words[0])) {
		return hostapi.EffectRead
	}
	return hostapi.EffectExec
}
