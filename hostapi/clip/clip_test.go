package clip_test

import (
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// TestCharactersStayWhole: a limit inside a character leaves the character out.
func TestCharactersStayWhole(t *testing.T) {
	t.Parallel()
	const s = "aé漢z"
	heads := []string{"", "a", "a", "aé", "aé", "aé", "aé漢", s, s}
	tails := []string{"", "z", "z", "z", "漢z", "漢z", "é漢z", s, s}
	for limit := -1; limit <= len(s)+1; limit++ {
		i := max(limit, 0)
		if got := clip.Head(s, limit); got != heads[i] {
			t.Errorf("Head %d: %q, want %q", limit, got, heads[i])
		}
		if got := clip.Tail(s, limit); got != tails[i] {
			t.Errorf("Tail %d: %q, want %q", limit, got, tails[i])
		}
	}
}

func TestWarned(t *testing.T) {
	t.Parallel()
	if got := clip.Warned("all of it", 9); got != "all of it" {
		t.Errorf("got %q", got)
	}
	if got := clip.Warned("all of it", 3); got != "THIS IS NOT ALL OF IT: 3 bytes of 9\nall" {
		t.Errorf("got %q", got)
	}
}
