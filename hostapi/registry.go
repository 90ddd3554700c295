package hostapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// Registry is the set of tools that a host offers: immutable, safe for
// concurrent use. A nil Registry offers nothing.
type Registry struct {
	entries map[string]entry
	names   []string
	grants  map[string][]string // further rule name → tools it can grant
}

type entry struct {
	tool  guarded
	about Description
	input func() (*schema.Schema, error)
}

// reserved are names that no host tool and no rule may have. A script that runs
// scripts would get past its own allow-list.
var reserved = []string{"program", "script", ToolApprove}

// NewRegistry checks the tools' names, schemas, grants and configurations. It is an
// error if two tools have one name, a name is reserved, a schema is invalid, or a
// tool panics.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{entries: make(map[string]entry, len(tools)), grants: map[string][]string{}}
	for _, tool := range tools {
		if err := r.add(guarded{tool: tool}); err != nil {
			return nil, err
		}
	}
	sort.Strings(r.names)
	return r, nil
}

func (r *Registry) add(tool guarded) error {
	if err := tool.named(); err != nil {
		return err
	}
	if err := tool.unwrapped(); err != nil {
		return err
	}
	name := tool.name
	switch _, taken := r.entries[name]; {
	case !ValidName(name):
		return fmt.Errorf("host tool %q: a name matches [a-zA-Z0-9_-]{1,64}", name)
	case slices.Contains(reserved, name):
		return fmt.Errorf("host tool %q: the name is reserved", name)
	case taken:
		return fmt.Errorf("host tool %q is registered twice", name)
	}
	if err := tool.validate(); err != nil {
		return fmt.Errorf("host tool %q: %w", name, err)
	}
	about, err := tool.describe()
	if err != nil {
		return err
	}
	e := entry{tool: tool, about: about}
	e.input = sync.OnceValues(func() (*schema.Schema, error) {
		if len(about.Input) == 0 {
			return nil, nil
		}
		return schema.Compile(about.Input)
	})
	if !about.Checked {
		if _, err := e.input(); err != nil {
			return fmt.Errorf("host tool %q: input schema: %w", name, err)
		}
	}
	grants, err := tool.grantNames()
	if err != nil {
		return err
	}
	for _, grant := range grants {
		r.grants[grant] = append(r.grants[grant], name)
	}
	r.entries[name] = e
	r.names = append(r.names, name)
	return nil
}

// renamed is arguments with the names that the tool's schema has for them.
func (e entry) renamed(args json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	changed := false
	for other, name := range e.about.Aliases {
		if !bytes.Contains(args, []byte(other)) || all == nil && json.Unmarshal(args, &all) != nil {
			continue
		}
		if value, ok := all[other]; ok && all[name] == nil {
			all[name], changed = value, true
			delete(all, other)
		}
	}
	if !changed {
		return args
	}
	args, _ = json.Marshal(all)
	return args
}

// Names lists the tools, sorted.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.names)
}

// Lookup finds a tool by its name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	if r == nil {
		return nil, false
	}
	e, ok := r.entries[name]
	return e.tool.tool, ok
}

func (r *Registry) guarded(name string) (guarded, bool) {
	if r == nil {
		return guarded{}, false
	}
	e, ok := r.entries[name]
	return e.tool, ok
}

// Measures are what the named tool enforces on what it starts; nil if it is not a
// [Confiner]. The error is a *[PanicError].
func (r *Registry) Measures(name string) ([]Measure, error) {
	tool, ok := r.guarded(name)
	if !ok {
		return nil, nil
	}
	return tool.confinement()
}

// Close closes the tools that are an [io.Closer]. A panic is a *[PanicError].
func (r *Registry) Close() error {
	if r == nil {
		return nil
	}
	var errs []error
	for _, name := range r.names {
		errs = append(errs, r.entries[name].tool.close())
	}
	return errors.Join(errs...)
}

// Describe returns the description of the named tool, if it has one.
func (r *Registry) Describe(name string) Description {
	if r == nil {
		return Description{}
	}
	return r.entries[name].about
}

