package schema_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// script makes a schema, or a value, of bytes: each byte is a choice. So a
// mutation of the bytes is another schema, rarely a text that is none.
type script struct {
	bytes []byte
	depth int
	size  int
}

func (s *script) choose(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	c := int(s.bytes[0]) % n
	s.bytes = s.bytes[1:]
	return c
}

var scriptNames = []string{"a", "b", "c", "long" + strings.Repeat("g", 40)}

// schema writes one of a handful of definitions, which refer to each other.
func (s *script) schema() string {
	s.depth++
	s.size++
	defer func() { s.depth-- }()
	if s.depth > 12 || s.size > 500 || len(s.bytes) == 0 {
		return `true`
	}
	list := func() string {
		var items []string
		for range 1 + s.choose(4) {
			items = append(items, s.schema())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	named := func() string {
		var items []string
		for i := range 1 + s.choose(3) {
			items = append(items, fmt.Sprintf("%q:%s", scriptNames[i], s.schema()))
		}
		return "{" + strings.Join(items, ",") + "}"
	}
	var keys []string
	add := func(key, value string) { keys = append(keys, fmt.Sprintf("%q:%s", key, value)) }
	for range 1 + s.choose(3) {
		switch key := []string{"$ref", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "properties", "patternProperties", "additionalProperties", "items",
			"prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems", "uniqueItems", "pattern", "enum", "const", "default", "dependentSchemas",
			"propertyNames", "type", "$dynamicRef", "multipleOf", "format", "required"}[s.choose(27)]; key {
		case "$ref":
			add(key, fmt.Sprintf(`"#%s"`, []string{"", "/$defs/a", "/$defs/b", "/$defs/c", "/properties/a", "/x/y"}[s.choose(6)]))
		case "$dynamicRef":
			add(key, `"#/$defs/b"`)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			add(key, list())
		case "not", "additionalProperties", "items", "contains", "unevaluatedProperties", "unevaluatedItems", "propertyNames":
			add(key, s.schema())
		case "if":
			add("if", s.schema())
			add("then", s.schema())
			add("else", s.schema())
		case "properties", "dependentSchemas":
			add(key, named())
		case "patternProperties":
			add(key, fmt.Sprintf(`{"^.*%s":%s}`, []string{"", "a", "(a|b){1,9}"}[s.choose(3)], s.schema()))
		case "uniqueItems":
			add(key, "true")
		case "pattern":
			add(key, []string{`"a*b"`, `"(a{1,20}){1,20}b"`, `"\\p{L}+$"`}[s.choose(3)])
		case "enum":
			add(key, "["+s.value()+","+s.value()+"]")
		case "const", "default":
			add(key, s.value())
		case "type":
			add(key, []string{`"object"`, `"array"`, `"string"`, `["integer","null"]`}[s.choose(4)])
		case "multipleOf":
			add(key, []string{"3", "1e-300", "1e300"}[s.choose(3)])
		case "format":
			add(key, []string{`"date"`, `"regex"`, `"uri"`, `"email"`}[s.choose(4)])
		case "required":
			add(key, `["a","b"]`)
		}
	}
	if s.depth == 1 {
		add("$defs", fmt.Sprintf(`{"a":%s,"b":%s,"c":%s}`, s.schema(), s.schema(), s.schema()))
		add("x", `{"y":`+s.schema()+`}`)
	}
	seen := map[string]bool{} // a key that is there twice is the last one
	var once []string
	for _, k := range keys {
		name, _, _ := strings.Cut(k, ":")
		if !seen[name] {
			seen[name] = true
			once = append(once, k)
		}
	}
	return "{" + strings.Join(once, ",") + "}"
}

func (s *script) value() string {
	s.depth++
	s.size++
	defer func() { s.depth-- }()
	if s.depth > 60 || s.size > 3000 || len(s.bytes) == 0 {
		return "1"
	}
	switch s.choose(8) {
	case 0:
		return "null"
	case 1:
		return []string{"0", "-1.5", "1e300", "5e-324", "1e99999999"}[s.choose(5)]
	case 2:
		return `"` + strings.Repeat("ab", s.choose(200)) + `"`
	case 3, 4:
		one := s.value()
		return "[" + strings.Repeat(one+",", min(s.choose(60), 20_000/(len(one)+1))) + one + "]"
	default:
		var items []string
		for i := range 1 + s.choose(4) {
			items = append(items, fmt.Sprintf("%q:%s", scriptNames[i], s.value()))
		}
		return "{" + strings.Join(items, ",") + "}"
	}
}

// The most that compiling and checking may allocate, whatever they are given:
// a constant, and so much for each byte.
const (
	workBytes        = 160 << 20
	workBytesPerByte = 4 << 10
)

// FuzzWork looks for a schema and a value that cost more than they should. What
// is allocated stands for the work, for it does not depend on the machine; that
// it ends at all is seen as well.
func FuzzWork(f *testing.F) {
	f.Add([]byte{2, 0, 1, 0, 1, 0, 2}, []byte{5, 1, 5, 1, 5, 1})
	f.Add([]byte(strings.Repeat("\x01\x07\x02\x02\x02\x00\x00", 8)), []byte(strings.Repeat("\x05", 40)))
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), []byte("zyxwvutsrqponmlkjihgfedcba9876543210"))
	f.Add([]byte(strings.Repeat("\x02\x03\x04\x05\x06\x0d\x0e", 20)), []byte(strings.Repeat("\x03\x20\x05\x02", 10)))
	f.Fuzz(func(t *testing.T, shape, content []byte) {
		text := (&script{bytes: shape}).schema()
		value := (&script{bytes: content}).value()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		s, err := schema.Compile(json.RawMessage(text))
		if err == nil {
			filled, err := s.ApplyDefaults(json.RawMessage(value))
			if err == nil {
				_ = s.Validate(filled)
			}
		}
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > workBytes+uint64(len(text)+len(value))*workBytesPerByte {
			t.Errorf("%d bytes allocated for\n%s\n%s", used, text, value)
		}
		if took > 10*time.Second {
			t.Errorf("%v for\n%s\n%s", took, text, value)
		}
	})
}
