package spelling_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// TestNamesOfAnyLengthAndNumberAreLookedThrough: names are anybody's. Before this was bounded, the
// first of these took minutes.
func TestNamesOfAnyLengthAndNumberAreLookedThrough(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	if got := spelling.Nearest(long+"b", []string{long + "c"}); got != "" {
		t.Errorf("a name of %d bytes is near", len(got))
	}
	names := []string{"grep"}
	for n := range 100_000 {
		names = append(names, fmt.Sprintf("%s%07d", strings.Repeat("x", 50), n))
	}
	if got := spelling.Nearest(strings.Repeat("x", 50)+"y", append(names, long)); len(got) != 57 {
		t.Errorf("nearest is %q", got)
	}
	if got := spelling.Nearest("gerp", append(names, long)); got != "grep" {
		t.Errorf("nearest is %q", got)
	}
}
