package dates_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm/dates"
)

// The rows are what Node gives for texts that were put together at random, in New York.
func TestParseIsAsInNode(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was read
	local, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		var row [2]any
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		text, want := row[0].(string), math.NaN()
		if ms, ok := row[1].(float64); ok {
			want = ms
		}
		if got := dates.Parse(text, local); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if rows != 300 {
		t.Errorf("%d rows", rows)
	}
}

func TestParseOfLongTexts(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	for _, text := range []string{strings.Repeat("(", n), strings.Repeat("x", n), strings.Repeat("1", n), strings.Repeat(" ", n), "2020-01-01T00:00:00." + strings.Repeat("9", n)} {
		_ = dates.Parse(text+"z", time.UTC)
	}
}
