package realm_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLooseEquality: the engine reads a text on the left of a number as an integer or not at
// all, and a BigInt beside a boolean by its lowest bits.
func TestLooseEquality(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`["1.0" == 1, "1e3" == 1000, "-0" == 0, ["-0"] == 0, " 2.0 " == 2, "\u00a01" == 1]`:       `[true,true,true,true,true,true]`,
		`["1.0" != 1, "1.5" == 1, "" == 0, "x" == 0, null == 0, undefined == 0]`:                  `[false,false,true,false,false,false]`,
		`[false == "-0", true == "1.0", "0x1" == true, "0.0" == false, null == false]`:            `[true,true,true,true,false]`,
		`["1.0", 1, "0x1", 2, "x"].map((x) => x == true)`:                                         `[true,true,true,false,false]`,
		`["1.0", 1, "1", 2, "x"].map((x) => 1 != x)`:                                              `[false,false,false,true,true]`,
		`((a, b) => [a == b, b == a, a != b])("10.00", 10)`:                                       `[true,true,false]`,
		`((a, b) => [a[0] == b.length, b.length == a[0], a[0] == b.length - 0])(["2.0"], [1, 2])`: `[true,true,true]`,
		`((i) => [i == --i, i == (i += 1) * 1, i == i++ - 0])(5)`:                                 `[false,false,true]`,
		`((log) => { const o = (n, v) => ({ valueOf() { log.push(n); return v } }); return [o(1, "1.0") == +o(2, 1), o(3, 1) == o(4, 1), o(5, "1.0") == 1, log] })([])`: `[true,false,true,[2,1,5]]`,
		`[2n ** 64n == false, false == 2n ** 64n, 2n ** 64n + 1n == true, 1n == true, 0n == false, 2n == 2, "2" == 2n, 5n == new Date(5)]`:                              `[false,false,false,true,true,true,true,false]`,
		`[null == undefined, null == void 0, NaN == NaN, [1] == 1, [1] == "1", new String("1.0") == 1, typeof 1 == "number"]`:                                           `[true,true,false,true,true,true,true]`,
		`((f) => { try { return f(Object.create(null), {}.x ?? 1) } catch (e) { return e.name } })((a, b) => a == b)`:                                                   `"TypeError"`,
		`Object.getOwnPropertyNames(globalThis).filter((x) => x.includes(":"))`:                                                                                         `[]`,
	})
}

// TestProductsThatAreZero have the sign of their factors, also those of integers.
func TestProductsThatAreZero(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`[-2 * 0, 0 * -5, -2 * null, false * -7, 0 * -(2 ** 53)].map((x) => 1 / x)`:                                          `[null,null,null,null,null]`,
		`[-2 * 0, 0 * -5, -2 * null, false * -7, 0 * -(2 ** 53)].every((x) => Object.is(x, -0))`:                             `true`,
		`((x, y) => [x * y, y * x, x * 0, 0 * x, y * -2, -2 * y, (y + 0) * -2, x * -2].map((v) => Object.is(v, -0)))(-3, 0)`: `[true,true,true,true,true,true,true,false]`,
		`((x, y) => [x * y, y * x, x * 0, 0 * x, y * -2, -2 * y, (y + 0) * -2].map((v) => Object.is(v, 0)))(3, -0)`:          `[false,false,true,true,true,true,false]`,
		`((x, y) => { x *= y; y *= -4; return [Object.is(x, -0), Object.is(y, -0)] })(-3, 0)`:                                `[true,true]`,
		`((x, y) => [x * y, 0 * x, x * -2, y * -2].map(String))(Infinity, 0)`:                                                `["NaN","NaN","-Infinity","0"]`,
		`((x, y) => [x * y, -7 * y, x * x].map(String))(1e-200, -1e-200)`:                                                    `["0","6.999999999999999e-200","0"]`,
		`((x, y) => [x * y, 3 * y, -3 * x, -3.5 * x, x * -1])(6, 7)`:                                                         `[42,21,-18,-21,-6]`,
		`((x, y) => String(x * y) + (x * y === 0n) + String(y * -2n) + typeof (x * x))(0n, 5n)`:                              `"0true-10bigint"`,
		`((x) => { try { return x * 0 } catch (e) { return e.name } })(1n)`:                                                  `"TypeError"`,
	})
}

