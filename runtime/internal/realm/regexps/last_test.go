package regexps_test

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/regexps"
)

// last are functions of a function that reads all properties of the last match, and what they
// give, as in Node.
var last = []struct{ source, want string }{
	{`all()`, `["","","","","","","",""]`},
	{`(/(a)(b)?/.exec("xaz"), all())`, `["xaz","a","","x","z","a","",""]`},
	{`(/a/.test("xaz"), all())`, `["xaz","a","","x","z","","",""]`},
	{`(/(a)/.test("xaz"), /(z)/.test("b"), all())`, `["xaz","a","a","x","z","a","",""]`},
	{`("a,b;c".split(/([,;])/), all())`, `["a,b;c",";",";","a,b","c",";","",""]`},
	{`(/(b)(c)/.exec("abcd"), "a,b,,c".split(/$/), all())`, `["abcd","bc","c","a","d","b","c",""]`},
	{`("a1b2".replace(/([a-z])(\d)/g, "$2$1"), all())`, `["a1b2","b2","2","a1","","b","2",""]`},
	{`("a1b2".replace(/(\d)/g, (m) => (/(q)/.exec("q"), m)), all())`, `["q","q","q","","","q","",""]`},
	{`("xyz".replace("y", "1"), all())`, `["","","","","","","",""]`},
	{`("abc".search(/(c)/), all())`, `["abc","c","c","ab","","c","",""]`},
	{`([..."k=v,l=w".matchAll(/(.)=(.)/g)], all())`, `["k=v,l=w","l=w","w","k=v,","","l","w",""]`},
	{`("k=v,l=w".match(/(.)=(.)/g), all())`, `["k=v,l=w","l=w","w","k=v,","","l","w",""]`},
	{`("é😀".match(/(.)$/), all())`, `["é😀","\ude00","\ude00","é\ud83d","","\ude00","",""]`},
	{`(/(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)/.exec("abcdefghij"), all())`, `["abcdefghij","abcdefghij","j","","","a","b","i"]`},
	{`(/b/.exec("abc"), RegExp.input = 5, RegExp.$1 = 2, RegExp.lastMatch = 3, [typeof RegExp.input, all()])`, `["string",["5","b","","a","c","","",""]]`},
	{`(new (class R extends RegExp {})("(z)").exec("z"), all())`, `["z","z","z","","","z","",""]`},
	{`["lastMatch", "$&", "$9", "input"].map((n) => { const d = Object.getOwnPropertyDescriptor(RegExp, n); return [typeof d.get, typeof d.set, d.enumerable, d.configurable, d.get.name] })`,
		`[["function","function",false,true,"get lastMatch"],["function","function",false,true,"get $&"],["function","function",false,true,"get $9"],["function","function",false,true,"get input"]]`},
	{`(/b/.exec("abc"), [RegExp.$_, RegExp["$&"], RegExp["$+"], RegExp["$` + "`" + `"], RegExp["$'"]])`, `["abc","b","","a","c"]`},
	{`(() => { class A extends RegExp {} /(b)/.exec("abc"); return A.$1 })()`, `"b"`},
}

func TestLastMatch(t *testing.T) {
	t.Parallel()
	for _, c := range last {
		vm := goja.New()
		w := regexps.New(vm, func() bool { return false })
		if err := w.Install(); err != nil {
			t.Fatal(err)
		}
		if err := w.InstallLast(); err != nil {
			t.Fatal(err)
		}
		got := run(t, vm, `const all = () => [RegExp.input, RegExp.lastMatch, RegExp.lastParen, RegExp.leftContext, RegExp.rightContext, RegExp.$1, RegExp.$2, RegExp.$9]; JSON.stringify(`+c.source+")", true).String()
		if got != c.want {
			t.Errorf("%s\n  is %s, want %s", c.source, got, c.want)
		}
	}
}

func TestAsksForLast(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"/(a)/.test(x); return RegExp.$1":                      true,
		"return RegExp['$' + n]":                               true,
		"const { $1 } = RegExp":                                true,
		"const R = RegExp; return R.lastMatch":                 true,
		"const R = RegExp; return R[`$${n}`]":                  true,
		"return /a/.constructor.leftContext":                   true,
		"return Object.getOwnPropertyNames(RegExp)":            true,
		"return `${new RegExp(x)}`":                            false,
		"return x.replace(/(a)/, '$1')":                        false,
		"class A { constructor(input) {} } return /a/.test(x)": false,
		"new RegExp(x + '$')":                                  true, // a part of a name, for all that is known
	} {
		if got := regexps.AsksForLast(source); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
