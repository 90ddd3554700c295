package serve_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestRoomIsForWhatIsWritten: control characters take six bytes in an answer, and the room
// counts those.
func TestRoomIsForWhatIsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "\x01", strings.Repeat("\x01\"\\\n\t\r", 100), "ä€😀", "<&>"} {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
		if want := int64(out.Len() - len("\"\"\n")); serve.AsWritten(text) != want {
			t.Errorf("%q: %d, not %d", text, serve.AsWritten(text), want)
		}
	}
}
