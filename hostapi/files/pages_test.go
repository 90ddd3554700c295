package files_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// TestPagesHoldWhatIsLongInJSON: control characters take six bytes of JSON each, so fewer lines
// fit, and the page says where the next begins.
func TestPagesHoldWhatIsLongInJSON(t *testing.T) {
	t.Parallel()
	const lines = 9000
	p := workspace(t, map[string]string{"ctl.txt": strings.Repeat(strings.Repeat("a\x01", 500)+"\n", lines)})
	p.gate = hosttest.Gate(t, hostapi.Quota{MaxResultBytes: 4 << 20}, p.tools["read"], p.tools["grep"])
	for _, part := range []hostapi.Part{hostapi.PartAll, hostapi.PartText, hostapi.PartOutput} {
		got := 0
		for page := 0; got < lines && page < 50; page++ {
			result := p.part(t, part, "read", map[string]any{"path": "ctl.txt", "offset": got})
			text := result.Output
			if part == hostapi.PartText {
				text = *result.Text
			}
			n := strings.Count(strings.TrimSuffix(text, "\n")+"\n", "\n")
			if about := rangeOf(t, result); about.Returned != n || about.More != (got+n < lines) || strings.Contains(text, "dropped here") {
				t.Fatalf("%q, page %d: %d lines, and it says %s", part, page, n, result.Metadata)
			}
			got += n
		}
		if got != lines {
			t.Errorf("%q: %d lines", part, got)
		}
	}
	got, cursor := 0, ""
	for page := 0; page == 0 || cursor != "" && page < 50; page++ {
		result := p.call(t, "grep", map[string]any{"pattern": "a", "cursor": cursor})
		var hits []struct{ Line int }
		var about struct{ Next string }
		if json.Unmarshal(result.Data, &hits) != nil || json.Unmarshal(result.Metadata, &about) != nil || strings.Contains(result.Output, "dropped here") {
			t.Fatalf("page %d: %s", page, result.Metadata)
		}
		got, cursor = got+len(hits), about.Next
	}
	if got != lines {
		t.Errorf("grep gives %d lines of %d", got, lines)
	}
}

// TestReadGivesWholeLinesOfLargeFiles: a line that no longer fits is on the next page.
func TestReadGivesWholeLinesOfLargeFiles(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("z", 99) + "\n"
	p := workspace(t, map[string]string{"a.txt": strings.Repeat(line, 180_000)})
	p.gate = hosttest.Gate(t, hostapi.Quota{MaxResultBytes: 64 << 20}, p.tools["read"])
	result := p.part(t, hostapi.PartText, "read", map[string]any{"path": "a.txt"})
	if about := rangeOf(t, result); *result.Text != strings.Repeat(line, about.Returned) || !about.More || !result.Truncated {
		t.Errorf("%d bytes, truncated %t, %s", len(*result.Text), result.Truncated, result.Metadata)
	}
	if !strings.Contains(result.Cut, "16777216 bytes") || result.CutWithin {
		t.Errorf("cut: %q, within %t", result.Cut, result.CutWithin)
	}
	p = workspace(t, map[string]string{"a.txt": strings.Repeat("\n", 600_000)})
	result = p.part(t, hostapi.PartText, "read", map[string]any{"path": "a.txt"})
	if !strings.Contains(result.Cut, "500000 lines") {
		t.Errorf("cut: %q", result.Cut)
	}
}

// TestEntriesThatAreCutThemselvesAreTold: no next page has the rest of them.
func TestEntriesThatAreCutThemselvesAreTold(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"one.txt": "a\n" + strings.Repeat("x", 2000) + "\nb\n", "huge.txt": strings.Repeat("y", 17<<20) + "\nz\n"})
	p.gate = hosttest.Gate(t, hostapi.Quota{MaxResultBytes: 1000}, p.tools["read"], p.tools["grep"])
	for _, c := range []struct {
		tool, args, cut string
		within          bool
	}{
		{"read", `{"path":"one.txt"}`, "", false},
		{"read", `{"path":"one.txt","offset":1}`, "line 2 alone is longer than a result holds (maxResultBytes=1000)", true},
		{"read", `{"path":"one.txt","offset":1,"limit":1}`, "line 2 alone is longer", true},
		{"read", `{"path":"one.txt","offset":2}`, "", false},
		{"read", `{"path":"huge.txt"}`, "line 1 alone is longer than the 16777216 bytes that read takes", true},
		{"grep", `{"pattern":"x","path":"one.txt"}`, "the first entry alone is longer than a result holds (maxResultBytes=1000)", true},
		{"grep", `{"pattern":"a|b","path":"one.txt"}`, "", false},
	} {
		result := p.call(t, c.tool, c.args)
		if !strings.Contains(result.Cut, c.cut) || c.cut == "" && result.Cut != "" || result.CutWithin != c.within || c.within && !result.Truncated {
			t.Errorf("%s %s: cut: %q, within %t, truncated %t", c.tool, c.args, result.Cut, result.CutWithin, result.Truncated)
		}
		if rows := p.gate.Records(); rows[len(rows)-1].CutWithin != c.within {
			t.Errorf("%s %s: the row says %t", c.tool, c.args, rows[len(rows)-1].CutWithin)
		}
	}
}

// TestListsSayThatTheirOwnBytesCutThem: they hold 4 MiB, however large a result may be.
func TestListsSayThatTheirOwnBytesCutThem(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": strings.Repeat(strings.Repeat("a", 499)+"\n", 12_000)})
	for most, cut := range map[int64]string{64 << 20: "a list has at most 4194304 bytes", 1 << 20: ""} {
		p.gate = hosttest.Gate(t, hostapi.Quota{MaxResultBytes: most}, p.tools["grep"])
		result := p.call(t, "grep", `{"pattern":"a"}`)
		if !result.Truncated || !strings.Contains(result.Cut, cut) || (cut == "") != (result.Cut == "") {
			t.Errorf("of %d: truncated %t, cut: %q", most, result.Truncated, result.Cut)
		}
	}
}

// part is a call that takes a part of the result.
func (p *place) part(tb testing.TB, part hostapi.Part, tool string, args map[string]any) hostapi.Result {
	tb.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		tb.Fatal(err)
	}
	result, err := p.gate.Invoke(tb.Context(), hostapi.Call{Seq: 1, Tool: tool, Args: raw, Part: part})
	if err != nil {
		tb.Fatal(err)
	}
	return result
}

type readRange struct {
	Returned int `json:"returned_lines"`
	More     bool
}

func rangeOf(tb testing.TB, result hostapi.Result) readRange {
	tb.Helper()
	var about struct{ Range readRange }
	if err := json.Unmarshal(result.Metadata, &about); err != nil || about.Range.Returned == 0 {
		tb.Fatalf("%s, %v", result.Metadata, err)
	}
	return about.Range
}