// CheckRule refuses a rule that could never grant a call: the host has no such tool,
// the name is reserved, or the tool does not take the pattern. The error is one
// sentence.
func (r *Registry) CheckRule(rule Rule) error {
	if size := len(rule.String()); size > MaxRuleBytes {
		return fmt.Errorf("a rule for %q is %d bytes; at most %d are taken", clip.Head(rule.Tool, MaxNameBytes), size, MaxRuleBytes)
	}
	if slices.Contains(reserved, rule.Tool) {
		if rule.Tool == ToolApprove {
			return fmt.Errorf("%q is no tool: ctx.approve asks a person each time, and no rule answers for them", rule.Tool)
		}
		return fmt.Errorf("%q can never be allowed: a script does not run scripts", rule.Tool)
	}
	tool, ok := r.guarded(rule.Tool)
	if !ok {
		if r != nil && len(r.grants[rule.Tool]) > 0 {
			if rule.Pattern != "" {
				return fmt.Errorf("%q takes no pattern", rule.Tool)
			}
			return nil
		}
		return r.unknown(rule.Tool)
	}
	if rule.Pattern == "" {
		return nil
	}
	err := tool.checkPattern(rule.Pattern)
	switch {
	case errors.Is(err, errNoPattern):
		return fmt.Errorf("tool %q takes no pattern; allow it by name alone", rule.Tool)
	case err != nil:
		return fmt.Errorf("pattern of %q: %w", rule.Tool, err)
	}
	return nil
}

// unknown is the error for a name that no tool has.
func (r *Registry) unknown(name string) *UnknownNameError {
	names := r.Names()
	e := &UnknownNameError{Name: name, Nearest: spelling.Nearest(name, names), Offered: names}
	for tool, others := range otherNames {
		if e.Nearest == "" && slices.Contains(names, tool) && slices.Contains(others, strings.ToLower(name)) {
			e.Nearest = tool
		}
	}
	return e
}

// otherNames are names that people and other agents have for tools; each is of one tool.
var otherNames = map[string][]string{
	"bash":   {"shell", "sh", "zsh", "exec", "execute", "command", "terminal", "run", "run_command", "cmd", "powershell"},
	"read":   {"cat", "open", "view", "read_file", "readfile", "notebookread"},
	"write":  {"create", "save", "write_file", "writefile"},
	"edit":   {"patch", "apply_patch", "replace", "str_replace", "multiedit", "notebookedit"},
	"delete": {"rm", "remove", "unlink", "trash"},
	"move":   {"mv", "rename"},
	"ls":     {"list", "dir", "list_dir"},
	"glob":   {"find", "list_files", "files"},
	"grep":   {"rg", "ripgrep"},
	"fetch":  {"curl", "wget", "http", "https", "request", "web", "webfetch", "web_fetch", "network"},
}

// Grants reports whether a name can grant calls of a tool with another name; see
// [Granter].
func (r *Registry) Grants(name string) bool {
	return r != nil && len(r.grants[name]) > 0
}

// Granted are the tools of which rules grant some call, sorted.
func (r *Registry) Granted(rules []Rule) []string {
	var names []string
	for _, rule := range rules {
		if _, ok := r.guarded(rule.Tool); ok {
			names = append(names, rule.Tool)
		}
		if r != nil {
			names = append(names, r.grants[rule.Tool]...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EffectOf is the worst that a rule allows; [EffectUnknown] for a tool that is not
// known. A tool's own word for it that is neither counts as its Effect.
func (r *Registry) EffectOf(rule Rule) (effect Effect) {
	effect = r.Describe(rule.Tool).Effect
	if effect == EffectUnknown && r.Grants(rule.Tool) {
		return EffectRead // a name such as grep, for a mode of a tool that reads
	}
	if tool, ok := r.guarded(rule.Tool); ok && rule.Pattern != "" {
		if narrowed, err := tool.patternEffect(rule.Pattern); err == nil && narrowed != EffectUnknown {
			return narrowed
		}
	}
	return effect
}

// Concerns reports whether a rule that denies or asks can be about calls of a tool: it
// has the tool's name, a name that grants it, or that of a tool that does the same.
func (r *Registry) Concerns(tool string, rule Rule) (bool, error) {
	if r == nil {
		return false, nil
	}
	if slices.Contains(r.grants[rule.Tool], tool) {
		return true, nil
	}
	g, ok := r.guarded(tool)
	if !ok {
		return false, nil
	}
	return g.concerns(rule)
}

// Confines reports whether the named tool is a [Confiner].
func (r *Registry) Confines(name string) bool {
	tool, _ := r.guarded(name)
	_, confines := power[Confiner](tool)
	return confines
}
