package files_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestDeepFoldersAreTold: what lies too deep for a walk is missing on no page without a word, and
// the last page says so wherever it lies.
func TestDeepFoldersAreTold(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 252)
	for place, above := range map[string]string{"first": "a/", "between": "b/", "last": "z/"} {
		p := workspace(t, map[string]string{above + deep + "far.txt": "x", "a.txt": "x", "b.txt": "x", "c.txt": "x"})
		for _, c := range []struct {
			tool string
			args map[string]any
			more bool // the caller asked for no number, and so for all
		}{
			{"glob", map[string]any{"pattern": "**/*.txt", "limit": 1}, false},
			{"glob", map[string]any{"pattern": "**/*.txt", "limit": 2, "sort": "size"}, false},
			{"glob", map[string]any{"pattern": "**/*.txt"}, true},
			{"grep", map[string]any{"pattern": "x", "limit": 1}, false},
			{"grep", map[string]any{"pattern": "x"}, true},
			{"search", map[string]any{"mode": "bm25", "query": "x", "limit": 3}, false},
		} {
			found := 0
			for {
				r := p.call(t, c.tool, c.args)
				var some []json.RawMessage
				var about struct {
					Next string
					More bool
				}
				if err := json.Unmarshal(r.Data, &some); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(r.Metadata, &about); err != nil {
					t.Fatal(err)
				}
				found += len(some)
				if about.Next != "" {
					c.args["cursor"] = about.Next
					continue
				}
				if !about.More || !r.Truncated || !strings.HasSuffix(r.Output, "… 1 folder lies more than 250 deep and is left out; name it as path …") {
					t.Errorf("%s, %s %v: %s %t: %s", place, c.tool, c.args, r.Metadata, r.Truncated, r.Output)
				}
				break
			}
			if found != 3 {
				t.Errorf("%s, %s %v: %d found", place, c.tool, c.args, found)
			}
		}
		if r := p.call(t, "grep", `{"pattern":"x","output_mode":"summary"}`); !r.Truncated {
			t.Errorf("%+v", r)
		}
		r := p.call(t, "glob", map[string]any{"pattern": "**", "path": above + strings.Repeat("d/", 200)})
		if r.Outcome != hostapi.OutcomeOK || r.Truncated || !strings.HasSuffix(r.Output, "far.txt") {
			t.Errorf("the folder itself: %+v", r)
		}
	}
}

// TestNothingFoundIsNoNewsToWhoSaysWhatIsIgnored: a caller that decides about ignored files gets no advice about them.
func TestNothingFoundIsNoNewsToWhoSaysWhatIsIgnored(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"node_modules/a.js": "x"})
	for args, want := range map[string]int{`{"pattern":"x"}`: 1, `{"pattern":"x","no_ignore":false}`: 0} {
		r := p.call(t, "grep", args)
		if len(r.Notes) != want || slices.Contains(r.Notes, "") || !strings.Contains(string(r.Metadata), `"ignored":1`) {
			t.Errorf("%s: %q, %s", args, r.Notes, r.Metadata)
		}
	}
}
