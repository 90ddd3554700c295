package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/scripttools"
)

// hostToolJSON is a host tool as describe and list print it.
type hostToolJSON struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Effect      string            `json:"effect"`
	InputSchema json.RawMessage   `json:"inputSchema,omitempty"`
	Aliases     map[string]string `json:"aliases,omitempty"`
	Data        string            `json:"data,omitempty"`
	Metadata    string            `json:"metadata,omitempty"`
	Rule        string            `json:"rule,omitempty"`
}

func hostToolOf(registry *hostapi.Registry, name string) hostToolJSON {
	about := registry.Describe(name)
	return hostToolJSON{
		Name: name, Description: about.Summary, Effect: string(about.Effect), InputSchema: about.Input, Aliases: about.Aliases,
		Data: about.Data, Metadata: about.Metadata, Rule: about.Subject,
	}
}

// argumentsOf are those that a schema has.
func argumentsOf(schema json.RawMessage) (rows [][3]string) {
	for _, p := range scripttools.Properties(schema) {
		rows = append(rows, [3]string{p.Name, p.String(), clip.Line(p.Description)})
	}
	return rows
}

// arguments are a tool's arguments, a row each: name, type and meaning.
func (t hostToolJSON) arguments() (rows [][3]string) {
	rows = argumentsOf(t.InputSchema)
	for _, other := range slices.Sorted(maps.Keys(t.Aliases)) {
		rows = append(rows, [3]string{other, "", "another name of " + t.Aliases[other]})
	}
	return rows
}

// facts are its other properties, a row each.
func (t hostToolJSON) facts() [][2]string {
	facts := [][2]string{{"effect", t.Effect}}
	for _, fact := range [][2]string{{"data", t.Data}, {"metadata", t.Metadata}, {"rules", t.Rule}} {
		if fact[1] != "" {
			facts = append(facts, fact)
		}
	}
	if t.Rule != "" {
		facts[len(facts)-1][1] = fmt.Sprintf("%s(PATTERN), matched against %s", t.Name, t.Rule)
	}
	return facts
}

// describeHostTool prints what a script passes to a host tool, and what it gets back.
func describeHostTool(p *page, t hostToolJSON) error {
	p.heading(t.Name + ", a host tool")
	p.prose("\n" + set(t.Description) + "\n")
	var rows [][]string
	for _, fact := range t.facts() {
		rows = append(rows, []string{fact[0] + ":", fact[1]})
	}
	if err := p.facts(rows); err != nil {
		return err
	}
	p.say("")
	return p.arguments("arguments:", t.arguments())
}
