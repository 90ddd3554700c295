package realm_test

import "testing"

// TestTimersKeepTheirArguments, whatever the script does until they are due: the arguments of a call
// lie where the engine puts those of the next one.
func TestTimersKeepTheirArguments(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`new Promise((f) => { const got = []; const add = (...a) => { got.push(a); if (got.length === 2) f(got) };
			setTimeout(add, 3, "one", {n: 1}); setTimeout(add, 5, ["two"]); const deep = (n, ...r) => n ? deep(n - 1, n, n, n) : r.length; deep(50); [1, 2, 3].map((x) => x * 2) })`: `[["one",{"n":1}],[["two"]]]`,
		`new Promise((f) => { let n = 0; const id = setInterval((a, b) => { Math.max(n, 7, 8, 9); if (++n === 3) { clearInterval(id); f([a, b]) } }, 1, "x", "y") })`: `["x","y"]`,
	})
}
