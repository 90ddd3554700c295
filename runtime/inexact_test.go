package runtime

import (
	"encoding/json"
	"testing"
)

// TestWholeNumbersThatAreNoneOfJavaScript are told: the script gets others.
func TestWholeNumbersThatAreNoneOfJavaScript(t *testing.T) {
	t.Parallel()
	notes := inexact(json.RawMessage(`{"a": 9007199254740993, "b": 9007199254740992}`))
	const want = "an input is 9007199254740993, which JavaScript has no number for, and the script gets 9007199254740992; pass it as a string"
	if len(notes) != 1 || notes[0] != (Note{Code: NoteLost, Text: want}) {
		t.Errorf("%+v", notes)
	}
}
