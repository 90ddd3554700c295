package scripttools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A header in any of the three syntaxes becomes one tree of nodes. Every node
// knows its place in the file, so that each rule can point at what broke it,
// and every tree encodes as JSON: what JSON cannot say was refused before.

type kind string

// The kinds, as messages call them.
const (
	kindNull   kind = "nothing"
	kindBool   kind = "true or false"
	kindNumber kind = "a number"
	kindText   kind = "text"
	kindList   kind = "a list"
	kindMap    kind = "a map"
	// kindBroken stands where a value was refused, so that nobody takes its key
	// for missing, or looks at it again.
	kindBroken kind = "unreadable"
)

type node struct {
	at   place
	kind kind
	// text is the string of kindText, and the JSON of a number or a bool.
	text string
	// inner is the column at which text begins, where its characters stand in
	// the file one by one; 0 where they do not (escapes, several lines).
	inner  int
	items  []*node
	fields []field
	index  map[string]int // of fields, by key
}

type field struct {
	key   string
	at    place
	value *node
}

// flaw is a problem of a header before it is tied to its file.
type flaw struct {
	at        place
	msg, hint string
}

// tree is what a decoder makes of a header. A nil root means that nothing
// useful could be read.
type tree struct {
	root  *node
	flaws []flaw
}

// Bounds of a header that has been decoded. They are far above any real one
// and stop aliases, nesting and repetition from growing without end.
const (
	maxNodes = 30_000
	maxBytes = 1 << 20
	maxDepth = 64
)

// flaw records a flaw.
func (t *tree) flaw(at place, hint, format string, args ...any) {
	t.flaws = append(t.flaws, flaw{at: at, msg: shortened(fmt.Sprintf(format, args...)), hint: shortened(hint)})
}

// add appends a field unless the key is there already, which is a flaw.
func (t *tree) add(n *node, f field) {
	if i, taken := n.index[f.key]; taken {
		t.flaw(f.at, "keep one of them", "duplicate key %s; line %d has it already", quote(f.key), n.fields[i].at.line)
		return
	}
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.index[f.key] = len(n.fields)
	n.fields = append(n.fields, f)
}

// field finds a key of a map.
func (n *node) field(key string) (field, bool) {
	i, ok := n.index[key]
	if !ok {
		return field{}, false
	}
	return n.fields[i], true
}

// pointerUnescapes makes a key of a token of a JSON Pointer.
var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

// lookup finds the deepest node that a JSON Pointer leads to.
func (n *node) lookup(pointer string) *node {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		next := n.child(pointerUnescapes.Replace(token))
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

func (n *node) child(token string) *node {
	if f, ok := n.field(token); ok {
		return f.value
	}
	if i, err := strconv.Atoi(token); err == nil && 0 <= i && i < len(n.items) {
		return n.items[i]
	}
	return nil
}

// whole reports whether nothing at or below n was refused.
func (n *node) whole() bool {
	for _, f := range n.fields {
		if !f.value.whole() {
			return false
		}
	}
	for _, item := range n.items {
		if !item.whole() {
			return false
		}
	}
	return n.kind != kindBroken
}

// json encodes the tree below n, keys in the order of the file.
func (n *node) json() json.RawMessage { return n.appendJSON(nil) }

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case kindNull, kindBroken:
		return append(b, "null"...)
	case kindBool, kindNumber:
		return append(b, n.text...)
	case kindText:
		return appendString(b, n.text)
	case kindList:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	default:
		b = append(b, '{')
		for i, f := range n.fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, f.key), ':')
			b = f.value.appendJSON(b)
		}
		return append(b, '}')
	}
}

func appendString(b []byte, s string) []byte {
	encoded, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return append(b, `""`...)
	}
	return append(b, encoded...)
}

// quote shows a word of the file in a message.
func quote(s string) string { return strconv.Quote(word(s)) }

// word is the beginning of a word of the file.
func word(s string) string { return beginning(s, 80) }

// message is the beginning of what a parser says, which may have words of the
// file in it.
func message(s string) string { return beginning(s, 300) }

// beginning is the first characters of a text, as many as most.
func beginning(s string, most int) string {
	seen := 0
	for i := range s {
		if seen++; seen > most {
			return s[:i] + "…"
		}
	}
	return s
}
