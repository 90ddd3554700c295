package programs_test

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// TestShortOptionsAreAsTheLongOnes asks programs for what their short options
// mean: where the long one must be spelled out, the short one must be too, and
// the other way round. Of a row for several programs or commands this holds for
// each.
func TestShortOptionsAreAsTheLongOnes(t *testing.T) {
	t.Parallel()
	pair := regexp.MustCompile(`(?m)^\s+(-[A-Za-z0-9])(?:, |\[?[A-Z=]*\]?, | )(--(?:\[no-\])?[a-z][a-z-]+)`)
	negated := regexp.MustCompile(`^--\[no-\]`)
	pairs := 0
	for _, row := range programs.Table() {
		var spelled []string
		for _, s := range row.Spelled {
			spelled = append(spelled, s.Options...)
		}
		if len(row.Options)+len(spelled) == 0 {
			continue
		}
		lines := [][]string{}
		for _, name := range row.Programs {
			for _, command := range row.Commands {
				lines = append(lines, []string{name, command, "-h"})
			}
			if len(row.Commands) == 0 {
				lines = append(lines, []string{name, "--help"})
			}
		}
		for _, line := range lines {
			path, err := exec.LookPath(line[0])
			if err != nil || len(row.Commands) > 0 && line[0] != "git" {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			cmd := exec.CommandContext(ctx, path, line[1:]...)
			cmd.Dir = t.TempDir()
			help, _ := cmd.CombinedOutput() // git ends with 129
			cancel()
			for _, m := range pair.FindAllStringSubmatch(string(help), -1) {
				pairs++
				short, long := m[1], negated.ReplaceAllString(m[2], "--")
				coveredShort, coveredLong := slices.Contains(row.Options, short), slices.Contains(row.Options, long)
				if coveredShort && slices.Contains(spelled, long) {
					t.Errorf("%s: %s is %s, which must be spelled out", line, short, long)
				}
				if slices.Contains(spelled, short) && coveredLong {
					t.Errorf("%s: %s is %s, which is covered", line, short, long)
				}
			}
		}
	}
	if pairs < 100 {
		t.Logf("the programs that are installed told of %d pairs of options only", pairs)
	}
}