// TestShiftsOfBigInts by more than 64 bits can tell.
func TestShiftsOfBigInts(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`((n) => [5n >> n, -5n >> n, 5n << -n, 0n << n, 5n >> 1n, 5n << 2n].map(String))(2n ** 64n)`:                 `["0","-1","0","0","2","20"]`,
		`((x, n) => { x >>= n; return String(x) })(7n, 2n ** 70n)`:                                                   `"0"`,
		`[1 << 33, -1 >> 40, ((n) => 1 << n)({ valueOf: () => 3 }), ((n) => 1n << n)({ valueOf: () => 3n }) === 8n]`: `[2,-1,8,true]`,
	})
}

// TestOperandsAreReadBeforeTheyAreNumbers: both operands of an operator on bits are read, and then
// the left one is made a number, and then the right one.
func TestOperandsAreReadBeforeTheyAreNumbers(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`((log) => { const o = (n, v) => (log.push("read " + n), { valueOf() { log.push(n); return v } }); return [o(1, 1e20) | o(2, 3), o(3, 5) << o(4, 2n ** 64n === 0n ? 1 : 33), log] })([])`:                                                                                                    `[1661992963,10,["read 1","read 2",1,2,"read 3","read 4",3,4]]`,
		`((log) => { const o = (n, v) => (log.push("read " + n), { valueOf() { log.push(n); return v } }); return [String(o(1, 5n) << o(2, 2n)), String(o(3, -1n) & o(4, 2n ** 64n)), o(5, 1e20) >>> o(6, 1), log] })([])`:                                                                           `["20","18446744073709551616",830996480,["read 1","read 2",1,2,"read 3","read 4",3,4,"read 5","read 6",5,6]]`,
		`((log) => { const o = (n, v) => (log.push("read " + n), { valueOf() { log.push(n); return v } }); let x = o(1, 1e20); x ^= o(2, 1); let y = o(3, 7n); y >>= o(4, 1n); return [x, String(y), log] })([])`:                                                                                    `[1661992961,"3",["read 1","read 2",1,2,"read 3","read 4",3,4]]`,
		`((log) => { const o = (n) => ({ valueOf() { log.push(n); return Symbol(n) } }), e = []; for (const f of [(a, b) => a | b(), (a, b) => a >>> b(), (a, b) => 1 ^ b(), (a, b) => a & 5]) try { f(o("a"), () => (log.push("b"), o("c"))) } catch (x) { e.push(x.name) } return [e, log] })([])`: `[["TypeError","TypeError","TypeError","TypeError"],["b","a","b","a","b","c","a"]]`,
		`((f) => { try { return f({ valueOf() { throw new RangeError("right") } }) } catch (e) { return e.name } })((x) => 0n >>> x)`:                                                                                                                                                                `"RangeError"`,
	})
}

