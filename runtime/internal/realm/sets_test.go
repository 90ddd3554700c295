package realm_test

import "testing"

// Sets and what is like them, as in Node.
var sets = []struct{ code, want string }{
	{`new Set([1, 2, 3]).isSubsetOf(all)`, `true`},
	{`[[...new Set([1, 2, 3]).intersection(all)], [...new Set([1, 2]).difference(all)], new Set([1, 2]).isSupersetOf(all), new Set([1, 2]).isDisjointFrom(all), [...new Set([4]).union(all)], [...new Set([1, 4]).symmetricDifference(all)]]`,
		`[[1,2,3],[],false,false,[4,1],[4]]`},
	{`[-1, NaN, undefined, "x", -Infinity].map((size) => { try { new Set([1]).union({ size, has() {}, keys: () => [].values() }) } catch (e) { return e.name } })`, `["RangeError","TypeError","TypeError","TypeError","RangeError"]`},
	{`[{ size: 1 }, { size: 1, has() {} }, 5, null].map((other) => { try { new Set([1]).isSubsetOf(other) } catch (e) { return e.name } })`, `["TypeError","TypeError","TypeError","TypeError"]`},
	{`[new Set([1]).isSubsetOf(new Map([[1, 2]])), new Set([1, 2]).isSupersetOf(new Set([1])), new Set([1]).union.length, new Set().union.name]`, `[true,true,1,"union"]`},
	{`(() => { const seen = []; const other = { get size() { seen.push("size"); return 1 }, get has() { seen.push("has"); return function (v) { seen.push(this === other) } }, get keys() { seen.push("keys"); return () => [1].values() } }; new Set([1]).isSubsetOf(other); return seen })()`,
		`["size","has","keys",true]`},
}

func TestSetsAndTheirLike(t *testing.T) {
	t.Parallel()
	for _, c := range sets {
		e := run(t, "async function run() { const all = { size: Infinity, has: () => true, keys: () => [1].values() }; return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}
