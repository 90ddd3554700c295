package regexps_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/regexps"
)

// protocol are expressions and what JSON.stringify makes of their values, as in Node, where that
// has duplicate names.
var protocol = []struct{ source, want string }{
	// What an engine without exact regular expressions gets wrong.
	{`"k: v\r\nx: y\r\n".match(/^(\w+): (\w+)$/gm)`, `["k: v","x: y"]`},
	{`"naïve é b".match(/\b\w+\b/g)`, `["na","ve","b"]`},
	{`"a😀b".replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, "X")`, `"aXb"`},
	{`"a".replace(/a*/g, "X")`, `"XX"`},
	{`/(?:(a)|b)*/.exec("ab")`, `["ab",null]`},
	{`[/\p{L}/u.test("a"), /\p{L}/u.test("p{L}"), /[\p{L}_]/u.test("é")]`, `[true,true,true]`},
	{`[/a.b/.test("a\u2028b"), /(a)\1/i.test("aA"), /(?<=\$)\d+/.exec("$42")[0]]`, `[false,true,"42"]`},
	{`new RegExp("/").source + new RegExp("\n").source + String(new RegExp(""))`, `"\\/\\n/(?:)/"`},
	{`[...("a1 b2".matchAll(/(?<x>[a-z])(?<n>\d)|(?<x>z)/g))].map((m) => m.groups.x + m.groups.n)`, `["a1","b2"]`},
	{`(() => { const r = /a/; r.exec = () => ({}); return r.test("b") })()`, `true`},

	// exec and lastIndex
	{`(() => { const y = /a/y; return [y.test("aa"), y.lastIndex, y.test("aa"), y.lastIndex, y.test("aa"), y.lastIndex] })()`, `[true,1,true,2,false,0]`},
	{`(() => { const g = /a/g; g.lastIndex = 5; return [g.exec("aa"), g.lastIndex] })()`, `[null,0]`},
	{`(() => { const r = /a/; r.lastIndex = 5; return [r.exec("ba").index, r.lastIndex] })()`, `[1,5]`},
	{`(() => { const m = /(?<y>\d{4})-(?<m>\d\d)/.exec("on 2020-12"); return [m.index, m.input, m.groups, Object.getPrototypeOf(m.groups)] })()`,
		`[3,"on 2020-12",{"y":"2020","m":"12"},null]`},
	{`(() => { const m = /a(?<x>b)?/d.exec("xab"); return [m.indices, m.indices.groups.x] })()`, `[[[1,3],[2,3]],[2,3]]`},
	{`Object.keys(/a/.exec("a"))`, `["0","index","input","groups"]`},
	{`(() => { try { Object.freeze(/a/g).test("a") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`/a/.test({ toString: () => "cat" })`, `true`},
	{`[/undefined/.test(), /null/.test(null), /1e\+21/.test(1e21)]`, `[true,true,true]`},

	// match, matchAll and search
	{`["abc".match("b").index, "a.c".search(".")]`, `[1,0]`},
	{`["xAy".search(/[A-Z]/), "x".search(/[A-Z]/), "ab".match(/z/g), "ab".match(/z/)]`, `[1,-1,null,null]`},
	{`[..."💩a".matchAll(/(?:)/gu)].map((m) => m.index)`, `[0,2,3]`},
	{`[..."💩a".matchAll(/(?:)/g)].map((m) => m.index)`, `[0,1,2,3]`},
	{`[..."aXbX".matchAll("X")].length`, `2`},
	{`(() => { try { "a".matchAll(/a/) } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { const r = /a/g; r.lastIndex = 1; const all = [..."aaa".matchAll(r)]; return [all.length, r.lastIndex] })()`, `[2,1]`},
	{`Object.prototype.toString.call("a".matchAll(/a/g))`, `"[object RegExp String Iterator]"`},
	{`(() => { const i = "aa".matchAll(/a/g); return [i[Symbol.iterator]() === i, i.next().value[0], i.next().done, i.next().done, i.next().done] })()`, `[true,"a",false,true,true]`},
	{`"aBAb".match(/b/gi)`, `["B","b"]`},
	{`"ab\ncd".match(/^./gm)`, `["a","c"]`},
	{`"😀".match(/./gu).length + "😀".match(/./g).length`, `3`},
	{`"aab".match(/a/gy)`, `["a","a"]`},

	// replace
	{`"2020-01-02".replace(/(?<y>\d+)-(\d+)-(\d+)/, "$3/$2/$<y>$$$&[$'$` + "`" + `]")`, `"02/01/2020$2020-01-02[]"`},
	{`"abc".replace(/b/, "[$` + "`" + `|$'|$0|$1|$<x>|$]")`, `"a[a|c|$0|$1|$<x>|$]c"`},
	{`"abcdefghijk".replace(/(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)/, "$11-$1-$10-$01-$12")`, `"k-a-j-a-a2"`},
	{`"aBc".replace(/b/i, (m, at, s) => [m, at, s].join("|"))`, `"aB|1|aBcc"`},
	{`"x1".replace(/(?<d>\d)/, (...a) => JSON.stringify(a.at(-1)))`, `"x{\"d\":\"1\"}"`},
	{`"a-b-c".replace(/-/g, (m, at) => at)`, `"a1b3c"`},
	{`"abc".replaceAll(/b|c/g, "")`, `"a"`},
	{`"aaa".replace(/a/g, (m, at, s) => s.replace(/a/g, "b")[0] + at)`, `"b0b1b2"`},
	{`"abc".replace(/(?:)/g, "-")`, `"-a-b-c-"`},
	{`"é😀é".replace(/é/g, "$&$&")`, `"éé😀éé"`},
	{`"abc".replace(/(z)?b/, "[$1]")`, `"a[]c"`},
	{`"abc".replace(/(?<n>z)?b/, "[$<n>]")`, `"a[]c"`},
	{`"abc".replace(/b/, undefined)`, `"aundefinedc"`},

	// split
	{`"a,b;c".split(/([,;])/)`, `["a",",","b",";","c"]`},
	{`["abc".split(/(?:)/), "".split(/(?:)/), "".split(/a/)]`, `[["a","b","c"],[],[""]]`},
	{`"A<B>bold</B>and<CODE>coded</CODE>".split(/<(\/)?([^<>]+)>/)`, `["A",null,"B","bold","/","B","and",null,"CODE","coded","/","CODE",""]`},
	{`["a,b,c".split(/,/, 2), "a,b".split(/,/, 0), "a,b".split(/,/, -1), "aXbX".split(/x/i)]`, `[["a","b"],[],["a","b"],["a","b",""]]`},
	{`["test".split(/(?:)/, 3), "😀a".split(/(?:)/u), "😀".split(/(?:)/)]`, `[["t","e","s"],["😀","a"],["\ud83d","\ude00"]]`},
	{`"a  b".split(/\s*/)`, `["a","b"]`},
	{`"aab".split(/a/y)`, `["","","b"]`},

	// the constructor
	{`[RegExp.length, RegExp.name, RegExp.prototype.constructor === RegExp, /x/ instanceof RegExp, ({}) instanceof RegExp, typeof RegExp]`, `[2,"RegExp",true,true,false,"function"]`},
	{`(() => { const r = /x/g; return [RegExp(r) === r, new RegExp(r) === r, new RegExp(r, "i").flags, RegExp(r, "gy").flags, new RegExp(r).flags] })()`, `[true,false,"i","gy","g"]`},
	{`[new RegExp("a+", "dgimsuy").flags, new RegExp("a", "v").flags, new RegExp().source, new RegExp(undefined).source, new RegExp(null).source]`, `["dgimsuy","v","(?:)","(?:)","null"]`},
	{`["(", "[", "a**", "(?<a>x)\\k<b>", "a{2,1}"].map((p) => { try { new RegExp(p); return p } catch (e) { return e.name } })`,
		`["SyntaxError","SyntaxError","SyntaxError","SyntaxError","SyntaxError"]`},
	{`["gg", "x", "uv"].map((f) => { try { new RegExp("a", f); return f } catch (e) { return e.name } })`, `["SyntaxError","SyntaxError","SyntaxError"]`},
	{`Object.prototype.toString.call(/x/) + Object.prototype.toString.call(new RegExp("x"))`, `"[object RegExp][object RegExp]"`},
	{`Reflect.ownKeys(/x/)`, `["lastIndex"]`},
	{`[RegExp.prototype.flags, RegExp.prototype.source, RegExp.prototype.global, String(RegExp.prototype)]`, `["","(?:)",null,"/(?:)/"]`},
	{`Object.getOwnPropertyNames(RegExp.prototype).sort().join()`,
		`"compile,constructor,dotAll,exec,flags,global,hasIndices,ignoreCase,multiline,source,sticky,test,toString,unicode,unicodeSets"`},
	{`[RegExp.prototype.exec, RegExp.prototype[Symbol.replace], RegExp.prototype.test, "".match].map((f) => f.name + f.length)`, `["exec1","[Symbol.replace]2","test1","match1"]`},
	{`(() => { try { RegExp.prototype.exec.call({}, "") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { const r = /a/g; r.lastIndex = 3; r.compile("b", "i"); return [r.source, r.flags, r.lastIndex, r.test("B")] })()`, `["b","i",0,true]`},
	{`(() => { const make = () => /a/g; const a = make(), b = make(); a.lastIndex = 1; return [a === b, b.lastIndex] })()`, `[false,0]`},
	{`RegExp[Symbol.species] === RegExp`, `true`},
	{`["a/b", "[/]", "\\/", "a\nb", "\\\n"].map((p) => new RegExp(p).source)`, `["a\\/b","[/]","\\/","a\\nb","\\n"]`},

	// objects that scripts change
	{`(() => { class R extends RegExp { exec(s) { const m = super.exec(s); if (m) m[0] = m[0].toUpperCase(); return m } }
		const r = new R("b+", "g"); return ["abb".replace(r, "<$&>"), "abcb".match(r), r instanceof R, r.source, [..."ab".matchAll(r)][0][0], "xbx".split(r)] })()`,
		`["a<BB>",["B","B"],true,"b+","B",["x","x"]]`},
	{`(() => { class R extends RegExp { static get [Symbol.species]() { return RegExp } } return "a-b".split(new R("-")) })()`, `["a","b"]`},
	{`(() => { const r = /a/; r[Symbol.match] = false; return ["/a/".startsWith(r), new RegExp(r).source] })()`, `[true,"a"]`},
	{`(() => { const r = { [Symbol.replace]: (s, v) => s + v }; return "a".replace(r, "b") })()`, `"ab"`},
	{`(() => { const r = { exec: () => null, flags: "g", global: true, lastIndex: 7 }; return [RegExp.prototype[Symbol.match].call(r, "x"), r.lastIndex] })()`, `[null,0]`},
	{`(() => { const p = new Proxy(/a/g, {}); try { p.exec("a") } catch (e) { return e.name } })()`, `"TypeError"`},
	{`(() => { delete RegExp.prototype[Symbol.match]; return new RegExp("a+").source + new RegExp("a+").source })()`, `"a+a+"`},
	{`(() => { RegExp.prototype.exec = () => null; return [/a/.test("a"), "a".replace(/a/, "b"), "a".match(/a/)] })()`, `[false,"a",null]`},
}

// TestProtocol runs each in a realm of its own.
func TestProtocol(t *testing.T) {
	t.Parallel()
	for _, c := range protocol {
		vm := goja.New()
		if err := regexps.New(vm, func() bool { return false }).Install(); err != nil {
			t.Fatal(err)
		}
		if got := run(t, vm, "JSON.stringify("+c.source+")", true).String(); got != c.want {
			t.Errorf("%s\n  is %s, want %s", c.source, got, c.want)
		}
	}
}

// TestLiteralErrors: a literal that is no regular expression has its place.
func TestLiteralErrors(t *testing.T) {
	t.Parallel()
	for source, idx := range map[string]int{
		"x = /a(/": 7, "x = /a/gg": 5, "x =\n/[z-a]/": 7, "x = /é**/": 9, "x = 1 / 2; // /(/": 0, `x = "/(/"`: 0, "x = `${/)/}`": 9,
	} {
		tree := parsed(t, source)
		_, err := regexps.Rewrite(source, tree)
		var bad *regexps.LiteralError
		if errors.As(err, &bad); idx == 0 && err != nil || idx > 0 && (bad == nil || bad.Idx != idx) {
			t.Errorf("%s: %v at %+v, want an error at %d", source, err, bad, idx)
		}
	}
}

// TestReplacementEndsWithTheRun: 65,536 times a text of a megabyte is not made.
func TestReplacementEndsWithTheRun(t *testing.T) {
	t.Parallel()
	vm := goja.New()
	asked := 0
	w := regexps.New(vm, func() bool {
		if asked++; asked > 20 {
			vm.Interrupt("the run is over")
		}
		return asked > 20
	})
	if err := w.Install(); err != nil {
		t.Fatal(err)
	}
	f, _ := goja.AssertFunction(run(t, vm, `() => "1".repeat(1 << 20).replace(/(.+)/g, "$1".repeat(1 << 16)).length`, true))
	var over *goja.InterruptedError
	if v, err := f(goja.Undefined()); !errors.As(err, &over) {
		t.Error(v, err)
	}
}
