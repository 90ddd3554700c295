package tracecontext_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestWhatIsMalformedIsNoTrace: it comes from clients, and from the environment.
func TestWhatIsMalformedIsNoTrace(t *testing.T) {
	t.Parallel()
	for _, given := range []string{
		"", "00", "x", parent + "-00", parent + "\n", " " + parent, parent[:54], strings.ToUpper(parent), "ff" + parent[2:], strings.Repeat("0", 55),
		"00-" + strings.Repeat("0", 32) + parent[35:], parent[:36] + strings.Repeat("0", 16) + "-01", parent[:53] + "zz", "00-" + strings.Repeat("a", 1<<20),
		"00-4bf92f3577b34da6a3ce929d0e0e473\x00-00f067aa0ba902b7-01", `$(id)` + parent,
	} {
		if got, state := tracecontext.Of(tracecontext.With(t.Context(), given, "a=b")); got != "" || state != "" {
			t.Errorf("%.80q became %q, %q", given, got, state)
		}
	}
	if id := tracecontext.ID(tracecontext.With(t.Context(), "x", "")); id != "" {
		t.Errorf("got %q", id)
	}
}

// TestTheStateIsBounded: a bad one does not cost the parent.
func TestTheStateIsBounded(t *testing.T) {
	t.Parallel()
	var long []string
	for c := 'a'; c <= 'z'; c++ {
		long = append(long, string(c)+"="+strings.Repeat("x", 30))
	}
	for given, want := range map[string]string{
		"a=b": "a=b", "": "", "a=b,c=d": "a=b,c=d", "a=\x1b[31m": "", "no": "", strings.Join(long, ","): "", "a=" + strings.Repeat("x", 1<<20): "",
	} {
		ctx := tracecontext.With(t.Context(), parent, given)
		if got, state := tracecontext.Of(ctx); got != parent || state != want {
			t.Errorf("%.80q became %q, %.80q", given, got, state)
		}
		if id := tracecontext.ID(ctx); id != parent[3:35] {
			t.Errorf("got %q", id)
		}
	}
}
