package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// fan is a schema of n levels, each of which refers to the next one twice.
func fan(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"object"}}}`, n)
	return b.String()
}

// refused checks that a schema is refused, as an *Error with a place.
func refused(t *testing.T, text, path, message string) {
	t.Helper()
	_, err := schema.Compile(json.RawMessage(text))
	var broken *schema.Error
	if !errors.As(err, &broken) || len(broken.Violations) == 0 {
		t.Fatalf("it is %v", err)
	}
	first := broken.Violations[0]
	if !strings.HasPrefix(first.Path, path) || !strings.Contains(first.Message, message) {
		t.Errorf("it is refused at %.200q: %.300q", first.Path, first.Message)
	}
}

func TestSchemaThatMultipliesOnOneValueIsRefused(t *testing.T) {
	t.Parallel()
	refused(t, fan(40), "/$defs/a", "subschemas apply to one value")
	for _, keyword := range []string{"anyOf", "oneOf"} {
		refused(t, strings.ReplaceAll(fan(40), "allOf", keyword), "/$defs/a", "subschemas apply to one value")
	}
	if _, err := schema.Compile(json.RawMessage(fan(6))); err != nil {
		t.Errorf("a schema of sixty-four is refused: %v", err)
	}
}

func TestSchemaThatAppliesItselfWithoutEndIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"$ref":"#"}`,
		`{"allOf":[{"$ref":"#"}]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		`{"dependentSchemas":{"x":{"$ref":"#"}}}`,
	} {
		refused(t, text, "", "without end")
	}
	compile(t, `{"properties":{"child":{"$ref":"#"}},"items":{"$ref":"#"}}`)
}

func TestChainOfReferencesIsBounded(t *testing.T) {
	t.Parallel()
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"items":{"$ref":"#/$defs/a0"},"$defs":{`)
		for i := range n {
			fmt.Fprintf(&b, `"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
		}
		fmt.Fprintf(&b, `"a%d":{"type":"object"}}}`, n)
		return b.String()
	}
	refused(t, chain(4900), "/", "subschemas lead to one another for one value")
	refused(t, chain(200), "/", "subschemas lead to one another for one value")
	if err := compile(t, chain(150)).Validate(json.RawMessage("[" + strings.Repeat("{},", 49) + "{}]")); err != nil {
		t.Errorf("a chain of 150 is refused: %v", err)
	}
}

func TestSchemaThatTakesLongToCompileIsRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not":`, 200) + `true` + strings.Repeat(`}`, 200)
	many := `{"allOf":[` + strings.Repeat(`{"type":"string"},`, 7000) + `true]}`
	long := `{"properties":{"` + strings.Repeat("x", 100_000) + `":{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 3000) + `true]}}}`
	var elsewhere strings.Builder
	elsewhere.WriteString(`{"allOf":[`)
	for i := range 2000 {
		fmt.Fprintf(&elsewhere, `{"$ref":"#/x/y%d"},`, i)
	}
	elsewhere.WriteString(`true],"x":{`)
	for i := range 2000 {
		fmt.Fprintf(&elsewhere, `"y%d":{"type":"string"},`, i)
	}
	elsewhere.WriteString(`"z":true}}`)
	var named strings.Builder
	for i := range 300 {
		fmt.Fprintf(&named, `{"$id":"http://x/%d"},`, i)
	}
	for _, c := range []struct{ name, text, message string }{
		{"deep", deep, "levels deep"},
		{"many", many, "more than 6000 subschemas"},
		{"long names", long, "shorten the names"},
		{"references elsewhere", elsewhere.String(), "$defs"},
		{"identifiers", `{"allOf":[` + named.String() + `true]}`, "$anchor"},
		{"a long reference", `{"$ref":"#/` + strings.Repeat("a", 5000) + `"}`, "$ref has"},
		{"large", `{"description":"` + strings.Repeat("x", 300_000) + `"}`, "bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refused(t, c.text, "", c.message)
		})
	}
	compile(t, `{"$ref":"#/components/schemas/a","components":{"schemas":{"a":{"type":"string"}}}}`)
}

func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	refused(t, `{"pattern":"(((\\w{9}abc){9}abc){9}abc){1}"}`, "/pattern", "repeats too much")
	refused(t, `{"pattern":"`+strings.Repeat(`\\pL`, 5000)+`"}`, "/pattern", "bytes")
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `"a%d":{"pattern":"a%d{900}"},`, i, i)
	}
	refused(t, `{"properties":{`+many.String()+`"b":true}}`, "", "together")
	s := compile(t, `{"pattern":"^([a-z]{1,63}\\.){1,8}$","format":"regex"}`)
	if err := s.Validate(json.RawMessage(`"example.com."`)); err != nil {
		t.Error(err)
	}
	if err := s.Validate(json.RawMessage(`"` + strings.Repeat("a{900}", 1000) + `"`)); err == nil {
		t.Error("a value that is a pattern of 900,000 parts is taken for one")
	}
}

func TestHugeNumbersAreRefused(t *testing.T) {
	t.Parallel()
	for _, keyword := range []string{`"minimum":1`, `"multipleOf":3`, `"type":"integer"`, `"uniqueItems":true`, `"const":1`, `"enum":[1,2]`} {
		s := compile(t, `{`+keyword+`}`)
		for _, number := range []string{"1e9999999", "1e-9999999", "1e1000000", "1e99999999999999999999", strings.Repeat("9", 1000)} {
			for _, value := range []string{number, "[" + strings.Repeat("1,", 30) + number + "]"} {
				if err := s.Validate(json.RawMessage(value)); err == nil || !strings.Contains(err.Error(), "the number") {
					t.Errorf("%s: %.20s: %v", keyword, value, err)
				}
			}
		}
		for _, number := range []string{"1.7976931348623157e308", "-5e-324", "12345678901234567890123"} {
			if err := s.Validate(json.RawMessage(number)); err != nil && strings.Contains(err.Error(), "too many digits") {
				t.Errorf("%s: %v", number, err)
			}
		}
		if _, err := schema.Compile(json.RawMessage(`{` + keyword + `,"maximum":1e999999}`)); err == nil {
			t.Error("a bound of a million digits is taken")
		}
	}
}

// A schema may lead back to itself twice for every level of the value.
const twice = `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`

func nestedValue(depth int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth))
}

func TestCheckThatMultipliesAtEveryLevelIsRefused(t *testing.T) {
	t.Parallel()
	s := compile(t, twice)
	if err := s.Validate(nestedValue(8)); err != nil {
		t.Error(err)
	}
	for _, depth := range []int{30, 900} {
		if err := s.Validate(nestedValue(depth)); err == nil || !strings.Contains(err.Error(), "steps") {
			t.Errorf("%d levels: %.100v", depth, err)
		}
	}
	plain := compile(t, `{"properties":{"a":{"$ref":"#"}}}`)
	if err := plain.Validate(nestedValue(900)); err != nil {
		t.Errorf("a schema that does not multiply: %v", err)
	}
	if err := plain.Validate(nestedValue(1100)); err == nil {
		t.Error("1,100 levels pass")
	}
}

func TestCheckOfALargeValueIsBounded(t *testing.T) {
	t.Parallel()
	strs := func(n int, item string) json.RawMessage {
		return json.RawMessage("[" + strings.Repeat(item+",", n) + item + "]")
	}
	for _, c := range []struct {
		name, schema string
		value        json.RawMessage
		fits         bool
	}{
		{"as many as are allowed", `{"items":{"type":"integer"}}`, strs(200_000, "1"), true},
		{"too many", `{"items":{"type":"integer"}}`, strs(400_000, "1"), false},
		{"too many parts", `{"type":"array"}`, strs(2_000_000, "1"), false},
		{"a long text, a small pattern", `{"pattern":"^a*$"}`, json.RawMessage(`"` + strings.Repeat("a", 1<<20) + `"`), true},
		{"a long text, a large pattern", `{"pattern":"(a?){1000}b"}`, json.RawMessage(`"` + strings.Repeat("a", 1<<20) + `"`), false},
		{"many to compare", `{"items":{"enum":[` + strings.Repeat("1,", 50_000) + `2]}}`, strs(5000, "3"), false},
		{"equal lists", `{"uniqueItems":true}`, strs(19, "["+strings.Repeat("1,", 40_000)+"1]"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := compile(t, c.schema).Validate(c.value); (err == nil) != c.fits {
				t.Errorf("%.200v", err)
			}
		})
	}
}

func TestDefaultsThatMultiplyAreRefused(t *testing.T) {
	t.Parallel()
	refused(t, `{"properties":{"a":{"$ref":"#","default":{}},"b":{"$ref":"#","default":{}}}}`, "", "defaults")
	s := compile(t, `{"items":{"properties":{"a":{"default":"`+strings.Repeat("x", 50_000)+`"}}}}`)
	if _, err := s.ApplyDefaults(json.RawMessage("[" + strings.Repeat("{},", 1000) + "{}]")); err == nil {
		t.Error("a value grew by 50 MB")
	}
	filled, err := s.ApplyDefaults(json.RawMessage(`[{"b":"<<>>"}]`))
	if err != nil || !strings.Contains(string(filled), "<<>>") {
		t.Errorf("%.100s %v", filled, err)
	}
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 60_000)
	for name, c := range map[string]struct{ schema, value string }{
		"many":           {`{"items":{"type":"string"}}`, "[" + strings.Repeat("1,", 20_000) + "1]"},
		"below a name":   {`{"additionalProperties":{"items":{"type":"string"}}}`, `{"` + long + `":[` + strings.Repeat("1,", 200) + `1]}`},
		"of a text":      {`{"pattern":"^b"}`, `"` + long + `"`},
		"of a format":    {`{"format":"date"}`, `"` + long + `"`},
		"of names":       {`{"additionalProperties":false}`, `{"` + long + `":1,"` + long[1:] + `":1}`},
		"of a name":      {`{"propertyNames":{"maxLength":3}}`, `{"` + long + `":1}`},
		"of an enum":     {`{"items":{"enum":[` + strings.Repeat(`"`+long[:100]+`",`, 500) + `"b"]}}`, `["c","c","c"]`},
		"of what counts": {`{"contains":{"const":1},"maxContains":2}`, "[" + strings.Repeat("1,", 20_000) + "1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, c.schema).Validate(json.RawMessage(c.value))
			var broken *schema.Error
			if !errors.As(err, &broken) {
				t.Fatal(err)
			}
			encoded, _ := json.Marshal(broken.Violations)
			if len(err.Error()) > 40<<10 || len(encoded) > 40<<10 || len(broken.Violations) > 100 {
				t.Errorf("%d violations, %d bytes, %d as JSON", len(broken.Violations), len(err.Error()), len(encoded))
			}
			if name == "many" && (broken.More != 20_001-100 || !strings.Contains(err.Error(), "and 19901 more")) {
				t.Errorf("%d more, and it is not said: %.100s", broken.More, err)
			}
		})
	}
}

func TestMetaschemaIsASchema(t *testing.T) {
	t.Parallel()
	for _, draft := range []string{"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema"} {
		s := compile(t, `{"properties":{"schema":{"$ref":"`+draft+`"}}}`)
		deep := strings.Repeat(`{"properties":{"a":`, 30) + `true` + strings.Repeat(`}}`, 30)
		if err := s.Validate(json.RawMessage(`{"schema":` + deep + `}`)); err != nil {
			t.Errorf("%s: %v", draft, err)
		}
		if err := s.Validate(json.RawMessage(`{"schema":{"type":5}}`)); err == nil {
			t.Errorf("%s: a type that is a number passes", draft)
		}
	}
}

// TestOlderDraftsAreLoadedForThoseWhoNameThem: wherever a schema names one, and by whichever
// spelling; a schema of such a draft is checked against its metaschema.
func TestOlderDraftsAreLoadedForThoseWhoNameThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"type":"object"}`: false,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`:                      false,
		`{"description":"see http://json-schema.org/draft-07/schema"}`:                    false,
		`{"$schema":"http://json-schema.org/draft-07/schema#"}`:                           true,
		`{"\u0024schema":"http:\/\/json-schema.or\u0067\/draft-04/schema#"}`:              true,
		`{"items":{"$ref":"https://json-schema.org/draft/2019-09/schema"}}`:               true,
		`{"$id":"http://json-schema.org/draft-06/","properties":{"a":{"$ref":"schema"}}}`: true,
	} {
		if got, err := schema.NamesOlder(text); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, draft := range []string{"draft-04", "draft-06", "draft-07", "draft/2019-09"} {
		if _, err := schema.Compile(json.RawMessage(`{"$schema":"http://json-schema.org/` + draft + `/schema","properties":{"a":{"type":5}}}`)); err == nil {
			t.Errorf("%s: a type that is a number passes", draft)
		}
	}
}
