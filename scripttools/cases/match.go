package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// Difference is a part of a value that is not as it should be.
type Difference struct {
	// Path is where: value.items[3].name.
	Path string `json:"path"`
	// Got and Want are JSON, or say in words what is or should be there.
	Got  string `json:"got"`
	Want string `json:"want"`
}

// String is a line.
func (d Difference) String() string { return fmt.Sprintf("%s: got %s, want %s", d.Path, d.Got, d.Want) }

// The matchers: an object with one key, which is one of these.
const (
	matchText = "$match" // a text in which a regular expression is found
	matchAny  = "$any"   // any value of these types, separated by |
	matchHas  = "$has"   // an object with at least these keys, a list with these elements, a text with this in it
	matchIs   = "$is"    // this value, where it looks like a matcher
)

var matcherNames = []string{matchText, matchAny, matchHas, matchIs}

var typeNames = []string{"string", "number", "boolean", "object", "array", "null", "any"}

// matcher is what a matcher consists of; name is empty for any other value.
func matcher(v any) (name string, operand any) {
	object, _ := v.(map[string]any)
	if len(object) != 1 {
		return "", nil
	}
	for key, operand := range object {
		if strings.HasPrefix(key, "$") {
			return key, operand
		}
	}
	return "", nil
}

// checkMatchers finds matchers that are none. Paths are JSON Pointers.
func checkMatchers(v any, at string, fail func(at, message string)) {
	name, operand := matcher(v)
	switch name {
	case matchIs:
		return
	case matchHas:
		switch operand.(type) {
		case map[string]any, []any, string:
			checkMatchers(operand, at+"/$has", fail)
		default:
			fail(at, "$has takes an object, a list or a text")
		}
		return
	case matchText:
		text, ok := operand.(string)
		if _, err := regexp.Compile(text); err != nil || !ok {
			fail(at, fmt.Sprintf("$match takes a regular expression: %v", err))
		}
		return
	case matchAny:
		text, _ := operand.(string)
		for one := range strings.SplitSeq(text, "|") {
			if !slices.Contains(typeNames, one) {
				fail(at, fmt.Sprintf("$any takes types, such as %q; there is no type %q", "string|null", one))
			}
		}
		return
	}
	if name != "" {
		hint := ""
		if near := spelling.Nearest(name, matcherNames); near != "" {
			hint = "did you mean " + near + "? "
		}
		fail(at, fmt.Sprintf("there is no matcher %s; %sthe matchers are %s; write {\"$is\": …} around a value that looks like one", name, hint, strings.Join(matcherNames, ", ")))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for key, part := range v {
			checkMatchers(part, at+"/"+key, fail)
		}
	case []any:
		for i, part := range v {
			checkMatchers(part, at+"/"+strconv.Itoa(i), fail)
		}
	}
}

// decoded is a JSON text as values; nil for none.
func decoded(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // it was valid
	return v
}

