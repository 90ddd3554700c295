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
