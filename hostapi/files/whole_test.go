package files_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// TestReadGoesOnWhereItsRangeEnds: a loop over the ranges gets every byte, whatever fits into
// one result.
func TestReadGoesOnWhereItsRangeEnds(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&content, "line %d of é\n", i)
	}
	p := workspace(t, map[string]string{"big.txt": content.String()})
	for _, part := range []hostapi.Part{hostapi.PartAll, hostapi.PartText, hostapi.PartOutput} {
		for _, args := range []map[string]any{{"path": "big.txt"}, {"path": "big.txt", "limit": 150_000}} {
			var read strings.Builder
			lines, pages := 0, 0
			for more := true; more; pages++ {
				args["offset"] = lines
				raw, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				result, err := p.gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "read", Args: raw, Part: part})
				if err != nil {
					t.Fatal(err)
				}
				var about struct {
					Range struct {
						Returned int `json:"returned_lines"`
						More     bool
					}
				}
				if err := json.Unmarshal(result.Metadata, &about); err != nil || about.Range.Returned == 0 || pages > 20 {
					t.Fatalf("page %d: %s, %v", pages, result.Metadata, err)
				}
				if wanted, ok := args["limit"].(int); result.Truncated != (about.Range.More && (!ok || about.Range.Returned < wanted)) {
					t.Errorf("page %d: truncated %t, %s", pages, result.Truncated, result.Metadata)
				}
				text := result.Text
				if part == hostapi.PartOutput {
					text = &result.Output
				}
				if n := strings.Count(strings.TrimSuffix(*text, "\n")+"\n", "\n"); n != about.Range.Returned {
					t.Fatalf("page %d: %d lines, and it says %s", pages, n, result.Metadata)
				}
				for line := range strings.Lines(*text) {
					if _, after, ok := strings.Cut(line, "\t"); ok {
						line = after
					}
					read.WriteString(strings.TrimSuffix(line, "\n") + "\n")
				}
				lines, more = lines+about.Range.Returned, about.Range.More
			}
			if pages < 2 || lines != 200_000 || read.String() != content.String() {
				t.Errorf("%v, part %v: %d pages, %d lines, %d bytes of %d", args, part, pages, lines, read.Len(), content.Len())
			}
		}
	}
}

// TestGrepGivesWholeLines, however long they are, also those around; what does not fit is said.
func TestGrepGivesWholeLines(t *testing.T) {
	t.Parallel()
	long := `{"agent": "` + strings.Repeat("é", 3000) + `", "user": "u1", "status": 500}`
	p := workspace(t, map[string]string{"ev.jsonl": "before\n" + long + "\n" + strings.Repeat("x", 2000) + "\n", "huge": strings.Repeat("y", 9<<20) + "END\n"})
	result := p.call(t, "grep", map[string]any{"pattern": `"status": 500`, "context": 1})
	var hits []struct {
		Text          string
		Before, After []string
	}
	if err := json.Unmarshal(result.Data, &hits); err != nil || len(hits) != 1 || hits[0].Text != long || hits[0].After[0] != strings.Repeat("x", 2000) {
		t.Errorf("%.300s, %v", result.Data, err)
	}
	if !strings.Contains(result.Output, "ev.jsonl:2:"+long+"\n") || result.Truncated {
		t.Errorf("%.200q, truncated %t", result.Output, result.Truncated)
	}
	if result = p.call(t, "grep", map[string]any{"pattern": "END$"}); !result.Truncated {
		t.Errorf("%d bytes of a line of 9 MiB, and nothing says that there is more", len(result.Data))
	}
}

// TestListsSayWhatCutThem: the number of entries, if it was that.
func TestListsSayWhatCutThem(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a": strings.Repeat("a\n", 60_000)})
	p.gate = hosttest.Gate(t, hostapi.Quota{}, p.tools["grep"])
	result := p.call(t, "grep", map[string]any{"pattern": "a"})
	if n := strings.Count(string(result.Data), `"line"`); n != 50_000 || !result.Truncated || !strings.Contains(result.Cut, "at most 50000 entries") {
		t.Errorf("%d entries, truncated %t, cut: %q", n, result.Truncated, result.Cut)
	}
	if row := p.gate.Records()[0]; row.Cut != result.Cut {
		t.Errorf("the row says %q", row.Cut)
	}
	for _, args := range []map[string]any{{"pattern": "a", "limit": 40_000}, {"pattern": "nothing"}} {
		if result = p.call(t, "grep", args); result.Truncated || result.Cut != "" {
			t.Errorf("%v: truncated %t, cut: %q", args, result.Truncated, result.Cut)
		}
	}
}
