package jsonbound_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":[1,-2.5e3,true],"b\"]":{}}`: `{1 "a"1 :1 [2 12 ,2 -2.5e32 ,2 ]1 ,1 "b\"]"1 :1 {2 }1 }0 `,
		``:                                ``,
		`null`:                            ``,
		`"cut off \"`:                     `"cut off \"0 `,
		`"\`:                              `"\0 `,
		`]}`:                              `]-1 }-2 `,
	} {
		var got strings.Builder
		for m := jsonbound.Scan([]byte(text)); m.Next(); {
			fmt.Fprintf(&got, "%s%d ", m.Text(), m.Depth)
		}
		if got.String() != want {
			t.Errorf("%s: %s, not %s", text, got.String(), want)
		}
	}
}

// TestPartsAreWhatValuesTake: each way to write many values in few bytes has as
// many parts as it has values, or more.
func TestPartsAreWhatValuesTake(t *testing.T) {
	t.Parallel()
	const n = 10_000
	for text, least := range map[string]int{
		"[" + strings.Repeat("0,", n) + "0]":                             n,
		"[" + strings.Repeat("{},", n) + "0]":                            n * jsonbound.ObjectParts,
		"[" + strings.Repeat("[],", n) + "0]":                            2 * n,
		"[" + strings.Repeat(`"",`, n) + "0]":                            n,
		"[" + strings.Repeat("null,", n) + "0]":                          n,
		strings.Repeat("[", n) + strings.Repeat("]", n):                  2 * n,
		strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n):        n * jsonbound.ObjectParts,
		"{" + strings.Repeat(`"k":0,`, n) + `"k":0}`:                     2 * n,
		`"` + strings.Repeat(`[{,`, n) + `"`:                             1,
		"[ \n\t" + strings.Repeat(" ", n) + "]":                          3,
		"[" + strings.Repeat(`"\\\"",`, n) + `"` + `\u005b\u007b` + `"]`: n,
	} {
		m := jsonbound.Scan([]byte(text))
		for m.Next() { //nolint:revive // to the end
		}
		if m.Parts < least || m.Parts > 2*least+20 {
			t.Errorf("%.30s: %d parts, at least %d were expected", text, m.Parts, least)
		}
	}
}

func FuzzMarks(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\\\"",{}]}`))
	f.Add([]byte(`"\`))
	f.Fuzz(func(t *testing.T, text []byte) {
		end, deepest := 0, 0
		m := jsonbound.Scan(text)
		for m.Next() {
			if m.Begin < end || m.End <= m.Begin || m.End > len(text) {
				t.Fatalf("a mark at %d to %d, after %d", m.Begin, m.End, end)
			}
			end, deepest = m.End, max(deepest, m.Depth)
			if m.Kind == '"' && json.Valid(text) && !json.Valid(m.Text()) {
				t.Fatalf("%q is no string of %q", m.Text(), text)
			}
		}
		if json.Valid(text) && m.Depth != 0 {
			t.Fatalf("%d brackets are open behind %q", m.Depth, text)
		}
	})
}

// TestPartsAreAsLargeAsTheySay: what a decoder makes of a text takes about as much
// for each part, whatever the parts are.
func TestPartsAreAsLargeAsTheySay(t *testing.T) { //nolint:paralleltest // what others take would count
	const n, most = 20_000, 45
	taken := func() int64 {
		runtime.GC()
		runtime.GC() // what a finalizer held is gone after the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc) //nolint:gosec // no heap is that large
	}
	for _, element := range []string{`1.5`, `""`, `null`, `{}`, `[]`, `{"k":0}`, `{"k":{}}`, `[[]]`, `{"a":0,"b":0,"c":0}`} {
		text := []byte("[" + strings.Repeat(element+",", n) + "0]")
		m := jsonbound.Scan(text)
		for m.Next() { //nolint:revive // to the end
		}
		before := taken()
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		took := taken() - before
		runtime.KeepAlive(value)
		runtime.KeepAlive(text)
		t.Logf("%s: %d bytes a part", element, took/int64(m.Parts))
		if took > most*int64(m.Parts) {
			t.Errorf("%s: %d bytes for %d parts, more than %d each", element, took, m.Parts, most)
		}
	}
}
