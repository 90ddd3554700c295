package runtime

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"pgregory.net/rapid"
)

func TestIndentJSON(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a":[1,{"b":"x,[:"}],"c":{},"d":[]}`: "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x,[:\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}",
		` [ 1 , "\"" ] `://nolint:gocritic // the white space is what is tried
		"[\n  1,\n  \"\\\"\"\n]",
		`"a"`: `"a"`,
		`[]`:  `[]`,
		`{`:   `{`,
	} {
		if diff := cmp.Diff(want, string(plain.JSON([]byte(raw)))); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

// What is laid out in full is what the standard library makes of it.
func TestIndentJSONAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(hostileJSON(t, 40, 20))
		var want bytes.Buffer
		if err := json.Indent(&want, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		got := plain.JSON(raw)
		var a, b bytes.Buffer
		if json.Compact(&a, got) != nil || json.Compact(&b, raw) != nil || a.String() != b.String() {
			t.Fatalf("%s became %s", raw, got)
		}
		if want.Len() < 500 && want.String() != string(got) {
			t.Fatalf("got:\n%s\nwant:\n%s", got, want.String())
		}
	})
}

// hostileJSON draws a value that is out to become large when it is rendered, of
// size parts that repeat something up to most times.
func hostileJSON(t *rapid.T, size, most int) string {
	text := rapid.SampledFrom([]string{"", "a", "\n", "\u2028", "<&>", `"`, `\`, "\x01", "\x7f", "\u202e", "\u0085", "🙂", "\t\r\n"})
	var value func(depth int) string
	value = func(depth int) string {
		if size--; size <= 0 || depth > 30 {
			return "1"
		}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			encoded, err := marshal(strings.Repeat(text.Draw(t, "text"), rapid.IntRange(0, most).Draw(t, "times")))
			if err != nil {
				t.Fatal(err)
			}
			return encoded
		case 1:
			deep := rapid.IntRange(1, min(most, 900)).Draw(t, "deep")
			return strings.Repeat("[", deep) + value(depth+1) + strings.Repeat("]", deep)
		case 2:
			return "[" + strings.Repeat("1,", rapid.IntRange(0, 10*most).Draw(t, "ones")) + value(depth+1) + "]"
		case 3:
			return `{"` + strings.Repeat("k", rapid.IntRange(0, 100).Draw(t, "key")) + `":` + value(depth+1) + `,"z":[]}`
		default:
			return "[" + value(depth+1) + "," + value(depth+1) + "]"
		}
	}
	return value(0)
}

func marshal(v any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSpace(out.String()), err
}

// rendered checks that no rendering of a value of size bytes, and of logs of as
// many, is larger than it may be.
func rendered(t interface{ Fatalf(string, ...any) }, value string) {
	const slack = 8 << 10
	limit := len(value)
	text := textOf(json.RawMessage(value))
	encoded, err := marshal(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	book := &logBook{limit: int64(limit)}
	for range 3 {
		book.add(wire.Log{Level: "log", Text: text, Bytes: int64(len(text))})
	}
	logs, _ := book.entries()
	report := &Report{Tool: "t", Outcome: OutcomeOK, Value: json.RawMessage(value), Text: text}
	document, err := report.MarshalJSON()
	if err != nil {
		t.Fatalf("%v", err)
	}
	var kept []logJSON
	for _, entry := range logs {
		kept = append(kept, logJSON{Level: entry.Level, Text: entry.Text})
	}
	recorded, err := marshal(kept)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for name, size := range map[string]int{
		"text": len(text), "text in a document": len(encoded), "text on a terminal": len(plain.Text(text)),
		"report for people": len(report.String()), "logs": len(recorded),
		"report": len(document) - limit, // the value stands in it beside the text
	} {
		if size > 2*limit+slack {
			t.Fatalf("%s: %d bytes of %d", name, size, limit)
		}
	}
	if laid := plain.JSON(document); len(laid) > 2*len(document)+slack {
		t.Fatalf("--json: %d bytes of %d", len(laid), len(document))
	}
}

// Whatever a value is, no rendering of it is much more than twice as large.
func TestRenderingNeverMultiplies(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"[" + strings.Repeat("[", 990) + strings.Repeat("1,", 30_000) + "1" + strings.Repeat("]", 990) + "]",
		`"` + strings.Repeat(`\n`, 30_000) + `"`, `"` + strings.Repeat("\u2028", 20_000) + `"`,
		`"` + strings.Repeat("<", 60_000) + `"`, `["` + strings.Repeat(`\\`, 30_000) + `"]`,
		"[" + strings.Repeat(`"",`, 20_000) + `""]`, strings.Repeat(`{"":`, 900) + "1" + strings.Repeat("}", 900),
		`"` + strings.Repeat("\x7f", 60_000) + `"`, `"` + strings.Repeat(`\u0001`, 10_000) + `"`, `"` + strings.Repeat("\u0085", 30_000) + `"`,
	} {
		rendered(t, value)
	}
	rapid.Check(t, func(t *rapid.T) { rendered(t, hostileJSON(t, 20, 3000)) })
}

// FuzzRendering looks for a value that becomes large when it is rendered.
func FuzzRendering(f *testing.F) {
	f.Add([]byte(`[[[[1,1,1,1]]]]`), uint16(100))
	f.Add([]byte("\"\x7f\u2028\""), uint16(1000))
	f.Add([]byte(`{"a":"\n\n"}`), uint16(1))
	f.Fuzz(func(t *testing.T, piece []byte, times uint16) {
		if !json.Valid(piece) || len(piece)*int(times) > 1<<20 {
			return
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, bytes.ToValidUTF8(piece, nil)); err != nil {
			return
		}
		rendered(t, compact.String())
		rendered(t, "["+strings.Repeat(compact.String()+",", int(times))+"1]")
		deep := int(times) % 900
		rendered(t, strings.Repeat(`[1,{"a":`, deep/2)+compact.String()+strings.Repeat("}]", deep/2))
	})
}

// A worker may send more than it should of everything.
func TestWhatAWorkerSaysOfAnErrorIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x01", 2<<20)
	e := &execution{report: &Report{Tool: "t"}, program: &Program{name: "t.js"}}
	throw := &wire.Throw{Cause: wire.CauseThrown, Name: long, Message: long}
	for range 10_000 {
		throw.Stack = append(throw.Stack, wire.Place{Func: long[:1000], Line: 1, Col: 1})
	}
	e.threw(throw)
	document, err := e.report.MarshalJSON()
	if err != nil || len(document) > 512<<10 || len(e.report.String()) > 256<<10 {
		t.Errorf("%d bytes, %d for people, %v", len(document), len(e.report.String()), err)
	}
}
