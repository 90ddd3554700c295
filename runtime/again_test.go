package runtime

import (
	"strings"
	"testing"
)

// TestWhatIsCheckedAgainHasItsTime: a second look at a program has as much time for what it imports.
func TestWhatIsCheckedAgainHasItsTime(t *testing.T) {
	t.Parallel()
	g := &given{texts: map[string]string{}, read: func(string) ([]byte, error) { return []byte(strings.Repeat("/", 1<<17)), nil }}
	for _, name := range []string{"a.js", "node_modules/x/index.js"} {
		if why := g.give(name); why.Text == "" {
			t.Fatal(why)
		}
	}
	again := g.again()
	if again.time() != g.time() || again.time() == 0 || again.lighter() != g.lighter() {
		t.Errorf("%v, %v; %s", again.time(), g.time(), again.lighter())
	}
	if why := again.give("b.js"); !why.Missing {
		t.Errorf("%+v", why)
	}
}
