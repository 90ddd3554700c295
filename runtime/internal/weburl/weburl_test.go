package weburl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/weburl"
)

// TestLinear: a script cannot keep the process busy with an address. Each of these took
// seconds in a parser that copies what it has for every character, or would.
func TestLinear(t *testing.T) {
	t.Parallel()
	const n = 200_000
	for name, text := range map[string]string{
		"name":        "http://" + strings.Repeat("a", n) + "@x/",
		"at signs":    "http://" + strings.Repeat("@", n) + "@x/",
		"opaque host": "foo://" + strings.Repeat("%", n) + "/",
		"dots":        "http://" + strings.Repeat("a.", n) + "/",
		"path":        "http://x/" + strings.Repeat("a/../", n),
		"backslashes": "http:" + strings.Repeat("\\", n) + "x",
		"tabs":        strings.Repeat("\t\n", n) + "http://x/",
		"query":       "http://x/?" + strings.Repeat("ä%", n),
		"number":      "http://" + strings.Repeat("1", n) + "/",
		"unicode":     "http://" + strings.Repeat("ä", n) + "/",
		"punycode":    "http://" + strings.Repeat("xn--a.", n) + "/",
	} {
		began := time.Now()
		if u, ok := weburl.Parse(text, nil); ok {
			u.Set("pathname", text)
			u.Set("username", text)
			_ = u.Href()
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// FuzzParse: an address that was written is read as the same one, and setting a part of it
// leaves an address.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"http://u:p@h:1/p?q#f", "file:///C|/../x", "foo:/.//p", "mailto:a b#c", "http://[::1.2.3.4]/", "//ä.x/%zz", "blob:http://x", "\\\\x", "non-special:opaque  ?hi"} {
		f.Add(seed, "http://base/a/b?c", "host", "x:1")
	}
	f.Fuzz(func(t *testing.T, text, base, part, value string) {
		from, _ := weburl.Parse(strings.ToValidUTF8(base, "?"), nil)
		u, ok := weburl.Parse(strings.ToValidUTF8(text, "?"), from)
		if !ok {
			return
		}
		same := func() {
			again, ok := weburl.Parse(u.Href(), nil)
			if !ok || again.Href() != u.Href() {
				t.Errorf("%q, of %q on %q, is read as another", u.Href(), text, base)
			}
		}
		same()
		u.Set(part, strings.ToValidUTF8(value, "?"))
		same()
	})
}
