package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// place is where a value stands in a text.
type place struct{ from, to int }

// fields are the members of a JSON object in a text.
type fields struct {
	at      place // of the object
	first   int   // where its first key begins; 0 if it has none
	keys    []string
	values  []place
	closing int // where its last member ends, or its brace has opened
}

// fieldsOf reads the object at a place of a text that is valid JSON; false if another value is
// there.
func fieldsOf(text []byte, at place) (f fields, ok bool) {
	if text[at.from] != '{' {
		return f, false
	}
	f.at, f.closing = at, at.from+1
	decoder := json.NewDecoder(bytes.NewReader(text[at.from:at.to]))
	if _, err := decoder.Token(); err != nil {
		return f, false
	}
	for decoder.More() {
		if len(f.keys) == 0 {
			rest := text[f.closing:]
			f.first = f.closing + len(rest) - len(bytes.TrimLeft(rest, blank))
		}
		token, err := decoder.Token()
		key, isKey := token.(string)
		var value json.RawMessage
		if err != nil || !isKey || decoder.Decode(&value) != nil {
			return f, false
		}
		f.closing = at.from + int(decoder.InputOffset())
		f.keys = append(f.keys, key)
		f.values = append(f.values, place{f.closing - len(value), f.closing})
	}
	return f, true
}

// find returns the value of a key, and how many members have it.
func (f fields) find(key string) (value place, times int) {
	for i, k := range f.keys {
		if k == key {
			value = f.values[i]
			times++
		}
	}
	return value, times
}

func (c Client) addJSON(text []byte, s Server, force bool) ([]byte, Change, error) {
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, "", unkept("it is not plain JSON, as it is with comments or with commas before brackets (%v)", err)
	}
	begin := bytes.IndexAny(text, "{[\"0123456789-tfn")
	root, ok := fieldsOf(text, place{begin, len(bytes.TrimRight(text, blank))})
	if !ok {
		return nil, "", unkept("it holds no object")
	}
	w := writer{text: text, unit: "  ", newline: "\n"}
	w.learn(root)
	servers, times := root.find(c.at)
	switch times {
	case 0:
		return w.insert(root, "", member{c.at, object{{s.Name, c.entry(s)}}}), Added, nil
	case 1:
	default:
		return nil, "", unkept("it has %q twice", c.at)
	}
	inner, ok := fieldsOf(text, servers)
	if !ok {
		return nil, "", unkept("its %q is no object", c.at)
	}
	entry, times := inner.find(s.Name)
	switch times {
	case 0:
		return w.insert(inner, w.unit, member{s.Name, c.entry(s)}), Added, nil
	case 1:
	default:
		return nil, "", unkept("it has %q twice", s.Name)
	}
	var have, want any
	if json.Unmarshal(text[entry.from:entry.to], &have) == nil && json.Unmarshal([]byte(w.render(c.entry(s), "")), &want) == nil && holds(have, want) {
		return text, Unchanged, nil
	}
	if !force {
		return nil, "", ErrDiffers
	}
	return w.put(entry, w.render(c.entry(s), w.indentOf(inner, w.unit))), Replaced, nil
}

// writer writes into a text in the manner of that text.
type writer struct {
	text          []byte
	unit, newline string
	oneLine       bool // it is not laid out for people
}

// learn takes the manner from the outermost object.
func (w *writer) learn(root fields) {
	if bytes.Contains(w.text, []byte("\r\n")) {
		w.newline = "\r\n"
	}
	if len(root.keys) == 0 {
		return
	}
	space := string(w.text[root.at.from+1 : root.first])
	at := strings.LastIndexByte(space, '\n')
	if w.oneLine = at < 0; !w.oneLine && space[at+1:] != "" {
		w.unit = space[at+1:]
	}
}

// indentOf is what stands before the members of an object; outer is what would, were it laid out
// as the outermost one.
func (w *writer) indentOf(f fields, outer string) string {
	if len(f.keys) == 0 {
		return outer + w.unit
	}
	space := string(w.text[f.at.from+1 : f.first])
	if at := strings.LastIndexByte(space, '\n'); at >= 0 {
		return space[at+1:]
	}
	return outer + w.unit
}

// insert adds a member behind the last one of an object, which is indented by outer.
func (w *writer) insert(f fields, outer string, m member) []byte {
	indent := w.indentOf(f, outer)
	value := quoted(m.key) + ": " + w.render(m.value, indent)
	if w.oneLine {
		if len(f.keys) > 0 {
			value = ", " + value
		}
		return w.put(place{f.closing, f.closing}, value)
	}
	if len(f.keys) > 0 {
		return w.put(place{f.closing, f.closing}, ","+w.newline+indent+value)
	}
	return w.put(place{f.at.from, f.at.to}, "{"+w.newline+indent+value+w.newline+outer+"}")
}

func (w *writer) render(value any, indent string) string {
	var b strings.Builder
	writeJSON(&b, value, indent, w.unit)
	if w.oneLine {
		var compact bytes.Buffer
		_ = json.Compact(&compact, []byte(b.String())) // it was just written
		return compact.String()
	}
	return strings.ReplaceAll(b.String(), "\n", w.newline)
}

// put is the text with a place of it replaced.
func (w *writer) put(at place, with string) []byte {
	return bytes.Join([][]byte{w.text[:at.from], []byte(with), w.text[at.to:]}, nil)
}
