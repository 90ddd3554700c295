package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tool is a tool as a server lists it.
type Tool struct {
	Name, Description string
	// Schema is its input schema.
	Schema json.RawMessage
}

// Verb says what a client does to a tool.
type Verb string

// The verbs.
const (
	Refuses Verb = "refuses" // it cannot be called, and perhaps no other one either
	Cuts    Verb = "cuts"    // a model sees a part of its name or of its description
	Drops   Verb = "drops"   // a model does not see a part of its schema
)

// Finding is what a client does to a tool.
type Finding struct {
	// Client is its name, and Tool that of the tool; empty if it is about all of them.
	Client, Tool string
	Verb         Verb
	// Says is what is refused, cut or dropped, and why, in a phrase.
	Says string
}

// Shown is the name by which a model knows a tool of a server.
func (c Client) Shown(server, tool string) string { return c.takes.shown(server, tool) }

// Room is how many characters the name of a tool of a server may have for the client to take it
// whole.
func (c Client) Room(server string) int { return c.takes.room(server) }

func (t takes) shown(server, tool string) string {
	name := strings.ReplaceAll(t.before, "SERVER", server) + tool
	if t.dashes {
		name = strings.ReplaceAll(name, "-", "_")
	}
	return name
}

// room is how many characters the name of a tool may have.
func (t takes) room(server string) int { return t.name - len(t.shown(server, "")) }

// Check says what each client refuses, cuts or drops of the tools of a server, which clients call
// by a name. The findings are in the order of the tools, and for each in that of the clients.
func Check(tools []Tool, server string) (findings []Finding) {
	for i, tool := range tools {
		schema := readSchema(tool.Schema)
		for _, client := range all {
			found := func(verb Verb, format string, args ...any) {
				findings = append(findings, Finding{client.Name, tool.Name, verb, fmt.Sprintf(format, args...)})
			}
			client.takes.named(tool.Name, server, tools[:i], found)
			client.takes.describe(tool.Description, found)
			client.takes.schema(schema, found)
		}
	}
	for _, client := range all {
		if most := client.takes.tools; most > 0 && len(tools) > most {
			findings = append(findings, Finding{client.Name, "", Refuses, fmt.Sprintf("a request with more than %d tools: there are %d", most, len(tools))})
		}
	}
	return findings
}

// report is told of one finding.
type report func(verb Verb, format string, args ...any)

func (t takes) named(name, server string, before []Tool, found report) {
	shown := t.shown(server, name)
	if len(shown) > t.name {
		verb := Cuts
		if t.refuses {
			verb = Refuses
		}
		found(verb, "the name %s, which has %d characters and may have %d: %s", shown, len(shown), t.name, t.longer)
	}
	for _, other := range before {
		if t.shown(server, other.Name) == shown {
			found(Refuses, "one of %s and %s, both of which it calls %s", other.Name, name, shown)
		}
	}
}

func (t takes) describe(text string, found report) {
	if n := utf8.RuneCountInString(text); t.text > 0 && n > t.text {
		found(Cuts, "the description, which has %d characters, after %d", n, t.text)
	}
	if n := utf8.RuneCountInString(FirstSentence(text)); t.sentence > 0 && n > t.sentence {
		found(Cuts, "the first sentence of the description, which has %d characters, after %d", n, t.sentence)
	}
}

// FirstSentence is what a description begins with: its first sentence, or line.
func FirstSentence(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if at := strings.Index(first, ". "); at >= 0 {
		first = first[:at+1]
	}
	return first
}

// schemaParts are what is asked of a schema.
type schemaParts struct {
	top      []string // keywords at its top
	keywords []string // those of properties and items, sorted
	defaults []string // properties that are required and have a default
	lists    []string // properties that are lists without items
}

func (t takes) schema(of schemaParts, found report) {
	if t.flat {
		for _, keyword := range combined {
			if slices.Contains(of.top, keyword) {
				found(Refuses, "%s at the top of its schema, and with it the whole request", keyword)
			}
		}
	}
	if t.items && len(of.lists) > 0 {
		found(Refuses, "lists without items, where the model is one of OpenAI: %s", strings.Join(of.lists, ", "))
	}
	if t.defaults && len(of.defaults) > 0 {
		found(Refuses, "calls without %s, required though they have defaults", strings.Join(of.defaults, ", "))
	}
	var dropped []string
	for _, keyword := range t.drops {
		if slices.Contains(of.keywords, keyword) {
			dropped = append(dropped, keyword)
		}
	}
	if len(dropped) > 0 {
		found(Drops, "%s of its schema; a model reads them in the descriptions alone", strings.Join(dropped, ", "))
	}
}

// deepest is how far below a schema its parts are looked at: further down than people write.
const deepest = 16

func readSchema(text json.RawMessage) (parts schemaParts) {
	var schema any
	if json.Unmarshal(text, &schema) != nil {
		return parts
	}
	top, _ := schema.(map[string]any)
	for keyword := range top {
		parts.top = append(parts.top, keyword)
	}
	parts.visit(top, "", deepest)
	slices.Sort(parts.keywords)
	parts.keywords = slices.Compact(parts.keywords)
	slices.Sort(parts.defaults)
	slices.Sort(parts.lists)
	return parts
}

// visit looks at the properties and items of a schema.
func (p *schemaParts) visit(schema map[string]any, path string, depth int) {
	if depth == 0 {
		return
	}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, of := range properties {
		if property, ok := of.(map[string]any); ok {
			at := strings.TrimPrefix(path+"."+name, ".")
			if _, has := property["default"]; has && slices.Contains(required, any(name)) {
				p.defaults = append(p.defaults, at)
			}
			p.look(property, at, depth)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		p.look(items, cmp.Or(path, "it")+"[]", depth)
	}
}

func (p *schemaParts) look(schema map[string]any, at string, depth int) {
	for keyword := range schema {
		p.keywords = append(p.keywords, keyword)
	}
	if schema["type"] == "array" && schema["items"] == nil && schema["prefixItems"] == nil {
		p.lists = append(p.lists, at)
	}
	p.visit(schema, at, depth-1)
}

// Size is how many bytes the definitions of tools have, in the form of a list of the protocol.
func Size(tools []Tool) (size int) {
	var b bytes.Buffer
	for _, tool := range tools {
		b.Reset()
		_ = json.Compact(&b, tool.Schema) // of what is no JSON nothing is counted
		size += len(tool.Name) + len(tool.Description) + b.Len()
	}
	return size
}
