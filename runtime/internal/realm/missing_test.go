package realm_test

import "testing"

// What ended the realm, or never ended, and what it gives. All but what says so is as in Node.
var missingValues = []struct{ code, want string }{
	{`Array.from({ length: 2 }, String)`, `["undefined","undefined"]`},
	{`Array.from({ length: 2 }, (v, i) => i)`, `[0,1]`},
	{`Uint8Array.from({ length: 2 }, String).length`, `2`},
	{`[String([, 1].find(String)), [, 1].findIndex(Boolean), [, 1].findLast(String), Array.prototype.findLastIndex.call({ length: 2 }, Number)]`, `["undefined",1,1,-1]`},
	{`[Array.from.name, Array.from.length, [].find.length, "".replaceAll.length]`, `["from",1,1,2]`},
	{`["é".replaceAll("", "-"), "日本".replaceAll("", (m, i, s) => i + s), "".replaceAll("", "x"), "é".replaceAll([], "$&-")]`, `["-é-","0日本日1日本本2日本","x","-é-"]`},
	{`["aéa".replaceAll("a", "$&$&"), "aéa".replaceAll(/a/g, "b"), "undefined é".replaceAll(undefined)]`, `["aaéaa","béb","undefined é"]`},
	{`(() => { try { Array.from([1], 5) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { try { "é".replaceAll(Symbol.iterator, "") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { try { "é".replaceAll(Symbol(), "") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { try { "é".replaceAll({ get [Symbol.match]() { throw new RangeError() } }, "") } catch (e) { return e.name } })()`, `"RangeError"`},
	{`(() => { try { "é".replaceAll({ [Symbol.match]: true, flags: "" }, "") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { try { "".replaceAll.call(null, "a", "") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { try { Object.prototype.toLocaleString.call(Object.create(null)) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { const out = []; for (let i = 0; i < 2; i++) try { new Set([1]).union({ size: 1, has() {}, keys: () => ({}) }) } catch (e) { out.push(e.name) } finally { out.push(i) } return out })()`,
		`["TypeError",0,"TypeError",1]`},
	{`(() => { const { proxy, revoke } = Proxy.revocable({ a: 1 }, new Proxy({}, { get() { revoke() } })); try { return Object.getOwnPropertyNames(proxy) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { class A extends Array { constructor() { super(Object.setPrototypeOf(A, null)) } } try { new A() } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { const f = (a, b) => 1; new class extends class {} { constructor() { (() => super())(); f(this, eval(1)); f(this, (() => this)()) } }(); return 1 })()`, `1`},
	{`[eval(5), typeof eval, ((x) => eval(x))({ a: 1 })]`, `[5,"function",{"a":1}]`},
	{`(() => { class C { static m() { try { super.x = 1 } catch (e) { return e.message.includes("super") } } } Object.setPrototypeOf(C, null); return C.m() })()`, `false`},

	// In Node, the key is undefined, and the property stays as it is.
	{`(() => { try { Object.fromEntries([[]]) } catch (e) { return e.message } })()`, `"an entry has no key"`},
	{`(() => { try { Object.defineProperty(new Uint8Array(2), 0, {}) } catch (e) { return e.message } })()`, `"a property of a typed array needs a value"`},
}

func TestMissingValues(t *testing.T) {
	t.Parallel()
	for _, c := range missingValues {
		e := run(t, "async function run() { return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}
