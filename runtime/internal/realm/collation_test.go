package realm_test

import "testing"

// Orders of texts, as in Node.
var orders = []struct{ code, want string }{
	{`["file1.txt", "file10.txt", "file0.txt"].sort((a, b) => a.localeCompare(b, "en", { numeric: true }))`, `["file0.txt","file1.txt","file10.txt"]`},
	{`[["v0.9", "v1.2"], ["v1.0.9", "v1.1.0"], ["0", "1"], ["00a", "0a"], ["a0", "a"], ["x0y1", "x0y0"], ["007", "7"], ["a10", "a9"], ["1a", "01b"], ["x99999999999999999999", "x100000000000000000000"], ["\u0663", "4"], ["2", "1000000000"], ["-1", "-0"], ["0.0", "0"]].map(([a, b]) => a.localeCompare(b, "en", { numeric: true }))`,
		`[-1,-1,-1,0,1,1,0,1,-1,-1,-1,-1,1,1]`},
	{`["b0c", "b10c", "b2c", "B2c", "b0d"].sort(new Intl.Collator("en", { numeric: true, caseFirst: "upper" }).compare)`, `["b0c","b0d","B2c","b2c","b10c"]`},
	{`["10", "9", "0"].sort(new Intl.Collator("en-u-kn").compare)`, `["0","9","10"]`},
	{`["10", "9", "0"].sort(new Intl.Collator("en").compare)`, `["0","10","9"]`},
	{`["\ud800".localeCompare("\ufffd"), "\ud800".localeCompare("\ud800"), "\ud800b".localeCompare("\ud801a"), "a\ud800".localeCompare("a"), "\udc00".localeCompare("\ud800")]`, `[-1,0,-1,1,1]`},
}

func TestOrdersOfTexts(t *testing.T) {
	t.Parallel()
	for _, c := range orders {
		e := run(t, "async function run() { return "+c.code+" }", nil)
		if got := e.value; got != c.want {
			t.Errorf("%s\n got %s %+v\nwant %s", c.code, got, e.throw, c.want)
		}
	}
}
