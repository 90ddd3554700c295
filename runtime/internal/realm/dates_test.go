package realm_test

import "testing"

// Dates, as in Node.
var dateRows = []struct{ code, want string }{
	{`[new Date(-1500).setMilliseconds(5), new Date("1960-01-01T00:00:00.500Z").setUTCMilliseconds(0), new Date(-1000).setMilliseconds(7), new Date(1500).setMilliseconds(-1), new Date(-1).setMilliseconds(1e4)]`,
		`[-1995,-315619200000,-993,999,9000]`},
	{`[new Date(NaN).setMilliseconds(1), new Date(0).setMilliseconds(), new Date(0).setMilliseconds(9e15), new Date(0).setMilliseconds(1.9), new Date(-8.64e15).setMilliseconds(-1), new Date(0).setMilliseconds({ valueOf: () => "3" })]`,
		`[null,null,null,1,null,3]`},
	{`[253402300800000, -62198755200000, -62167219200001, 8.64e15, -8.64e15, 0].map((n) => new Date(n).toISOString())`,
		`["+010000-01-01T00:00:00.000Z","-000001-01-01T00:00:00.000Z","-000001-12-31T23:59:59.999Z","+275760-09-13T00:00:00.000Z","-271821-04-20T00:00:00.000Z","1970-01-01T00:00:00.000Z"]`},
	{`[253402300800000, -62198755200000].map((n) => [JSON.stringify(new Date(n)), Date.parse(new Date(n).toISOString()) === n])`,
		`[["\"+010000-01-01T00:00:00.000Z\"",true],["\"-000001-01-01T00:00:00.000Z\"",true]]`},
	{`["Jan 32 2020", "Jan 1 2020 13:00 PM", "2020-01-01T00:00:00,5Z", "-0x", "", "2020-13-01", "2020-02-30T00:00Z", "2020-01-01T25:00Z", "-000000-01-01T00:00Z"].map(Date.parse)`,
		`[null,null,null,null,null,null,1583020800000,null,null]`},
	{`["2020-001Z", "2020-01-01T00:00:00z", "2020-01-01t00:00:00Z", "Thu, 01 Jan 1970 00:00:01 GMT", "Jan 2, 2020 3:04:05 PM UTC", "2020-01-01T24:00:00Z", "2020-01-01T00:00:00.1239Z", "2020-01-01T00:00+0530", "+012020-01-01", "1 (a (b)) Feb 99 GMT+2", "2020-01-01"].map((t) => Date.parse(t))`,
		`[1577836800000,1577836800000,1577836800000,1000,1577977445000,1577923200000,1577836800123,1577817000000,317147356800000,917820000000,1577836800000]`},
	{`["2020-01-01T00:00:00z", new String("1970-01-01T00:00:01Z"), { valueOf: () => 5 }, { toString: () => "1970-01-01", valueOf: () => ({}) }, new Date(7), null, true, "9", { [Symbol.toPrimitive]: (hint) => hint.length }].map((v) => +new Date(v) - (v === "9" ? +new Date(2001, 8, 1) : 0))`,
		`[1577836800000,1000,5,0,7,0,1,0,7]`},
	{`[() => new Date(Symbol()), () => new Date(1n), () => Date.parse(Symbol()), () => new Date({ valueOf: () => ({}), toString: () => ({}) }), () => Date.prototype.setMilliseconds.call({}, 1), () => Date.prototype.toString.call({}), () => new Date(NaN).toISOString()].map((f) => { try { f() } catch (e) { return e.name } })`,
		`["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","RangeError"]`},
	{`(() => { class D extends Date { constructor(t) { super(t) } get x() { return 1 } } const d = new D("1970-01-01T00:00:01z"); return [d.x, +d, d instanceof D, d instanceof Date, Object.prototype.toString.call(d)] })()`, `[1,1000,true,true,"[object Date]"]`},
	{`[Date.name, Date.length, Date.prototype.constructor === Date, Object.keys(Date), typeof Date(), typeof Date.now(), Date.UTC(2020), Date.parse.length, new Date(2020, 0).getMonth(), new Date(undefined).getTime(), Object.getOwnPropertyDescriptor(globalThis, "Date").enumerable, Object.getOwnPropertyDescriptor(Date, "prototype").writable]`,
		`["Date",7,true,[],"string","number",1577836800000,1,0,null,false,false]`},
	{`[new Date(NaN).toString(), new Date(NaN).toTimeString(), isNaN(new Date(NaN)), /^\d\d:\d\d:\d\d GMT[-+]\d{4} \([^()]+\)$/.test(new Date().toTimeString()), String(new Date(0)) === new Date(0).toString(), Reflect.construct(Date, [0], Object).constructor === Object]`,
		`["Invalid Date","Invalid Date",true,true,true,true]`},
	{`structuredClone(new Date(5)).getTime() + +new Date(new Date(6))`, `11`},
}

func TestDates(t *testing.T) {
	t.Parallel()
	for _, c := range dateRows {
		e := run(t, "async function run() { return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}
