package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// agree says yes, once.
type agree struct{}

func (agree) Approve(context.Context, hostapi.Question) (hostapi.Answer, error) {
	return hostapi.AnswerOnce, nil
}

// TestWhatWasShownIsWhatIsChanged: what comes in the place of what a person saw, after
// the answer, is neither edited nor replaced, moved or lost.
func TestWhatWasShownIsWhatIsChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, args, swapped string }{
		{"edit", `{"file_path":"a","old_string":"flag=0","new_string":"flag=1"}`, "a"},
		{"write", `{"file_path":"a","content":"new"}`, "a"},
		{"write", `{"file_path":"fresh","content":"new"}`, "fresh"},
		{"delete", `{"path":"a"}`, "a"},
		{"delete", `{"path":"dir"}`, "dir/more"},
		{"move", `{"from":"a","to":"b"}`, "a"},
		{"move", `{"from":"a","to":"old","overwrite":true}`, "old"},
		{"move", `{"from":"a","to":"fresh","overwrite":true}`, "fresh"},
		{"edit", `{"file_path":"a","old_string":"flag=0","new_string":"flag=1"}`, ""},
		{"write", `{"file_path":"a","content":"new"}`, ""},
		{"write", `{"file_path":"empty","content":"new"}`, ""},
		{"write", `{"file_path":"fresh","content":"new"}`, ""},
		{"delete", `{"path":"a"}`, ""},
		{"delete", `{"path":"dir"}`, ""},
		{"move", `{"from":"a","to":"old","overwrite":true}`, ""},
	} {
		p := workspace(t, map[string]string{"a": "flag=0\necho hi\n", "old": "old", "dir/x": "x", "empty": ""})
		if err := os.Chtimes(filepath.Join(p.dir, "dir"), time.Unix(1, 0), time.Unix(1, 0)); err != nil { // clocks of files are coarse
			t.Fatal(err)
		}
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
			Registry: p.registry(t), Approver: agree{},
			Policies: []hostapi.Policy{hostapi.AllowList{{Tool: c.tool}}, hostapi.Rules{Ask: []hostapi.Rule{{Tool: c.tool}}}},
		})
		issued, err := gate.Issue(t.Context(), hostapi.Call{Tool: c.tool, Args: json.RawMessage(c.args)})
		if err != nil {
			t.Fatal(err)
		}
		const evil = "flag=0\nrm -r /\n"
		if c.swapped != "" {
			put(t, p.dir, map[string]string{"swap": evil})
			if err := os.Rename(filepath.Join(p.dir, "swap"), filepath.Join(p.dir, c.swapped)); err != nil {
				t.Fatal(err)
			}
		}
		result, err := issued.Do(t.Context())
		if err != nil || (result.Outcome == hostapi.OutcomeOK) != (c.swapped == "") || c.swapped != "" && !strings.Contains(result.Output, "changed while") {
			t.Errorf("%s %s, %q swapped: %+v, %v", c.tool, c.args, c.swapped, result, err)
		}
		if text, err := os.ReadFile(filepath.Join(p.dir, c.swapped)); c.swapped != "" && (err != nil || string(text) != evil) {
			t.Errorf("%s %s: %q, %v", c.tool, c.args, text, err)
		}
		gate.Close(0)
	}
}

// TestWhatAMoveLosesIsShown, and what is deleted with a folder.
func TestWhatAMoveLosesIsShown(t *testing.T) {
	t.Parallel()
	registry := workspace(t, map[string]string{
		"a": "new", "old": "precious", "dir/x": "x", "many": strings.Repeat("a", 20_000), "large": "guard\n" + strings.Repeat("line\n", 100_000),
	}).registry(t)
	for _, c := range []struct{ tool, args, shows string }{
		{"move", `{"from":"a","to":"old","overwrite":true}`, "move a to old\nold is there, and is lost; it has 8 bytes:\nprecious"},
		{"move", `{"from":"a","to":"b","overwrite":true}`, "move a to b"},
		// What an edit would make of a file is bounded before it is made.
		{"edit", `{"file_path":"many","old_string":"a","new_string":"` + strings.Repeat("b", 100_000) + `","replace_all":true}`, "2000000000 bytes with 20000 replaced"},
		{"edit", `{"file_path":"large","old_string":"guard","new_string":""}`, "edit large, which has 500006 bytes; 1 times, first in lines 1,\nguard\nis replaced by\n"},
		{"delete", `{"path":"dir"}`, "delete the folder dir and all that is in it"},
	} {
		var q hostapi.Question
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
			Registry: registry, Approver: keep{&q},
			Policies: []hostapi.Policy{hostapi.AllowList{{Tool: c.tool}}, hostapi.Rules{Ask: []hostapi.Rule{{Tool: c.tool}}}},
		})
		if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: c.tool, Args: json.RawMessage(c.args)}); err == nil || !strings.Contains(q.Preview, c.shows) {
			t.Errorf("%s shows %.2000q, want %q; %v", c.tool, q.Preview, c.shows, err)
		}
		gate.Close(0)
	}
}
