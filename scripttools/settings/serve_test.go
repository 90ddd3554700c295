package settings

import (
	"strings"
	"testing"
)

// TestServeTable: the lower of two bounds counts; instructions of a project wait for trust.
func TestServeTable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[serve]\nmaxResultBytes = 100":                                "serve.maxResultBytes is 100; expected 1024 to 16777216",
		"[serve]\nmaxResultBytes = 0":                                  "serve.maxResultBytes is 0",
		"[serve]\ninstructions = '" + strings.Repeat("x", 20000) + "'": "serve.instructions has 20000 bytes",
		"[serve]\nmaxResultBytes = 1024\ninstructions = 'x'":           "",
	} {
		_, err := parse("s.toml", []byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	s := &Settings{}
	for _, n := range []string{"5000", "2000", "9000"} {
		f, err := parse("s.toml", []byte("[serve]\nmaxResultBytes = "+n))
		if err != nil || s.add(f) != nil {
			t.Fatal(err)
		}
	}
	if s.ServeResultBytes != 2000 {
		t.Errorf("%d", s.ServeResultBytes)
	}
	if !keyOf("serve.instructions").gives("x", &file{}) || keyOf("serve.maxResultBytes").gives(1, &file{}) {
		t.Error("a project's file gives what it may not, or not what it may")
	}
}
