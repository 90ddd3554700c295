package protect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWhatIsTooMuchToBeToldIsCounted: however much it is, and whatever names it has, the next
// visit tells what came first and that there is more.
func TestWhatIsTooMuchToBeToldIsCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		many, rounds int
		more         string
	}{
		"many":             {130, 1, "30 more"},
		"few":              {100, 1, ""},
		"more than a file": {100, 40, "more than can be told"},
	} {
		dir := newRepository(t, "")
		g := newGuard(t, dir, Paths{})
		enter(t, g, Folders{Cwd: dir}).Leave() // it makes the trash
		for range c.rounds {
			came := []Away{{Path: ".envrc"}}
			for i := 1; i < c.many; i++ {
				came = append(came, Away{Path: fmt.Sprintf("%d", i) + strings.Repeat("<", 3000)})
			}
			g.later(came)
		}
		told := NewGuard(dir, g.paths).Untold()
		has := func(path string) bool { return slices.ContainsFunc(told, func(a Away) bool { return a.Path == path }) }
		if !has(".envrc") || len(told) < 100 || c.more != "" != (has("30 more") || has("more than can be told")) || c.more != "" && !has(c.more) {
			t.Errorf("%s: %d are told: %.200q", name, len(told), fmt.Sprint(told))
		}
		if again := NewGuard(dir, g.paths).Untold(); len(again) > 0 {
			t.Errorf("%s: %d are told twice", name, len(again))
		}
	}
}
