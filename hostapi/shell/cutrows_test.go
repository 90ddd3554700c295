//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestTheFilesOfAResultAreWrittenOnce: each wait for a result that cannot carry all of the
// output names the same ones.
func TestTheFilesOfAResultAreWrittenOnce(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.SpillDir = t.TempDir()
	b := inBackground(t, tool, 1024, map[string]any{"command": `head -c 1024 /dev/zero | tr '\0' '\377'; head -c 200 /dev/zero | tr '\0' '\376' >&2`})
	results := make([]hostapi.Result, 20)
	var waits sync.WaitGroup
	for i := range results {
		waits.Go(func() {
			result, err := b.operate(t.Context(), hostapi.OperationWait, nil)
			if err != nil {
				t.Error(err)
			}
			results[i] = result
		})
	}
	waits.Wait()
	first := results[0]
	for _, result := range results {
		if !result.Truncated || result.Spill == "" || result.Spill != first.Spill || string(result.Data) != string(first.Data) || string(result.Metadata) != string(first.Metadata) || result.Output != first.Output {
			t.Errorf("%+v\nis not\n%+v", result, first)
		}
	}
	files, err := filepath.Glob(filepath.Join(tool.SpillDir, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("there are %d files for two streams: %q, %v", len(files), files, err)
	}
	if info, err := os.Stat(first.Spill); err != nil || info.Size() != 1024 {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestRowsOfCommandsInTheBackground say how much the command wrote, and whether a result has
// all of it, also before somebody waits.
func TestRowsOfCommandsInTheBackground(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		bytes int64
		cut   bool
	}{
		"true":                                   {0, false},
		"echo a":                                 {2, false},
		`head -c 700 /dev/zero | tr '\0' a`:      {700, false},
		`head -c 1001 /dev/zero | tr '\0' a`:     {1001, true},
		`head -c 700 /dev/zero | tr '\0' '\377'`: {700, false},
		`head -c 900 /dev/zero | tr '\0' '\377'`: {900, true},
		`head -c 600 /dev/zero | tr '\0' a; head -c 600 /dev/zero | tr '\0' b >&2`:       {1200, true},
		`head -c 600 /dev/zero | tr '\0' a; head -c 400 /dev/zero | tr '\0' '\377' >&2`:  {1000, true},
		`head -c 1000 /dev/zero | tr '\0' a; head -c 1000 /dev/zero | tr '\0' a; exit 3`: {2000, true},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			b := inBackground(t, newTool(t), 1000, map[string]any{"command": line})
			result, err := b.operate(t.Context(), hostapi.OperationWait, nil)
			if err != nil {
				t.Fatal(err)
			}
			if row := b.gate.Records()[0]; row.OutputBytes != want.bytes || row.Truncated != want.cut || result.Truncated != want.cut {
				t.Errorf("%d bytes and truncated %t on the row, truncated %t in the result; want %+v", row.OutputBytes, row.Truncated, result.Truncated, want)
			}
		})
	}
}