// escaped is a value that is matched as it is: what looks like a matcher is marked.
func escaped(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"$`)) && !bytes.Contains(raw, []byte(`"\u0024`)) {
		return raw
	}
	v, changed := marked(decoded(raw))
	if !changed {
		return raw
	}
	raw, _ = encode(v) // it was JSON
	return raw
}

func marked(v any) (_ any, changed bool) {
	if name, _ := matcher(v); name != "" {
		return map[string]any{matchIs: v}, true
	}
	switch v := v.(type) {
	case map[string]any:
		for key, part := range v {
			now, in := marked(part)
			v[key], changed = now, changed || in
		}
	case []any:
		for i, part := range v {
			now, in := marked(part)
			v[i], changed = now, changed || in
		}
	}
	return v, changed
}

// compare is how two JSON texts differ; parts of want can be matchers.
func compare(path string, want, got json.RawMessage) []Difference {
	c := comparison{matching: true}
	c.values(path, decoded(want), decoded(got))
	return c.found
}

type comparison struct {
	matching bool
	found    []Difference
}

func (c *comparison) add(path, got, want string) {
	c.found = append(c.found, Difference{Path: path, Got: got, Want: want})
}

func (c *comparison) values(path string, want, got any) {
	if name, operand := matcher(want); c.matching && name != "" {
		c.matched(path, name, operand, got)
		return
	}
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			c.objects(path, want, got, false)
			return
		}
	case []any:
		if got, ok := got.([]any); ok {
			c.lists(path, want, got)
			return
		}
	case string:
		if got, ok := got.(string); ok {
			c.texts(path, want, got)
			return
		}
	}
	if !same(want, got) {
		c.add(path, shown(got), shown(want))
	}
}

func (c *comparison) objects(path string, want, got map[string]any, part bool) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		at := path + member(key)
		if value, ok := got[key]; ok {
			c.values(at, want[key], value)
		} else {
			c.add(at, "nothing", shown(want[key]))
		}
	}
	if part {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			c.add(path+member(key), shown(got[key]), "nothing")
		}
	}
}

func (c *comparison) lists(path string, want, got []any) {
	if len(want) != len(got) {
		c.add(path, fmt.Sprintf("%d elements", len(got)), strconv.Itoa(len(want)))
	}
	for i := range min(len(want), len(got)) {
		c.values(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])
	}
	for i := len(want); i < len(got); i++ {
		c.add(fmt.Sprintf("%s[%d]", path, i), shown(got[i]), "nothing")
	}
	for i := len(got); i < len(want); i++ {
		c.add(fmt.Sprintf("%s[%d]", path, i), "nothing", shown(want[i]))
	}
}

// texts of several lines differ in some of them.
func (c *comparison) texts(path, want, got string) {
	if want == got {
		return
	}
	wanted, lines := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(wanted) == 1 && len(lines) == 1 {
		one, other := around(got, want)
		c.add(path, one, other)
		return
	}
	if len(wanted) != len(lines) {
		c.add(path, fmt.Sprintf("%d lines", len(lines)), strconv.Itoa(len(wanted)))
	}
	for i := range max(len(wanted), len(lines)) {
		at := fmt.Sprintf("%s, line %d", path, i+1)
		switch {
		case i >= len(lines):
			c.add(at, "nothing", shown(wanted[i]))
		case i >= len(wanted):
			c.add(at, shown(lines[i]), "nothing")
		case wanted[i] != lines[i]:
			one, other := around(lines[i], wanted[i])
			c.add(at, one, other)
		}
	}
}

func (c *comparison) matched(path, name string, operand, got any) {
	switch name {
	case matchIs:
		inner := comparison{}
		inner.values(path, operand, got)
		c.found = append(c.found, inner.found...)
	case matchText:
		text, ok := got.(string)
		pattern, _ := operand.(string)
		if found, err := regexp.MatchString(pattern, text); !ok || !found || err != nil {
			c.add(path, shown(got), "a text that matches "+pattern)
		}
	case matchAny:
		types, _ := operand.(string)
		if list := strings.Split(types, "|"); !slices.Contains(list, "any") && !slices.Contains(list, typeOf(got)) {
			c.add(path, shown(got), strings.Join(list, " or "))
		}
	case matchHas:
		c.holds(path, operand, got)
	}
}

// holds compares a part with the whole.
func (c *comparison) holds(path string, part, got any) {
	switch part := part.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			c.objects(path, part, got, true)
			return
		}
	case []any:
		if got, ok := got.([]any); ok {
			for _, one := range part {
				if !slices.ContainsFunc(got, func(v any) bool { return c.equal(one, v) }) {
					c.add(path, fmt.Sprintf("%d elements without it", len(got)), shown(one))
				}
			}
			return
		}
	case string:
		if got, ok := got.(string); ok && strings.Contains(got, part) {
			return
		}
		c.add(path, shown(got), "a text with "+shown(part)+" in it")
		return
	}
	c.add(path, shown(got), "something that has "+shown(part))
}

func (c *comparison) equal(want, got any) bool {
	inner := comparison{matching: c.matching}
	inner.values("", want, got)
	return len(inner.found) == 0
}

// same compares what has no parts; numbers by what they are worth.
func same(a, b any) bool {
	one, ok := a.(json.Number)
	other, too := b.(json.Number)
	if !ok || !too {
		return reflect.DeepEqual(a, b)
	}
	x, err := one.Float64()
	y, bad := other.Float64()
	return one == other || err == nil && bad == nil && x == y
}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "null"
}

// member is a key of an object in a path.
func member(key string) string {
	if !strings.ContainsFunc(key, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }) && key != "" {
		return "." + key
	}
	return "[" + strconv.Quote(clip.Head(key, 100)) + "]"
}

// shown is a value in a line.
func shown(v any) string {
	text, err := encode(v)
	if err != nil {
		return err.Error()
	}
	return cut(string(text), maxShown)
}

// maxShown is how many bytes of a value are shown.
const maxShown = 200

func cut(text string, most int) string {
	if head := clip.Head(text, most); head != text {
		return head + "…"
	}
	return text
}

// around are two different texts in a line each; of long ones, where they differ.
func around(a, b string) (string, string) {
	if len(a) <= maxShown && len(b) <= maxShown {
		return shown(a), shown(b)
	}
	one, other := []rune(a), []rune(b)
	at := 0
	for at < min(len(one), len(other)) && one[at] == other[at] {
		at++
	}
	from := at - 20
	if from <= 0 {
		return shown(a), shown(b)
	}
	return "…" + shown(string(one[from:])), "…" + shown(string(other[from:]))
}
