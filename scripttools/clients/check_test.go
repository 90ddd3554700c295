package clients_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/clients"
)

// TestCheckSaysWhatClientsDo to names, descriptions and schemas.
func TestCheckSaysWhatClientsDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool clients.Tool
		want []string // client and verb of each finding
	}{
		"nothing":               {clients.Tool{Name: "a", Description: "Short.", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"array","items":{}}}}`)}, nil},
		"the longest name":      {clients.Tool{Name: strings.Repeat("a", 47)}, nil},
		"a longer name":         {clients.Tool{Name: strings.Repeat("a", 48)}, []string{"qwen cuts"}},
		"a name that is left":   {clients.Tool{Name: strings.Repeat("a", 51)}, []string{"codex cuts", "gemini cuts", "qwen cuts", "claude refuses", "vscode cuts", "cursor refuses"}},
		"a long text":           {clients.Tool{Name: "a", Description: "Short. " + strings.Repeat("é", 2042)}, []string{"claude cuts"}},
		"a long sentence":       {clients.Tool{Name: "a", Description: strings.Repeat("é", 161) + ". More."}, []string{"qwen cuts"}},
		"one schema of several": {clients.Tool{Name: "a", Schema: json.RawMessage(`{"type":"object","oneOf":[{}]}`)}, []string{"codex refuses", "claude refuses"}},
		"several further down":  {clients.Tool{Name: "a", Schema: json.RawMessage(`{"properties":{"x":{"oneOf":[{}]}}}`)}, nil},
		"a list of anything":    {clients.Tool{Name: "a", Schema: json.RawMessage(`{"properties":{"x":{"items":{"type":"array"}}}}`)}, []string{"opencode refuses"}},
		"a default": {
			clients.Tool{Name: "a", Schema: json.RawMessage(`{"properties":{"x":{"properties":{"y":{"default":1}},"required":["y"]}}}`)},
			[]string{"codex drops", "gemini refuses", "qwen refuses"},
		},
		"no schema": {clients.Tool{Name: "a", Schema: json.RawMessage(`true`)}, nil},
	} {
		var got []string
		for _, found := range clients.Check([]clients.Tool{c.tool}, clients.ServerName) {
			got = append(got, fmt.Sprint(found.Client, " ", found.Verb))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if clients.LongestName(clients.ServerName) != 47 || clients.LongestText() != 2048 || clients.LongestSentence() != 160 {
		t.Error(clients.LongestName(clients.ServerName), clients.LongestText(), clients.LongestSentence())
	}
}

// TestCheckLooksAtToolsTogether: names that one client takes for one, and how many there are.
func TestCheckLooksAtToolsTogether(t *testing.T) {
	t.Parallel()
	found := clients.Check([]clients.Tool{{Name: "a-b"}, {Name: "ab"}, {Name: "a_b"}}, clients.ServerName)
	if len(found) != 1 || found[0].Client != "codex" || found[0].Tool != "a_b" || found[0].Verb != clients.Refuses {
		t.Errorf("%+v", found)
	}
	var many []clients.Tool
	for i := range 129 {
		many = append(many, clients.Tool{Name: fmt.Sprint("t", i)})
	}
	if found := clients.Check(many, clients.ServerName); len(found) != 1 || found[0].Client != "vscode" || found[0].Tool != "" {
		t.Errorf("%+v", found)
	}
}

// TestSwitchesNameTools: those that only read, or a word that stands for one.
func TestSwitchesNameTools(t *testing.T) {
	t.Parallel()
	for _, client := range clients.All() {
		all := ""
		for _, s := range client.Switches("srv", []string{"look", "see"}) {
			if s.Says == "" || strings.HasSuffix(s.Says, ".") || (s.File == "") != (s.Text == "") {
				t.Errorf("%s: %+v", client.Name, s)
			}
			all += s.Text
		}
		if names := strings.Contains(all, "look") && strings.Contains(all, "see"); names != slices.Contains([]string{"opencode", "claude", "zed", "cursor"}, client.Name) {
			t.Errorf("%s: %s", client.Name, all)
		}
		if client.Title == "" || client.User == "" || client.Version == "" || len(client.Switches("srv", nil)) == 0 {
			t.Errorf("%s lacks something", client.Name)
		}
	}
}
