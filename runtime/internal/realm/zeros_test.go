package realm_test

import "testing"

// The sign of zero, as in Node.
var zeros = []struct{ code, want string }{
	{`[{ n: "x", i: 1 }, { n: "x", i: 2 }].sort((a, b) => -a.n.localeCompare(b.n)).map((o) => o.i)`, `[1,2]`},
	{`[{ k: 1, i: 0 }, { k: 1, i: 1 }, { k: 2, i: 2 }].sort((a, b) => -(a.k - b.k)).map((x) => x.i)`, `[2,0,1]`},
	{`[{ k: 1, i: 0 }, { k: 1, i: 1 }, { k: 2, i: 2 }].toSorted((a, b) => -(a.k - b.k)).map((x) => x.i)`, `[2,0,1]`},
	{`[[...Uint8Array.of(2, 1).sort(() => -0)], [...Float64Array.of(2, 1).toSorted(() => -0)], [...Uint8Array.of(3, 2, 1).sort()]]`, `[[2,1],[2,1],[1,2,3]]`},
	{`[[3, 1, 2].sort((a, b) => String(a - b)), [3, 1, 2].sort(() => NaN), [3, 1, 2].sort(undefined), [2, undefined, 1, , 0].sort((a, b) => a - b).length]`, `[[1,2,3],[3,1,2],[1,2,3],5]`},
	{`(() => { try { [2, 1].sort(() => 1n) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { try { [2, 1].sort(null) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { let seen; [2, 1].sort(function (...a) { seen = [this === undefined, a.length]; return 0 }); return seen })()`, `[false,2]`},
	{`[[].sort.name, [].sort.length, [].toSorted.length, [].includes.length, Math.sign.name, Float32Array.prototype.indexOf.length]`, `["sort",1,1,1,"sign",1]`},

	{`[[-0].includes(0), [0].includes(-0), [-0].includes(-0), [1, -0].includes(0, -1), [-0, 1].includes(0, 1), [1].includes(0), [, 1].includes(0), [NaN].includes(NaN)]`, `[true,true,true,true,false,false,false,true]`},
	{`[Math.round(-0.2), 0 * -1].map((x) => [x].includes(0))`, `[true,true]`},
	{`[Array.prototype.includes.call({ length: 2, 1: -0 }, 0), Array.prototype.includes.call("00", 0), [].includes.call(new Proxy([1, -0], {}), 0), [].includes.call(Float64Array.of(-0), 0)]`, `[true,false,true,true]`},
	{`(() => { try { [].includes.call(null, 0) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { const f = Float64Array.of(1, -0, 2, 0); return [f.includes(0), f.indexOf(0), f.indexOf(-0), f.lastIndexOf(-0), f.indexOf(0, 2), f.indexOf(0, -4), f.lastIndexOf(0, 2), f.lastIndexOf(0, -3), f.lastIndexOf(0, undefined), f.includes(0, 4)] })()`,
		`[true,1,1,3,3,1,1,1,-1,false]`},
	{`[Float32Array.of(-0).includes(0), Float32Array.of(-0).indexOf(0), new Float64Array(0).indexOf(0), Uint8Array.of(1, 0).indexOf(-0), Float64Array.of(1).includes("0"), Float64Array.of(NaN, 0 / 0).includes(NaN)]`, `[true,0,-1,1,false,true]`},
	{`(() => { try { Float64Array.prototype.indexOf.call([0], 0) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { const f = Float64Array.of(-0, 0); return [f.includes(0, { valueOf() { f.buffer.transfer(); return 0 } }), f.length] })()`, `[false,0]`},

	{`["0", "x", null, undefined, [], {}, new Date(0), "-0", -0, "5", [-5], true, -1e300].map((x) => Object.is(Math.sign(x), -0) ? "-0" : String(Math.sign(x)))`,
		`["0","NaN","0","NaN","0","NaN","0","-0","-0","1","-1","1","-1"]`},
	{`[(-0.5).toString(2), (-0.001).toString(36).slice(0, 6), (0.5).toString(2), (-10.25).toString(2), (-255).toString(16), (-5).toString(), (-0).toString(2), (-Infinity).toString(2), Number.prototype.toString.call(new Number(-5), 2)]`,
		`["-0.1","-0.01a","0.1","-1010.01","-ff","-5","0","-Infinity","-101"]`},
	{`[(-0.000001).toPrecision(3), (-1e-7).toExponential(1), (-1e-21).toPrecision(2), (-1e21).toPrecision(3), (-1e-7).toFixed(10), (-5).toExponential()]`,
		`["-0.00000100","-1.0e-7","-1.0e-21","-1.00e+21","-0.0000001000","-5e+0"]`},
	{`[() => Number.prototype.toString.call("a"), () => (-1).toString(99), () => (-1).toPrecision(-1)].map((f) => { try { return f() } catch (e) { return e.name } })`, `["TypeError","RangeError","RangeError"]`},
	{`(() => { try { Math.sign(1n) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`[String.fromCodePoint(-0, "-0", 97) === "\0\0a", String.fromCodePoint.length, String.fromCodePoint(0xd800).charCodeAt(0)]`, `[true,1,55296]`},
	{`["-0", -0, -0.5, " \u00a0-0", "-0x0", "-0b", "-", "0", "", "08", "-8", "12px", "1e3", "123456789012345678", [" 7"], null, "-00.9"].map((v) => { const n = parseInt(v); return Object.is(n, -0) ? "-0" : String(n) })`,
		`["-0","0","-0","-0","-0","-0","NaN","0","NaN","8","-8","12","1","123456789012345680","7","NaN","-0"]`},
	{`[parseInt("11", 2), parseInt("-0", 16), parseInt("0x1f", 16), parseInt("10", "8"), parseInt("10", 0), parseInt("10", 1), parseInt("9", 2), parseInt("z", 36), parseInt("12", 10.9)].map((n) => Object.is(n, -0) ? "-0" : String(n))`,
		`["3","-0","31","8","10","NaN","NaN","35","12"]`},
	{`[Number.parseInt === parseInt, parseInt.length, parseInt.name, Object.is(parseFloat("-0"), -0), Object.is(Number("-0"), -0), [() => parseInt(Symbol()), () => parseInt("1", Symbol()), () => parseInt({ toString() { throw new RangeError() } })].map((f) => { try { return f() } catch (e) { return e.name } })]`,
		`[true,2,"parseInt",true,true,["TypeError","TypeError","RangeError"]]`},
}

func TestSignOfZero(t *testing.T) {
	t.Parallel()
	for _, c := range zeros {
		e := run(t, "async function run() { return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}

// TestComparatorsThatChangeTheArray: what is sorted is what was there before.
func TestComparatorsThatChangeTheArray(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`(() => { const a = [5, 4, 3, 2, 1]; a.sort((x, y) => { a.length = 2; return x - y }); return a })()`:                                                                                                                                         `[1,2,3,4,5]`,
		`(() => { const a = [3, 2, 1]; a.sort((x, y) => { if (a.length < 5) a.push(9); return x - y }); return a })()`:                                                                                                                                `[1,2,3,9,9]`,
		`(() => { const a = [3, 2, 1]; a.sort((x, y) => { a.length = 0; a[5] = 7; return x - y }); return [a.length, a.slice(0, 3), 4 in a] })()`:                                                                                                     `[6,[1,2,3],false]`,
		`(() => { const a = [3, 2, 1], seen = []; a.sort((x, y) => { seen.push(a.join("")); return x - y }); return [a, new Set(seen).size] })()`:                                                                                                     `[[1,2,3],1]`,
		`(() => { const a = [3, 2, 1]; try { a.sort((x, y) => { Object.freeze(a); return x - y }) } catch (e) { return [e.name, a] } })()`:                                                                                                            `["TypeError",[3,2,1]]`,
		`(() => { const a = [3, , 1, undefined, 2]; a.sort((x, y) => x - y); return [a, 4 in a, 3 in a] })()`:                                                                                                                                         `[[1,2,3,null,null],false,true]`,
		`(() => { const a = [3, undefined, 1, undefined]; let n = 0; a.sort((x, y) => { n++; return x - y }); return [a, n, a.toSorted((x, y) => y - x)] })()`:                                                                                        `[[1,3,null,null],1,[3,1,null,null]]`,
		`(() => { const a = { length: 3, 0: "c", 2: "a" }; Array.prototype.sort.call(a, (x, y) => x < y ? -1 : 1); return [a, 2 in a] })()`:                                                                                                           `[{"0":"a","1":"c","length":3},false]`,
		`(() => { class A extends Array {} const a = A.of(2, 3, 1); return [a.sort((x, y) => x - y) === a, [...a], a instanceof A] })()`:                                                                                                              `[true,[1,2,3],true]`,
		`(() => { const log = [], p = new Proxy([2, 1], { set(t, k, v) { log.push(k); t[k] = v; return true } }); p.sort((x, y) => x - y); return [log, [...p]] })()`:                                                                                 `[["0","1"],[1,2]]`,
		`(() => { const a = Array.from({ length: 1000 }, (_, i) => ({ k: (i * 7919) % 10, i })); a.sort((x, y) => x.k - y.k); return a.every((x, i) => !i || a[i - 1].k < x.k || a[i - 1].k === x.k && a[i - 1].i < x.i) })()`:                        `true`,
		`(() => { const a = [3, 1, 2]; try { a.sort(() => { throw new RangeError("x") }) } catch (e) { return [e.name, a] } })()`:                                                                                                                     `["RangeError",[3,1,2]]`,
		`[[3, 1, 2].sort((a, b) => a > b), [1, 2, 3].sort(() => -1), [3, 1, 2].sort((a, b) => ({ valueOf: () => a - b })), [2, 1].sort(() => undefined), [true, 1n].map((v) => { try { return [2, 1].sort(() => v) } catch (e) { return e.name } })]`: `[[3,1,2],[3,2,1],[1,2,3],[2,1],[[2,1],"TypeError"]]`,
		`[[].sort((a, b) => 1), [1].sort(() => { throw 1 }), Object.freeze([]).sort((a, b) => 0).length]`:                                                                                                                                             `[[],[1],0]`,
		`(() => { const a = [2, 1, 3].map(String); a.sort((x, y) => { a.sort((p, q) => q - p); return x - y }); return a })()`:                                                                                                                        `["1","2","3"]`,
	})
}
