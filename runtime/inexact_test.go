package runtime

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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
		`{"a": 999999999999999, "b": 10000000000000000000000}`:  "",
	} {
		var got []string
		for _, note := range inexact(json.RawMessage(inputs)) {
			var from, to string
			if _, err := fmt.Sscanf(strings.TrimPrefix(note.Text, "the inputs have the whole number "), "%s which no number of JavaScript is; the script gets %s declare", &from, &to); err != nil {
				t.Errorf("%s: %v", note.Text, err)
			}
			got = append(got, strings.TrimSuffix(from, ",")+" "+strings.TrimSuffix(to, ":"))
		}
		if all := strings.Join(got, "; "); all != want {
			t.Errorf("%s: %s, want %s", inputs, all, want)
		}
	}
	many := `{"a": [` + strings.Repeat("9007199254740993,", 100_000) + `1]}`
	if notes := inexact(json.RawMessage(many)); len(notes) != mostInexact {
		t.Errorf("%d notes", len(notes))
	}
}
