package realm_test

import (
	"strings"
	"testing"
)

// What locales give, as in Node.
var locales = []struct{ code, want string }{
	{`[1e15, 1, 10, 0.1].map((n) => n.toLocaleString("en", { style: "unit", unit: "kilobyte", unitDisplay: "long", notation: "scientific" }))`, `["1E15 kilobytes","1E0 kilobyte","1E1 kilobytes","1E-1 kilobytes"]`},
	{`(999999).toLocaleString("en", { style: "currency", currency: "EUR", currencyDisplay: "name", notation: "scientific", maximumFractionDigits: 0 })`, `"1E6 euros"`},
	{`["auto", true, undefined].map((useGrouping) => (1e15).toLocaleString("en-US", { notation: "compact", useGrouping }))`, `["1000T","1,000T","1000T"]`},
	{`[{ timeStyle: "short" }, { hour: "numeric" }, {}, { dateStyle: "long" }, { dateStyle: "short", timeStyle: "short" }].map((o) => new Intl.DateTimeFormat("en", { ...o, timeZone: "UTC" }).formatRange(-8.64e15, 0).replace(/\s/g, " "))`,
		`["4/20/271822 BC, 12:00 AM – 1/1/1970 AD, 12:00 AM","4/20/271822 BC, 12 AM – 1/1/1970 AD, 12 AM","4/20/271822 BC – 1/1/1970 AD","April 20, 271822 BC – January 1, 1970 AD","4/20/22 BC, 12:00 AM – 1/1/70 AD, 12:00 AM"]`},
	{`new Intl.DateTimeFormat("en", { timeStyle: "short", timeZone: "UTC" }).formatRange(-8.64e15, -8.6e15).replace(/\s/g, " ")`, `"4/20/271822, 12:00 AM – 11/6/270555, 11:06 PM"`},
}

func TestLocalesAreAsInNode(t *testing.T) {
	t.Parallel()
	for _, c := range locales {
		e := run(t, "async function run() { return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}

// Arrays hand the locale and the options to their elements, so that another one is refused there.
func TestArraysRefuseOtherLocales(t *testing.T) {
	t.Parallel()
	for _, code := range []string{`[1, 2.5].toLocaleString("de-DE")`, `[[new Date(0)]].toLocaleString("de-DE", { timeZone: "UTC" })`, `Float64Array.of(1.5).toLocaleString(["de-DE", "en"])`, `[1n].toLocaleString("de-DE")`} {
		e := run(t, "async function run() { return "+code+" }", nil)
		if e.throw == nil || e.throw.Name != "RangeError" || !strings.Contains(e.throw.Message, "the locale de-DE is not here") {
			t.Errorf("%s: %s %+v", code, e.value, e.throw)
		}
	}
}
