package realm_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// TestComparisonsInARowGoFromLeftToRight: also with parentheses, which the engine's tree does
// not keep.
func TestComparisonsInARowGoFromLeftToRight(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`[1 < 2 < 3, 3 > 2 > 1, 0 < 5 < 3]`:                                    `[true,false,true]`,
		`[1 < (2 < 3), 3 > (2 > 1), 0 < (5 < 3)]`:                              `[false,true,false]`,
		`[3 > (2) > 1, 3 > ((2)) > (1), (3) > (2 > 1)]`:                        `[false,false,true]`,
		`[3 > ((2) > 1), 3 > ((2 > (1))), 3 > (2 > (1))]`:                      `[true,true,true]`,
		`[3 > (1 + 1) > 1, 3 > (1 + 1 > 1), 3 > 1 + 1 > 1]`:                    `[false,true,false]`,
		`[3 >= 3 >= 1 >= 1, 3 >= (3 >= (1 >= 1))]`:                             `[true,true]`,
		`[3 > 2 > 1 > 0, 3 > (2 > 1) > 0, 3 > (2 > 1 > 0)]`:                    `[false,true,true]`,
		`[[] instanceof Array instanceof Boolean, "a" in {a: 1} in {true: 1}]`: `[false,true]`,
		`[3 > (")".length + 1) > 1, 3 > (/[)(]/.test("(") + 1 > 1)]`:           `[false,true]`,
		`[3 > ((x) => 2)() > 1, 3 > (((x) => 2)() > 1)]`:                       `[false,true]`,
		`[3 > /* ( */ 2 > 1, 3 > ( /* ) */ 2 > 1), 3 > (2) /* ( */ > 1]`:       `[false,true,false]`,
		"[3 > `(${3 > 2 > 1}` > 1, 3\n>\n2\n>\n1, 3 > (\n2\n> 1)]":             `[false,false,true]`,
		`[1, 2, 3].map((n) => 3 > n > 1 ? "x" : "y")`:                          `["y","y","y"]`,
	} {
		e := runTable(t, "export default function run() { return ("+expression+") }")
		if e.throw != nil || e.value != want {
			t.Errorf("%s: %s, want %s; %+v", expression, e.value, want, e.throw)
		}
	}
	for _, unclear := range []string{"3 > // (\n(2 > 1)", "3 > ( // (\n2) > 1", "\n3 < (/* /* */ 2 < 1)", "\n3 < (/* a */ /* /* */ 2 < 1)"} {
		_, flaws := realm.Check(wire.Check{Name: "t.js", Source: "export default function run() {\nreturn (" + unclear + ") }"}, nil)
		if len(flaws) != 1 || !strings.Contains(flaws[0].Msg, "row of comparisons") || flaws[0].Line < 2 {
			t.Errorf("%q: %+v", unclear, flaws)
		}
	}
}
