package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// TestDataThatDoesNotFitKeepsWholeEntries, and says that there is more, beside what else is
// known of it.
func TestDataThatDoesNotFitKeepsWholeEntries(t *testing.T) {
	t.Parallel()
	type entry struct{ Name, Text string }
	var all []entry
	for i := range 1000 {
		all = append(all, entry{fmt.Sprint("n", i), `a "quoted" text, [one] that {looks} like data\`})
	}
	list := &hosttest.Fake{ToolName: "list", Answer: hostapi.Result{Metadata: json.RawMessage(`{"total": 1000}`)}.WithData(all)}
	object := &hosttest.Fake{ToolName: "object", Answer: hostapi.Result{}.WithData(map[string]any{"count": 1000, "entries": all, "further": "x"})}
	text := &hosttest.Fake{ToolName: "text", Answer: hostapi.Result{}.WithData(strings.Repeat("é\n", 5000))}
	g := hosttest.Gate(t, hostapi.Quota{MaxToolCalls: 9, MaxResultBytes: 10_000}, list, object, text)
	ask := func(seq int, tool string, into any) hostapi.Result {
		r, err := g.Invoke(t.Context(), hostapi.Call{Seq: seq, Tool: tool})
		if err != nil || !r.Truncated {
			t.Fatalf("%s: truncated: %t, %v", tool, r.Truncated, err)
		}
		if err := json.Unmarshal(r.Data, into); err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		return r
	}
	var kept []entry
	r := ask(1, "list", &kept)
	if len(kept) < 100 || len(kept) == len(all) || !slices.Equal(kept, all[:len(kept)]) {
		t.Errorf("%d entries", len(kept))
	}
	var about struct {
		Total   int
		Dropped struct{ DataBytes, MetadataBytes int }
	}
	if err := json.Unmarshal(r.Metadata, &about); err != nil || about.Total != 1000 || about.Dropped.DataBytes < 60_000 {
		t.Errorf("%s, %v", r.Metadata, err)
	}
	var in struct {
		Count   int
		Entries []entry
		Further *string
	}
	ask(2, "object", &in)
	if in.Count != 1000 || len(in.Entries) < 100 || !slices.Equal(in.Entries, all[:len(in.Entries)]) || in.Further != nil {
		t.Errorf("%+v", in)
	}
	var line string
	ask(3, "text", &line)
	if len(line) > 10_000 || !strings.HasPrefix(line, "é\né") || !strings.HasSuffix(line, "é\n") || !strings.Contains(line, "bytes dropped here") {
		t.Errorf("%d bytes", len(line))
	}
}

// TestLimitsCountBytesOfText: not those of its JSON, nor those of what stands for bytes that are no text.
// What was cut is within the limit, so that a script can hand it on.
func TestLimitsCountBytesOfText(t *testing.T) {
	t.Parallel()
	const limit = 4096
	for name, c := range map[string]struct {
		text string
		cut  bool
	}{
		"quotes": {strings.Repeat(`"`, limit-96), false}, "the most": {strings.Repeat("\n", limit), false},
		"Latin-1": {strings.Repeat("caf\uFFFD ", limit/5), false}, "too much": {strings.Repeat("é", limit), true},
	} {
		tool := &hosttest.Fake{ToolName: "t", Answer: hostapi.Succeed(c.text).WithData(map[string]any{"stdout": c.text, "exitCode": 0})}
		r, err := hosttest.Gate(t, hostapi.Quota{MaxToolCalls: 1, MaxResultBytes: limit}, tool).Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t"})
		if err != nil || r.Truncated != c.cut || c.cut == (r.Output == c.text) || c.cut && len(r.Output) > limit {
			t.Errorf("%s: truncated: %t, %d bytes, %v", name, r.Truncated, len(r.Output), err)
		}
		if !c.cut && !strings.Contains(string(r.Data), "exitCode") {
			t.Errorf("%s: the data is %d bytes", name, len(r.Data))
		}
	}
}

// TestArgumentsHaveOtherNames: the tool, and what decides on the call, see the one of its schema.
func TestArgumentsHaveOtherNames(t *testing.T) {
	t.Parallel()
	var seen string
	tool := &hostapi.Func{ToolName: "t", About: hostapi.Description{
		Input: json.RawMessage(`{"properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`), Aliases: map[string]string{"file_path": "path"},
	}, Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		seen = string(call.Args)
		return hostapi.Result{}, nil
	}}
	g := hosttest.Gate(t, hostapi.Quota{}, tool)
	for i, args := range []string{`{"path":"a"}`, `{"file_path":"a"}`} {
		if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: i + 1, Tool: "t", Args: json.RawMessage(args)}); err != nil || seen != `{"path":"a"}` {
			t.Errorf("%s: %s, %v", args, seen, err)
		}
	}
	for _, args := range []string{`{"path":"a","file_path":"b"}`, `{"file_path":1}`, `{}`} {
		if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 3, Tool: "t", Args: json.RawMessage(args)}); !errors.Is(err, hostapi.ErrInvalidArgs) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
