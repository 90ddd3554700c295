package realm_test

import "testing"

// Holes of proxies, as in Node.
const watched = `const seen = []; const watch = (list) => new Proxy(list, { has(t, k) { seen.push(String(k)); return k in t }, get: (t, k) => t[k] }); const bare = (list) => new Proxy(list, { get: (t, k) => t[k] }); const sum = (a, b) => a + b; `

var proxies = []struct{ code, want string }{
	{`bare([5, 4, 6]).filter((x, i, a) => { delete a[i + 1]; return true })`, `[5,6]`},
	{`(() => { let n = 0; bare([5, , 6]).forEach(() => n++); return n })()`, `2`},
	{`[bare([1, , 3]).map((x) => x * 2).hasOwnProperty(1), bare([1, , 3]).map((x) => x * 2).length, bare([, 1]).every((x) => x === 1), bare([, 1]).some((x) => x === undefined), bare([, 1, 2]).reduce(sum), bare([1, 2, ,]).reduceRight(sum), bare([, ,]).reduce(sum, 7)]`,
		`[false,3,true,false,3,3,7]`},
	{`[1 in bare([1, , 3]).slice(0, 2), bare([1, , 3, ,]).slice(-3).length, 1 in [0].concat(bare([, 1])), bare([1, , ]).concat(2, bare([, 3])).length, [1].concat(bare([])), bare([1]).concat([[2]])]`, `[false,3,false,5,[1],[1,[2]]]`},
	{`(() => { const list = watch([1, , 3]); list.forEach(() => {}); list.map((x) => x); list.slice(1); list.reduceRight(sum); return seen.join() })()`, `"0,1,2,0,1,2,1,2,2,1,0"`},
	{`(() => { const list = Object.create(bare([1, , 3])); return [Array.prototype.map.call(list, (x) => x).length, Array.prototype.filter.call(list, () => true)] })()`, `[3,[1,3]]`},
	{`[() => bare([]).map(1), () => bare([, ]).reduce(sum), () => bare([]).forEach(Symbol()), () => [].map.call(null, sum), () => [].concat.call(undefined, bare([])), () => [].some(1)].map((f) => { try { return f() } catch (e) { return e.name } })`,
		`["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]`},
	{`(() => { class A extends Array {} const a = bare(A.of(1, 2)); return [a.map((x) => x) instanceof A, a.filter((x) => x > 1) instanceof A, a.slice(1) instanceof A, a.concat([3]) instanceof A, a.concat([3]).length, A.of(1, 2, 3).slice(1) instanceof A] })()`, `[true,true,true,true,3,true]`},
	{`(() => { const list = [1, 2, 3]; list.constructor = { [Symbol.species]: function () { this.a = 1 } }; const out = list.slice(1); return [out.length, out.a, out[0], Array.isArray(out)] })()`, `[2,1,2,false]`},
	{`(() => { const self = {}; let got; bare([1]).some(function (x, k, list) { "use strict"; got = [this === self, x, k, list.length, arguments.length]; return true }, self); return got })()`, `[true,1,0,1,3]`},
	{`["map", "forEach", "reduce", "slice", "concat", "some"].map((name) => [[][name].name, [][name].length, [].propertyIsEnumerable.call(Array.prototype, name), new Proxy([], {}) && "prototype" in [][name]])`,
		`[["map",1,false,false],["forEach",1,false,false],["reduce",1,false,false],["slice",2,false,false],["concat",1,false,false],["some",1,false,false]]`},
	{`[[1, 2].map((x) => x + 1), [1, 2].reduce(sum), "ab".concat("c"), [].concat.call(1, [2]).length, [1, 2, 3].slice(-2, -1), Array.prototype.slice.call("abc", 1)]`, `[[2,3],3,"abc",2,[2],["b","c"]]`},
}

func TestHolesOfProxies(t *testing.T) {
	t.Parallel()
	for _, c := range proxies {
		e := run(t, "async function run() { "+watched+"return "+c.code+"; /* Proxy species */ }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}
