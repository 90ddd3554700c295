package realm_test

import "testing"

// Halves of surrogate pairs, as in Node. hex shows the code units.
const hex = `const hex = (s) => Array.from({ length: s.length }, (_, i) => s.charCodeAt(i).toString(16)).join(" "); `

var halves = []struct{ code, want string }{
	{`[" a\ud800 ".trim(), " \ud800".trimStart(), "\udc00 a\t".trimEnd(), "\ud800 ".trimStart(), " \ud83d\ude00 ".trim(), "\ufeff\u2003a\u2028\u00a0".trim(), " \u0085\u180e\u200b ".trim()].map(hex)`,
		`["61 d800","d800","dc00 20 61","d800 20","d83d de00","61","85 180e 200b"]`},
	{`["A\ud800B".toLowerCase(), "ß\udc00ß".toUpperCase(), "\ud801\udc00\ud801".toLowerCase(), "ΑΣ\ud800Σ".toLowerCase(), "İ".toLowerCase(), "a\ud800".toLocaleUpperCase(), "A\ud800".toLocaleLowerCase("en")].map(hex)`,
		`["61 d800 62","53 53 dc00 53 53","d801 dc28 d801","3b1 3c2 d800 3c3","69 307","41 d800","61 d800"]`},
	{`["e\u0301\ud800e\u0301".normalize(), "\ud800\u0301".normalize("NFC"), "é\ud800".normalize("NFD"), "\ud800ﬁ".normalize("NFKC"), "\ud800".normalize({ toString: () => "NFKD" }), "\ufffd\u00e9".normalize("NFD")].map(hex)`,
		`["e9 d800 e9","d800 301","65 301 d800","d800 66 69","d800","fffd 65 301"]`},
	{`["\ud800", "\ud800é", "a", ""].map((s) => { try { return s.normalize("X") } catch (e) { return e.name } })`, `["RangeError","RangeError","RangeError","RangeError"]`},
	{`[() => "".trim.call(null), () => "".toLowerCase.call(undefined), () => "".normalize.call(Symbol()), () => "".trim.call({ toString: () => Symbol() }), () => "\ud800".normalize(Symbol()), () => "".trimEnd.call({ toString() { throw new RangeError() } })].map((f) => { try { return f() } catch (e) { return e.name } })`,
		`["TypeError","TypeError","TypeError","TypeError","TypeError","RangeError"]`},
	{`["".trim.call(5), "".toUpperCase.call(true), "".trim.call([" a "]), "".trim.name, "".normalize.length, "".trimLeft === "".trimStart, "".trimLeft.name, "".trimRight === "".trimEnd, "ABC".toLowerCase(), "abc".toLowerCase(), "é".toUpperCase()]`,
		`["5","TRUE","a","trim",0,true,"trimStart",true,"abc","abc","É"]`},

	// These were right all the time.
	{`["\ud800".padStart(3, "\udc00"), "\ud800a".at(0), ["\ud800", "\udc00"].join("-"), "\ud800-".split("-")[0], "a\ud800".replaceAll("a", "b"), "\ud800".replace(/x?/, "y"), "x\ud800".slice(1), "\ud800".concat("a"), "\ud800".repeat(2), String.raw({ raw: ["\ud800", "b"] }, "\udfff"), "a\ud800".substring(1), "\ud800" + "a"].map(hex)`,
		`["dc00 dc00 d800","d800","d800 2d dc00","d800","62 d800","79 d800","d800","d800 61","d800 d800","d800 dfff 62","d800","d800 61"]`},
	{"[`a${\"\\ud800\"}`, JSON.parse(JSON.stringify(\"\\ud800\")), Object.keys({ \"\\ud800\": 1 })[0], [...\"\\ud800\"][0], new Map([[\"\\ud800\", 1]]).keys().next().value, [\"\\ud800\"].toString(), Symbol(\"\\ud800\").description, new Error(\"\\ud800\").message, \"\\ud800\".link(\"\\udc00\").slice(-6, -4), Object(\"\\ud800\").valueOf()].map(hex)",
		`["61 d800","d800","d800","d800","d800","d800","d800","d800","3e d800","d800"]`},
	{`["\ud800", "a\udc00"].map((s) => { try { return encodeURIComponent(s) } catch (e) { return e.name } })`, `["URIError","URIError"]`},
}

func TestHalvesOfPairs(t *testing.T) {
	t.Parallel()
	for _, c := range halves {
		e := run(t, "async function run() { "+hex+"return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}
