package scripttools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/scripttools"
)

// schemaOf is a schema with definitions, and with many properties that are all alike.
func schemaOf(definitions string, times int, property string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type": "object", "$defs": {%s}, "properties": {`, definitions)
	for i := range times {
		fmt.Fprintf(&b, `%s"x%04d": %s`, strings.Repeat(", ", min(i, 1)), i, property)
	}
	return b.String() + "}}"
}

// deepParts are sixty references to one part, which lies deep and has a long text.
func deepParts(text int) string {
	const depth = 27
	ref := `{"$ref": "#` + strings.Repeat("/$defs/a", depth) + `"}`
	return `"b": {"allOf": [` + ref + strings.Repeat(", "+ref, 59) + `]}, ` + strings.Repeat(`"a": {"$defs": {`, depth-1) +
		`"a": {"type": "string", "description": "` + strings.Repeat("d", text) + `"}` + strings.Repeat("}}", depth-1)
}

// TestSchemasThatReferOften: whatever a schema repeats by its references, it is read at once, and
// little is said of each property.
func TestSchemasThatReferOften(t *testing.T) {
	t.Parallel()
	const toB = `{"$ref": "#/$defs/b"}`
	large := strings.Repeat("y", 100_000)
	for name, c := range map[string]struct {
		schema string
		want   string // how each is described
	}{
		"deep parts":  {schemaOf(deepParts(140_000), 40, toB), "text"},
		"many":        {schemaOf(`"b": {"type": "integer"}`, 2900, toB), "a whole number"},
		"a value":     {schemaOf(`"b": {"const": "`+large+`"}`, 2000, toB), `"` + large[:1023] + "… (100002 bytes)"},
		"values":      {schemaOf(`"b": {"enum": [`+strings.Repeat("0, ", 30_000)+`1]}`, 2000, toB), "0 or 0 or 0"},
		"a default":   {schemaOf(`"b": {"type": "string", "default": "`+large+`"}`, 2000, toB), `text, default "` + large[:1023] + "… (100002 bytes)"},
		"a text":      {schemaOf(`"b": {"type": "string", "description": "`+large+`"}`, 2000, toB), "text"},
		"itself":      {schemaOf(`"b": {"type": "null", "allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}`, 2000, toB), "null"},
		"its names":   {schemaOf(`"b": {"type": "null", "required": ["q`+strings.Repeat(`", "q`, 20_000)+`"]}`, 2000, toB), "null"},
		"nothing":     {schemaOf(``, 2000, `{"$ref": "#/$defs/b/c/d"}`), "anything"},
		"no pointer":  {schemaOf(`"b": {"$anchor": "b"}`, 2000, `{"$ref": "#b"}`), "anything"},
		"by a list":   {schemaOf(`"b": {"anyOf": [{"type": "null"}]}`, 2000, `{"$ref": "#/$defs/b/anyOf/0"}`), "null"},
		"with escape": {schemaOf(`"b c/d": {"type": "null"}`, 2000, `{"$ref": "#/$defs/b%20c~1d"}`), "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			for _, p := range scripttools.Properties([]byte(c.schema)) {
				if got := p.String(); !strings.HasPrefix(got, c.want) || len(got) > 8<<10 || p.Cut {
					t.Fatalf("%s: %d bytes: %.80s", p.Name, len(got), got)
				}
			}
			text := typings(t, &hosttest.Fake{ToolName: "x", About: hostapi.Description{Input: []byte(c.schema), Checked: true}})
			if took := time.Since(began); took > time.Minute || len(text) > 1<<20 {
				t.Errorf("after %v, with types of %d bytes", took, len(text))
			}
		})
	}
}

// TestPartsBeyondTheBoundAreSaid: of a schema that leads through more parts than are looked at,
// each place that looks says so.
func TestPartsBeyondTheBoundAreSaid(t *testing.T) {
	t.Parallel()
	text := schemaOf(deepParts(1), 1200, `{"$ref": "#/$defs/b"}`)
	all := scripttools.Properties([]byte(text))
	whole := slices.IndexFunc(all, func(p scripttools.Property) bool { return p.Cut })
	if whole < 500 || len(all) != 1200 || all[0].String() != "text" || all[1199].String() != "anything, and what else its schema says" {
		t.Errorf("%d of %d are whole: %s, %s", whole, len(all), all[0], all[1199])
	}
	types := typings(t, &hosttest.Fake{ToolName: "x", About: hostapi.Description{Input: []byte(text)}})
	if !strings.Contains(types, "larger than its types here") {
		t.Errorf("the types say nothing: %.2000s", types)
	}
	catalog, _ := loadOne(t, "input_schema: "+text)
	notes := catalog.Run(t.Context(), "a", scripttools.Inputs{"y": "z"}).NoteLines()
	if len(notes) != 2 || !strings.Contains(notes[0], `"y"`) || !strings.Contains(notes[1], "in a part of its schema") || len(notes[0]) > 1000 {
		t.Errorf("%q", notes)
	}
	// What is not known to be undeclared is taken, as text.
	got, err := scripttools.ParseArguments(specWith(t, text), []string{"x0000=1", "x1199.z=1"})
	if err != nil || string(got) != `{"x0000":"1","x1199":{"z":"1"}}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestKeysThatAreThereAreFew in the error of one that is not, and long ones are not compared.
func TestKeysThatAreThereAreFew(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 60_000)
	spec := specWith(t, strings.Replace(schemaOf("", 2000, "{}"), `"x0000"`, `"`+long+`"`, 1))
	_, err := scripttools.ParseArguments(spec, []string{long + "l=1", "zzzzzzzz=1"})
	var bad *scripttools.ArgumentsError
	if !errors.As(err, &bad) || len(bad.Problems) != 2 || strings.Contains(bad.Problems[0], "did you mean") {
		t.Fatalf("%.200v", err)
	}
	if said := bad.Problems[1]; len(said) > 4<<10 || !strings.Contains(said, "… (60000 bytes)") || !strings.Contains(said, " more") {
		t.Errorf("%d bytes: %.100s", len(said), said)
	}
	_, _, err = loadFiles(t, map[string]string{"tools/a.js": tool("description: d",
		`input_schema: {additionalProperties: false, properties: {"`+long+`": {}}, required: ["`+long+`l"]}`)})
	if err == nil || !strings.Contains(err.Error(), "is required and not among the properties") {
		t.Errorf("%.200v", err)
	}
}

// TestWhatNoValueCanBeIsFoundThroughReferences, in a schema whose parts refer to each other often.
func TestWhatNoValueCanBeIsFoundThroughReferences(t *testing.T) {
	t.Parallel()
	text := schemaOf(deepParts(1)+`, "c": {"type": "object"}`, 500, `{"$ref": "#/$defs/b"}`)
	text = strings.Replace(text, `"properties": {`, `"additionalProperties": false, "allOf": [{"$ref": "#/$defs/c"}, {"required": ["y"]}], "properties": {`, 1)
	if !json.Valid([]byte(text)) {
		t.Fatal(text)
	}
	_, _, err := loadFiles(t, map[string]string{"tools/a.js": tool("description: d", "input_schema: "+text)})
	if err == nil || !strings.Contains(err.Error(), `"y" is required and not among the properties`) {
		t.Errorf("%.500v", err)
	}
}
