package scripttools

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime"
)

// Catalog is a set of tools by name: immutable, safe for concurrent use. The
// zero Catalog is empty.
type Catalog struct {
	runner *runtime.Runner
	specs  []*ScriptToolSpec // sorted by name
	read   []sum             // all tool files of the directory, also those that are in no tool
}

func newCatalog(runner *runtime.Runner, specs []*ScriptToolSpec, read []sum) *Catalog {
	specs = slices.Clone(specs)
	slices.SortFunc(specs, func(a, b *ScriptToolSpec) int { return strings.Compare(a.Name, b.Name) })
	return &Catalog{runner: runner, specs: specs, read: read}
}

// Len is the number of tools.
func (c *Catalog) Len() int {
	if c == nil {
		return 0
	}
	return len(c.specs)
}

// All yields every tool, sorted by name.
func (c *Catalog) All() iter.Seq[*ScriptToolSpec] {
	return func(yield func(*ScriptToolSpec) bool) {
		if c == nil {
			return
		}
		for _, spec := range c.specs {
			if !yield(spec) {
				return
			}
		}
	}
}

// Spec returns the tool of that name. The error is an *[UnknownToolError].
func (c *Catalog) Spec(name string) (*ScriptToolSpec, error) {
	var names []string
	for spec := range c.All() {
		if spec.Name == name {
			return spec, nil
		}
		names = append(names, spec.Name)
	}
	return nil, &UnknownToolError{Name: name, Nearest: spelling.Nearest(name, names), Offered: names}
}

// AsLoaded reports whether the directory has the same tool files as when the catalog was loaded from
// it, and the further files of all tools that are not in previous, which may be nil, are what they
// were, and are still accepted. A catalog that was loaded while others wrote files can be asked so at
// a moment when nobody does.
func (c *Catalog) AsLoaded(dir Dir, previous *Catalog) bool {
	l := &loader{sumsOnly: true}
	if p := l.dir(dir); p != nil || c == nil || !slices.Equal(l.read, c.read) {
		return false
	}
	for spec := range c.All() {
		if slices.Contains(previous.list(), spec) {
			continue
		}
		if _, err := dir.accepts(spec); err != nil || !spec.asLoaded() {
			return false
		}
	}
	return true
}

// Without is the catalog without the tools for which leave is true.
func (c *Catalog) Without(leave func(*ScriptToolSpec) bool) *Catalog {
	if c == nil {
		return nil
	}
	return &Catalog{runner: c.runner, specs: slices.DeleteFunc(slices.Clone(c.specs), leave), read: c.read}
}

func (c *Catalog) list() []*ScriptToolSpec {
	if c == nil {
		return nil
	}
	return c.specs
}

// UnknownToolError is a name that a catalog does not have.
type UnknownToolError struct {
	Name    string
	Nearest string   // the most similar name; empty if none is near
	Offered []string // every name of the catalog, sorted
}

// Error names the nearest tool, or else all of them.
func (e *UnknownToolError) Error() string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("there is no tool %q; did you mean %q?", e.Name, e.Nearest)
	case len(e.Offered) == 0:
		return fmt.Sprintf("there is no tool %q: the catalog is empty", e.Name)
	}
	return fmt.Sprintf("there is no tool %q; there are %s", e.Name, strings.Join(e.Offered, ", "))
}