// TestPropertiesOfTypedArrays take anything where their keys are no numbers; elements take 32 bits
// of large numbers.
func TestPropertiesOfTypedArrays(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`(() => { const a = new Uint8Array(2), s = Symbol("s"), f = () => 1; a[s] = f; a.name = "x"; a["kind"] = "words"; const k = "at" + 1; a[k] = { o: 1 }; return [a[s] === f, a.name, a.kind, a[k]] })()`:             `[true,"x","words",{"o":1}]`,
		`(() => { const a = new Uint32Array(4), put = (i, v) => { a[i] = v }; put(0, 1e20); put("1", 7); put("x", "text"); put("y", 2 ** 40); for (let i = 2; i < 4; i++) a[i] = 1e20 * i; return [[...a], a.x, a.y] })()`: `[[1661992960,7,3323985920,691011584],"text",1099511627776]`,
		`(() => { const a = new Uint32Array(3), add = (i, v) => { a[i] += v }; add(0, 1e20); add(1, 5); a.t = "a"; add("t", "b"); const o = 1, set = (v) => { a[o + 1] = v * 2; }; set(1e20); return [[...a], a.t] })()`:   `[[1661992960,5,3323985920],"ab"]`,
		`(() => { let a; a = Uint32Array.from([1, 2, 3, 4]); const b = a.subarray(1).fill(0), c = Int32Array.of(1, 2), put = (v) => { a[0] = v; b[1] = v; c[0] = v }; put(1e20); return [[...a], [...b], [...c]] })()`:     `[[1661992960,0,1661992960,0],[0,1661992960,0],[1661992960,2]]`,
		`(() => { const a = new Uint32Array(3), o = { i: 0 }, at = () => 1, f = () => 2; const put = (v) => { a[o.i] = v; a[at()] = v * 2; a["x" + at()] = f }; put(1e20); return [[...a], a.x1 === f] })()`:               `[[1661992960,3323985920,0],true]`,
		`(() => { const a = new Uint32Array(2), k = [1]; const put = (v) => { a[k[0]] = v }; put(1e20); return [...a] })()`:                                                                                                `[0,1661992960]`,
		`(() => { const a = new Uint32Array(2), k = "total"; a[k] = 1e20; a["sum"] = 2 ** 64; a.n = 1e20; const put = (n, v) => { a[n] = v }; put("b", 1e20); return [a[k], a.sum, a.n, a.b] })()`:                         `[100000000000000000000,18446744073709552000,100000000000000000000,100000000000000000000]`,
	})
}

// TestAliasesOfTypedArrays that are given to each other many times take no time.
func TestAliasesOfTypedArrays(t *testing.T) {
	t.Parallel()
	const variables, times = 5, 300
	var source strings.Builder
	for n := range variables {
		fmt.Fprintf(&source, "let a%d = new Uint32Array(1);\n", n)
	}
	for n := range variables - 1 {
		source.WriteString(strings.Repeat(fmt.Sprintf("a%d = a%d;\n", n, n+1), times))
	}
	runExpressions(t, map[string]string{"(() => {\n" + source.String() + "a0[0] = 1e10 * 1e10; return a0[0] })()": "1661992960"})
}

// TestSortReadsOnce also where an accessor counts, or lies behind a hole, in a list with undefined.
func TestSortReadsOnce(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`(() => { let n = 0; const a = [5, , 1, undefined]; Object.defineProperty(Array.prototype, 1, { get() { n++; return 4 }, configurable: true }); try { a.sort((x, y) => x - y); return 1 } catch (e) { return [e.name, n] } finally { delete Array.prototype[1] } })()`: `["TypeError",1]`,
		`(() => { let n = 0; const a = [2, 1, undefined]; Object.defineProperty(a, 0, { get() { n++; return 9 }, set(v) { n += 100 }, configurable: true, enumerable: true }); a.sort((x, y) => x - y); return [n, a[0], a[1]] })()`:                                           `[101,9,9]`,
		`(() => { let n = 0; const a = [2, , 1, undefined]; Object.defineProperty(Array.prototype, 1, { get() { n++; return 9 }, configurable: true }); try { const b = a.toSorted((x, y) => x - y); return [n, b] } finally { delete Array.prototype[1] } })()`:               `[1,[1,2,9,null]]`,
		`[[3, , 1].toSorted((x, y) => x - y), 1 in [3, , 1].toSorted((x, y) => x - y), [, ,].toSorted((x, y) => 1), [undefined, , 2].sort((x, y) => x - y)]`:                                                                                                                   `[[1,3,null],true,[null,null],[2,null,null]]`,
	})
}

func runExpressions(t *testing.T, expressions map[string]string) {
	t.Helper()
	for expression, want := range expressions {
		e := runTable(t, "export default function run() { return ("+expression+") }")
		if e.throw != nil || e.value != want {
			t.Errorf("%s: %s, want %s; %+v", expression, e.value, want, e.throw)
		}
	}
}
