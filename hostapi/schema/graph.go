package schema

import (
	"net/url"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// graph is a compiled schema, prepared for counting.
type graph struct {
	root *jsonschema.Schema
	// fixed is what each subschema costs besides those below it.
	fixed map[*jsonschema.Schema]fixed
	// dynamic is set where a reference depends on how it was reached.
	dynamic bool
}

// fixed is the size of a subschema's own keywords.
type fixed struct {
	constant          int64 // parts of const
	enum, enumNumbers int64 // how many values
	enumParts         int64 // of the lists and objects among them
}

// newGraph refuses a schema if too many subschemas apply to one value, or if one applies
// to its own value without end.
func newGraph(root *jsonschema.Schema) (*graph, error) {
	g := &graph{root: root, fixed: map[*jsonschema.Schema]fixed{}}
	g.collect(root)
	count := newCounter()
	for s := range g.fixed {
		count.of(s)
		if count.broken != nil {
			break
		}
	}
	if count.broken == nil {
		return g, nil
	}
	// The map above has no order: count again in the order of the schema.
	count = newCounter()
	g.inOrder(root, map[*jsonschema.Schema]bool{}, &count)
	return nil, count.broken
}

func (g *graph) collect(root *jsonschema.Schema) {
	queue := []*jsonschema.Schema{root}
	g.fixed[root] = sizes(root)
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		g.dynamic = g.dynamic || s.DynamicRef != nil || s.RecursiveRef != nil
		for _, next := range [][]*jsonschema.Schema{sameValue(s), below(s)} {
			for _, sub := range next {
				if _, seen := g.fixed[sub]; !seen {
					g.fixed[sub] = sizes(sub)
					queue = append(queue, sub)
				}
			}
		}
	}
}

// inOrder counts from the top, so that the error is the same every time.
func (g *graph) inOrder(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool, count *counter) {
	if seen[s] || count.broken != nil {
		return
	}
	seen[s] = true
	count.of(s)
	for _, next := range [][]*jsonschema.Schema{sameValue(s), below(s)} {
		sortByLocation(next)
		for _, sub := range next {
			g.inOrder(sub, seen, count)
		}
	}
}

// counter counts how many subschemas apply to the value that a schema is
// applied to: allOf, anyOf, $ref and their like multiply as they are nested.
type counter struct {
	applied map[*jsonschema.Schema]int // -1 while it is being counted
	chains  map[*jsonschema.Schema]int // the longest that begins there
	broken  error
}

func newCounter() counter {
	return counter{applied: map[*jsonschema.Schema]int{}, chains: map[*jsonschema.Schema]int{}}
}

func (c *counter) of(s *jsonschema.Schema) int {
	if n, known := c.applied[s]; known {
		if n < 0 && c.broken == nil {
			c.broken = refuse(place(s), "this schema applies itself to the same value again, without end; let a reference to itself stand below properties or items")
		}
		return max(n, 0)
	}
	c.applied[s] = -1
	total, chain := 1, 0
	for _, sub := range sameValue(s) {
		if total += c.of(sub); c.broken != nil {
			return 0
		}
		chain = max(chain, c.chains[sub])
		if chain >= maxChain {
			c.broken = refuse(place(s), "more than %d subschemas lead to one another for one value here, by $ref, allOf and their like; let the first refer to the last", maxChain)
			return 0
		}
		if total > maxApplied {
			c.broken = refuse(place(s), "more than %d subschemas apply to one value here: allOf, anyOf, oneOf, not, if and $ref multiply where they are nested; repeat fewer of them", maxApplied)
			return 0
		}
	}
	c.applied[s], c.chains[s] = total, chain+1
	return total
}

// place is the JSON Pointer of a subschema, as far as it is part of the schema.
func place(s *jsonschema.Schema) string {
	file, fragment, _ := strings.Cut(s.Location, "#")
	if !strings.HasSuffix(file, location) {
		return ""
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		return plain
	}
	return fragment
}

func sizes(s *jsonschema.Schema) fixed {
	var f fixed
	if s.Const != nil {
		f.constant = parts(*s.Const)
	}
	if s.Enum != nil {
		f.enum = int64(len(s.Enum.Values))
		for _, value := range s.Enum.Values {
			switch value.(type) {
			case map[string]any, []any:
				f.enumParts += parts(value)
			case string, bool, nil:
			default:
				f.enumNumbers++
			}
		}
	}
	return f
}

// parts is how many values there are in a value.
func parts(value any) int64 {
	n := int64(1)
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			n += parts(item)
		}
	case []any:
		for _, item := range v {
			n += parts(item)
		}
	}
	return n
}
