package realm_test

import (
	"testing"
)

// Each is a source of its own, which names what it needs in another way.
func TestTextsAreReadAsNumbers(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`isNaN("12\u00a0")`:                                                   `false`,
		`["12\u00a0"].some(isFinite)`:                                         `true`,
		`["1.5\u00a0"].map(Math.floor)`:                                       `[1]`,
		`(({ max }) => max("3\u00a0", 1))(Math)`:                              `3`,
		`Math["ceil"]("1.5\u00a0")`:                                           `2`,
		`((m) => m.floor("1.5\u00a0"))(Math)`:                                 `1`,
		`["round", "trunc"].map((f) => Math[f]("1.5\u00a0"))`:                 `[2,1]`,
		`((s) => s?.slice("2\u00a0"))("abcd")`:                                `"cd"`,
		`((i) => "abcd".slice(i))("2\u00a0")`:                                 `"cd"`,
		`(() => { let i = 1; i = "2\u00a0"; return "abcd".at(i) })()`:         `"c"`,
		`((s, i = 0) => s.charAt(i))("abc", "NaN")`:                           `"a"`,
		`"abc".slice.call("abcd", "2\u00a0")`:                                 `"cd"`,
		`((x) => { x++; return x })("12\u00a0")`:                              `13`,
		`((x) => { for (var n = 0; n < 1; n++, x--); return x })("12\u00a0")`: `11`,
		`((x) => -x)("1.5\u00a0")`:                                            `-1.5`,
		`(({ x }) => -x)({ x: "1.5\u00a0" })`:                                 `-1.5`,
		`((length) => Array.from({ length }).length)("2\u00a0")`:              `2`,
		`((o) => -o.x === -5n && -o.y)({ x: 5n, y: "1.5\u00a0" })`:            `-1.5`,
		`[1, 2].map((x, i, list) => Math.round(x))`:                           `[1,2]`,
	})
}
