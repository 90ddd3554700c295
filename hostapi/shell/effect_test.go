package shell_test

import (
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// A client is told that a tool reads only if nothing that its rule allows can do more.
func TestRulesThatCanWriteAreNotToldAsReading(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]hostapi.Effect{
		"git log *": hostapi.EffectRead, "git log --oneline *": hostapi.EffectRead, "git -C sub log *": hostapi.EffectExec,
		"git diff --stat": hostapi.EffectRead, "git status": hostapi.EffectRead, "cat *": hostapi.EffectRead, "wc -l *": hostapi.EffectRead,
		"": hostapi.EffectExec, "*": hostapi.EffectExec, "git *": hostapi.EffectExec, "git commit *": hostapi.EffectExec,
		"./cat *": hostapi.EffectExec, "scripts/cat *": hostapi.EffectExec, "./git log *": hostapi.EffectExec, "bin/git-log *": hostapi.EffectExec,
		"git diff --output=victim": hostapi.EffectExec, "git show --output=victim *": hostapi.EffectExec, "git log --output *": hostapi.EffectExec,
		"git grep -Oless *": hostapi.EffectExec, "git log --ext-diff *": hostapi.EffectExec, "git diff --textconv *": hostapi.EffectExec,
		"git --git-dir=x log *": hostapi.EffectExec, "git log --o=v *": hostapi.EffectExec, "cat * > out": hostapi.EffectExec, "cat $(rm x)": hostapi.EffectExec,
		"X=1 cat *": hostapi.EffectExec, "c?t *": hostapi.EffectExec, "sort *": hostapi.EffectExec, "sort -o x": hostapi.EffectExec,
	} {
		if got := (&shell.Tool{}).PatternEffect(pattern); got != want {
			t.Errorf("bash(%s) is told as %v, want %v", pattern, got, want)
		}
	}
}
