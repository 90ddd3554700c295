package scripttools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime"
)

// The most that is looked at of inputs for keys that a schema does not declare: they may be large.
const (
	undeclaredBytes    = 1 << 20 // each level is read on its own, before the run's time begins
	undeclaredDepth    = 8
	undeclaredElements = 1000 // of each list
	undeclaredNotes    = 10
	undeclaredKey      = 64 // bytes of one that the nearest name is sought for: that takes the product of both
)

// declaredKeys are the keys that a schema declares, and what is below them.
type declaredKeys struct {
	names map[string]*declaredKeys // nil for none, or if other keys may be meant
	items *declaredKeys            // those of a list's elements
}

// declarations are those of a whole schema.
type declarations struct {
	*declaredKeys
	cut  bool // not all of the schema was looked at
	tree *schemaTree
	read map[*node]*declaredKeys
}

// declares returns what a schema declares, read when it is first asked.
func declares(input *schema.Schema) func() declarations {
	return sync.OnceValue(func() declarations {
		d := declarations{tree: readSchema(input.Source()), read: map[*node]*declaredKeys{}}
		top := d.keys(d.tree.root)
		return declarations{declaredKeys: top, cut: d.cut}
	})
}

func (d *declarations) keys(n *node) *declaredKeys {
	if keys := d.read[n]; keys != nil {
		return keys
	}
	keys := &declaredKeys{}
	d.read[n] = keys // before what is below, which may refer to it
	all := d.tree.together(n)
	if properties := all.properties(); len(properties) > 0 && !all.open() && d.tree.spend(len(properties)) {
		keys.names = map[string]*declaredKeys{}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			keys.names[name] = d.keys(properties[name])
		}
	}
	if items := all.first("items"); items != nil {
		keys.items = d.keys(items)
	}
	d.cut = d.cut || all.cut || d.tree.left < 0
	return keys
}

// undeclared looks for the keys of inputs that an open schema takes without declaring them.
type undeclared struct {
	seen  map[string]bool // the keys that were found, without the places in lists
	notes []runtime.Note
}

// undeclared are notes on the inputs that the schema takes and does not declare, which may be
// misspelt. There are none where it declares nothing, or says that there may be others.
func (s *ScriptToolSpec) undeclared(inputs json.RawMessage) []runtime.Note {
	if s.declared == nil {
		return nil
	}
	if len(inputs) > undeclaredBytes {
		return []runtime.Note{{Code: runtime.NoteUndeclared, Text: fmt.Sprintf("inputs of more than %d bytes are not checked for keys that the tool does not declare", undeclaredBytes)}}
	}
	u, declared := undeclared{seen: map[string]bool{}}, s.declared()
	u.value(declared.declaredKeys, inputs, "", "", 0)
	if declared.cut {
		u.notes = append(u.notes, runtime.Note{Code: runtime.NoteUndeclared, Text: fmt.Sprintf("inputs that the tool does not declare were looked for in a part of its schema, which leads through more than %d parts", maxParts)})
	}
	return u.notes
}

// value looks at one value. The place is its path; the kind is that of all elements of a list.
func (u *undeclared) value(keys *declaredKeys, value json.RawMessage, place, kind string, depth int) {
	value = bytes.TrimLeft(value, " \t\r\n")
	switch {
	case len(value) == 0 || depth > undeclaredDepth:
	case value[0] == '{' && keys.names != nil:
		u.object(keys, value, place, kind, depth)
	case value[0] == '[' && keys.items != nil && (keys.items.names != nil || keys.items.items != nil):
		elements := json.NewDecoder(bytes.NewReader(value))
		_, err := elements.Token()
		for i := 0; err == nil && elements.More() && i < undeclaredElements; i++ {
			var element json.RawMessage
			if err = elements.Decode(&element); err == nil {
				u.value(keys.items, element, fmt.Sprintf("%s[%d]", place, i), kind+"[]", depth+1)
			}
		}
	}
}

func (u *undeclared) object(keys *declaredKeys, value json.RawMessage, place, kind string, depth int) {
	if place != "" {
		place, kind = place+".", kind+"."
	}
	members := json.NewDecoder(bytes.NewReader(value)) // one after the other: there may be very many
	_, err := members.Token()
	for err == nil && members.More() && len(u.notes) <= undeclaredNotes {
		var member json.RawMessage
		token, _ := members.Token()
		key, _ := token.(string)
		if err = members.Decode(&member); err != nil {
			return
		}
		if below, declared := keys.names[key]; declared {
			u.value(below, member, place+key, kind+key, depth+1)
		} else if !u.seen[kind+key] {
			u.seen[kind+key] = true
			u.found(slices.Sorted(maps.Keys(keys.names)), place, key)
		}
	}
}

func (u *undeclared) found(names []string, place, key string) {
	var text, near string
	if len(key) <= undeclaredKey {
		near = spelling.Nearest(key, names)
	}
	switch {
	case len(u.notes) == undeclaredNotes:
		text = "there are more inputs that the tool does not declare"
	case near != "":
		text = fmt.Sprintf("the tool declares no input %q; did you mean %q?", clip.Head(place+key, 200), place+near)
	default:
		text = fmt.Sprintf("the tool declares no input %q; it declares %s", clip.Head(place+key, 200), clip.Head(strings.Join(names, ", "), 300))
	}
	u.notes = append(u.notes, runtime.Note{Code: runtime.NoteUndeclared, Text: text})
}
