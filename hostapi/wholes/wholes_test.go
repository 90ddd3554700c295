package wholes_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/wholes"
)

// TestWholeNumbersThatAreNoneOfJavaScript are told: the script gets others.
func TestWholeNumbersThatAreNoneOfJavaScript(t *testing.T) {
	t.Parallel()
	for inputs, want := range map[string]string{
		`{"a": 9007199254740993, "b": [-9007199254740993]}`:     "9007199254740993 9007199254740992; -9007199254740993 -9007199254740992",
		`{"a": 9007199254740992, "b": 1e300, "c": 0.1}`:         "",
		`{"a": "9007199254740993", "\"9007199254740993": 1}`:    "",
		`{"a": 123456789012345678901234567890}`:                 "123456789012345678901234567890 123456789012345677877719597056",
		`{"a": 1.234567890123456789, "b": 12345678901234567e1}`: "",
		`{"a": 1e400, "b": [-1E+309, 1e308, 1e-400, 1.5e3]}`:    "1e400 Infinity; -1E+309 -Infinity",
		`{"a": "1e400", "b": 0e999999999}`:                      "",
		`{"a": 999999999999999, "b": 10000000000000000000000}`:  "",
	} {
		var got []string
		for _, lost := range wholes.LostIn(json.RawMessage(inputs), 10) {
			got = append(got, lost.Text+" "+lost.Becomes)
		}
		if all := strings.Join(got, "; "); all != want {
			t.Errorf("%s: %s, want %s", inputs, all, want)
		}
	}
	many := `{"a": [` + strings.Repeat("9007199254740993,", 100_000) + `1]}`
	if lost := wholes.LostIn(json.RawMessage(many), 10); len(lost) != 10 {
		t.Errorf("%d of them", len(lost))
	}
}

func FuzzLostIn(f *testing.F) {
	f.Add([]byte(`{"a": [9007199254740993, -1.5e3, "\"", 0`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, lost := range wholes.LostIn(text, 3) {
			if lost.Text == lost.Becomes {
				t.Error(lost)
			}
		}
	})
}
