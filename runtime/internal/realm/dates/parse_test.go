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

// TestParseOfUsualTexts: those that are read faster are read as the others are, which have
// another zone.
func TestParseOfUsualTexts(t *testing.T) {
	t.Parallel()
	local := time.FixedZone("", 3600)
	for _, text := range []string{"0000-01-01", "0099-12-28", "1969-12-28", "1970-01-01", "2024-02-28", "2024-02-29", "2023-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "9999-12-31",
		"1969-12-28T23:59:59.999", "2024-01-02T03:04:05.678", "2024-01-02T24:00:00.000", "2024-01-02T24:00:00.001", "2024-01-02T23:60:00", "2024-01-02T23:59:60", "0000-01-01T00:00:00", "2024-1-02T00:00:00x", "2024-01-02 03:04:05"} {
		usual, other := text, text+"T00:00Z"
		if len(text) > len("2024-01-02") {
			usual, other = text+"Z", text+"+00:00"
		}
		if got, want := dates.Parse(usual, local), dates.Parse(other, local); !same(got, want) {
			t.Errorf("%s: got %v, want %v", usual, got, want)
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
