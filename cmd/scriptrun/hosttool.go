package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
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

// arguments are a tool's arguments, a row each: name, type and meaning.
func (t hostToolJSON) arguments() (rows [][3]string) {
	for _, p := range scripttools.Properties(t.InputSchema) {
		rows = append(rows, [3]string{p.Name, p.String(), clip.Line(p.Description)})
	}
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
func describeHostTool(w io.Writer, t hostToolJSON) error {
	fmt.Fprintf(w, "%s, a host tool\n\n%s\n\n", plain.Line(t.Name), set(t.Description))
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for _, fact := range t.facts() {
		fmt.Fprintf(table, "%s:\t%s\n", fact[0], plain.Line(fact[1]))
	}
	fmt.Fprint(table, "\n")
	if err := table.Flush(); err != nil {
		return err
	}
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "arguments:")
	for _, row := range t.arguments() {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", plain.Line(row[0]), plain.Line(row[1]), plain.Line(row[2]))
	}
	return table.Flush()
}
