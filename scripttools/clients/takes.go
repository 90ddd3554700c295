package clients

import "strings"

// takes are what a client does with tools.
type takes struct {
	// before stands between nothing and the name of a tool as a model sees it; SERVER is the
	// server's name.
	before string
	// name is how many characters that and the tool's name may have; longer says what
	// happens to a longer one, and refuses whether it cannot be called then.
	name    int
	longer  string
	refuses bool
	// dashes is set if - and _ are one character to it.
	dashes bool
	// text is how many characters of a description a model sees, and sentence how many are
	// shown where tools are listed; 0 for all.
	text, sentence int
	// drops are keywords of schemas that a model does not see.
	drops []string
	// flat is set if a schema with one of combined at its top is refused, with all other
	// tools of the request; items if a list without items is.
	flat, items bool
	// defaults is set if a call that leaves out a required property with a default is refused.
	defaults bool
	// tools is how many a request may have, of all servers; 0 for no known number.
	tools int
}

// combined are the keywords that make one schema of several.
var combined = []string{"allOf", "anyOf", "oneOf"}

// The rows, each as the client was seen to do it or as its code or its makers say.
var (
	codexTakes = takes{
		before: "mcp__SERVER__", name: 64, longer: "the end is replaced by a hash", dashes: true, flat: true,
		drops: []string{"default", "exclusiveMaximum", "exclusiveMinimum", "maximum", "maxItems", "maxLength", "minimum", "minItems", "minLength", "multipleOf", "pattern", "prefixItems"},
	}
	opencodeTakes = takes{before: "SERVER_", name: 64, longer: "the model's provider refuses the request", refuses: true, items: true}
	geminiTakes   = takes{before: "mcp_SERVER_", name: 63, longer: "the middle is left out", defaults: true}
	qwenTakes     = takes{before: "mcp__SERVER__", name: 63, longer: "the middle is left out", sentence: 160, defaults: true}
	claudeTakes   = takes{before: "mcp__SERVER__", name: 64, longer: "the model's API refuses every request", refuses: true, text: 2048, flat: true}
	vscodeTakes   = takes{before: "mcp_SERVER_", name: 64, longer: "the end is left out", tools: 128}
	zedTakes      = takes{name: 64, longer: "the end is left out"}
	cursorTakes   = takes{before: "SERVER:", name: 60, longer: "the tool is left out", refuses: true}
)

// LongestName is how many characters the name of a tool may have for every client to take it
// whole, of a server of this name.
func LongestName(server string) int {
	return least(func(t takes) int { return t.room(server) })
}

// LongestText is how many characters of a description every client shows a model, and
// LongestSentence how many every client shows where it lists tools.
func LongestText() int { return least(func(t takes) int { return t.text }) }

// LongestSentence is described at [LongestText].
func LongestSentence() int { return least(func(t takes) int { return t.sentence }) }

// least is the least of the numbers that are not 0.
func least(of func(takes) int) (n int) {
	for _, client := range all {
		if v := of(client.takes); v != 0 && (n == 0 || v < n) {
			n = v
		}
	}
	return n
}

// Folded is the name of a tool as the client sees it that tells fewest names apart.
func Folded(tool string) string {
	for _, client := range all {
		if client.takes.dashes {
			return strings.ReplaceAll(tool, "-", "_")
		}
	}
	return tool
}
