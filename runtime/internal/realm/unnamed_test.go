package realm_test

import (
	"strings"
	"testing"
)

// TestWhatTheEngineGetsWrongIsNotReached by a name that a script puts together: it throws, or
// is right where the source has the name.
func TestWhatTheEngineGetsWrongIsNotReached(t *testing.T) {
	t.Parallel()
	for expression, name := range map[string]string{
		`new Date(0)["toLocale" + "String"]("de-DE")`:                       "toLocaleString",
		`new Date(0).toLocal\u0065DateString("de-DE")`:                      "toLocaleDateString",
		`new Date(0)["toLocale" + "TimeString"].call(new Date(0), "de-DE")`: "toLocaleTimeString",
		`(1234.5)["toLocale" + "String"]("de-DE")`:                          "toLocaleString",
		`1234n["toLocale" + "String"]("de-DE")`:                             "toLocaleString",
		`"a"["locale" + "Compare"]("b", "de-DE")`:                           "localeCompare",
		`"i"["toLocale" + "UpperCase"]("tr")`:                               "toLocaleUpperCase",
		`"I"["toLocale" + "LowerCase"]("tr")`:                               "toLocaleLowerCase",
	} {
		e := runTable(t, "export default function run() { return ("+expression+") }")
		if e.throw == nil || !strings.Contains(e.throw.Message, name+" was reached by a name that is not in the source") {
			t.Errorf("%s: %s, %+v", expression, e.value, e.throw)
		}
	}
	for expression, want := range map[string]string{
		`"k\r\nx"["mat" + "ch"]("(?<=k)\\r").index`:           `1`,
		`[..."xx"["mat" + "chAll"]("x")].length`:              `2`,
		`"ax"["sea" + "rch"]("(?<=a)x")`:                      `1`,
		"\"ab\"[`${\"mat\"}ch`]`(?:(a)|b)*`[1] === undefined": `true`,
		`Array.from(["(?<=a)x"], Object.getOwnPropertyDescriptor(String.prototype, "mat" + "ch").value, "ax")[0].index`: `1`,
		`new globalThis["Reg" + "Exp"]("^\\w+$", "m").exec("k\r\nx")[0]`:                                                `"k"`,
		`Reflect.construct(globalThis["Reg" + "Exp"], ["(?<=k)x"]).test("kx")`:                                          `true`,
		`[/x/["constr" + "uctor"]("x", "v").unicodeSets]`:                                                               `[true]`,
		`[(1234.5)["toLocale" + "String"]("en-US"), "toLocaleString"]`:                                                  `["1,234.5","toLocaleString"]`,
		`["a,b"["spl" + "it"](","), "aa"["replace" + "All"]("a", "b")]`:                                                 `[["a","b"],"bb"]`,
		`[{} instanceof globalThis["Reg" + "Exp"], typeof "x"["mat" + "ch"]]`:                                           `[false,"function"]`,
	} {
		e := runTable(t, "export default function run() { return ("+expression+") }")
		if e.throw != nil || e.value != want {
			t.Errorf("%s: %s, want %s; %+v", expression, e.value, want, e.throw)
		}
	}
}
