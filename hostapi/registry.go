package hostapi

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// Registry is the set of tools that a host offers: immutable, safe for
// concurrent use. A nil Registry offers nothing.
type Registry struct {
	entries map[string]entry
	names   []string
	grants  map[string][]string // further rule name → tools it can grant
}

type entry struct {
	tool  Tool
	about Description
	input func() (*schema.Schema, error)
}

// reserved can never name a host tool nor stand in an allow-list: a script
// that runs scripts would get past its own list.
var reserved = []string{"program", "script"}

// NewRegistry checks the tools' names, schemas, grants and configurations. Two
// tools of one name, a reserved name and a schema that is not one are errors.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{entries: make(map[string]entry, len(tools)), grants: map[string][]string{}}
	for _, tool := range tools {
		name := tool.Name()
		if !ValidName(name) {
			return nil, fmt.Errorf("host tool %q: a name matches [a-zA-Z0-9_-]{1,64}", name)
		}
		if slices.Contains(reserved, name) {
			return nil, fmt.Errorf("host tool %q: the name is reserved", name)
		}
		if _, taken := r.entries[name]; taken {
			return nil, fmt.Errorf("host tool %q is registered twice", name)
		}
		if v, ok := tool.(Validator); ok {
			if err := v.Validate(); err != nil {
				return nil, fmt.Errorf("host tool %q: %w", name, err)
			}
		}
		e := entry{tool: tool}
		if d, ok := tool.(Describer); ok {
			e.about = d.Describe()
		}
		e.input = sync.OnceValues(func() (*schema.Schema, error) {
			if len(e.about.Input) == 0 {
				return nil, nil
			}
			return schema.Compile(e.about.Input)
		})
		if !e.about.Checked {
			if _, err := e.input(); err != nil {
				return nil, fmt.Errorf("host tool %q: input schema: %w", name, err)
			}
		}
		if g, ok := tool.(Granter); ok {
			for _, grant := range g.GrantNames() {
				r.grants[grant] = append(r.grants[grant], name)
			}
		}
		r.entries[name] = e
		r.names = append(r.names, name)
	}
	sort.Strings(r.names)
	return r, nil
}

// Names lists the tools, sorted.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.names)
}

// Lookup returns the tool of that name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	if r == nil {
		return nil, false
	}
	e, ok := r.entries[name]
	return e.tool, ok
}

// Describe returns what the tool says of itself; the zero Description if it
// says nothing or is not there.
func (r *Registry) Describe(name string) Description {
	if r == nil {
		return Description{}
	}
	return r.entries[name].about
}

// CheckRule refuses a rule that could never grant a call: for a tool that the
// host does not offer, a reserved name, or a pattern that the tool does not
// take. The error is one sentence.
func (r *Registry) CheckRule(rule Rule) error {
	if slices.Contains(reserved, rule.Tool) {
		return fmt.Errorf("%q can never be allowed: a script does not run scripts", rule.Tool)
	}
	tool, ok := r.Lookup(rule.Tool)
	if !ok {
		if r != nil && len(r.grants[rule.Tool]) > 0 {
			if rule.Pattern != "" {
				return fmt.Errorf("%q takes no pattern", rule.Tool)
			}
			return nil
		}
		return &UnknownNameError{Name: rule.Tool, Nearest: Nearest(rule.Tool, r.Names()), Offered: r.Names()}
	}
	if rule.Pattern == "" {
		return nil
	}
	scoper, ok := tool.(Scoper)
	if !ok {
		return fmt.Errorf("tool %q takes no pattern; allow it by name alone", rule.Tool)
	}
	if err := scoper.CheckPattern(rule.Pattern); err != nil {
		return fmt.Errorf("pattern of %q: %w", rule.Tool, err)
	}
	return nil
}

// Grants reports whether a name that is no tool's can grant calls of one, as
// grep does for the search tool in its grep mode.
func (r *Registry) Grants(name string) bool {
	return r != nil && len(r.grants[name]) > 0
}
