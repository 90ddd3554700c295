package runtime_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// unlike are answers of Node that the modules here do not give: slashes at the end stay where a
// suffix is longer than the name.
var unlike = []string{"basename / b", "basename // b", "basename // .b", "basename a/b/ .b", "basename a/b/ a.b"}

// TestAnswersOfNode: what stands for Node's modules answers as Node does, and sorting asks a
// comparator the same questions and gives the same order, also if it contradicts itself.
func TestAnswersOfNode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nodemodules", "sorting"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile("testdata/" + name + ".mjs")
			if err != nil {
				t.Fatal(err)
			}
			recorded, err := os.ReadFile("testdata/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			report := newRunner(t, runtime.Options{}).Run(t.Context(), runtime.Request{
				Source: &runtime.Source{Name: name + ".mjs", Body: body, Import: func(string) ([]byte, error) { return nil, fs.ErrNotExist }},
				Limits: runtime.Limits{MaxOutputBytes: 1 << 20},
			})
			var got, want [][2]string
			if err := json.Unmarshal(recorded, &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(report.Value, &got); err != nil || report.Err() != nil || len(got) != len(want) || len(want) < 500 {
				t.Fatal(report.Err(), err, len(got), len(want))
			}
			for i, row := range want {
				if got[i] != row && !slices.Contains(unlike, row[0]) {
					t.Errorf("%s: %s, in Node %s", row[0], got[i][1], row[1])
				}
			}
		})
	}
}
