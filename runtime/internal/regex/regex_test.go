package regex

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func compiled(t testing.TB, pattern, flags string) *Program {
	t.Helper()
	f, ok := ParseFlags(flags)
	if !ok {
		t.Fatalf("flags %q", flags)
	}
	p, err := Compile(utf16.Encode([]rune(pattern)), f, nil)
	if err != nil {
		t.Fatalf("/%s/%s: %v", pattern, flags, err)
	}
	return p
}

// TestNewer: what the table lacks, as Node 20 does not have it.
func TestNewer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, flags, text, want string }{
		{"(?<a>x)|(?<a>y)", "", "y", "[0,1,-1,-1,0,1]"},
		{`(?:(?<a>x)|(?<a>y))\k<a>`, "", "xxyy", "[0,2,0,1,-1,-1]"},
		{`(?:(?:(?<a>x)|(?<a>y))\k<a>)+`, "", "xxyy", "[0,4,-1,-1,2,3]"},
		{"(?i:a)b", "", "Ab", "[0,2]"},
		{"(?i:a)b", "", "AB", "null"},
		{"(?-i:a)b", "i", "aB", "[0,2]"},
		{"(?-i:a)b", "i", "AB", "null"},
		{"(?s:.)", "", "\n", "[0,1]"},
		{"(?m:^)b", "", "a\nb", "[2,3]"},
		{"(?m-i:^A)b", "i", "x\nAB", "[2,4]"},
		{`\p{Script=Garay}`, "u", "\U00010D4A", "[0,2]"}, // of Unicode 16
		{`\p{sc=Sidetic}`, "u", "\U00010940", "[0,2]"},   // of Unicode 17
	} {
		var m Matcher
		groups, err := m.Match(compiled(t, c.pattern, c.flags), UTF16(utf16.Encode([]rune(c.text))), 0, false)
		if got := offsets(groups); err != nil || got != c.want {
			t.Errorf("/%s/%s on %q: %s, want %s, %v", c.pattern, c.flags, c.text, got, c.want, err)
		}
	}
}

// TestSyntaxErrors: an error says where.
func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, flags string
		at             int
	}{
		{"ab(c", "", 2}, {"ab)c", "", 2}, {"a**", "", 2}, {"a[z-a]", "", 2}, {`x\u{110000}`, "u", 1}, {"ab[c", "", 2},
		{"(?<a>x)(?<a>y)", "", 10}, {"(?<a>x|(?<a>y))", "", 10}, {`(?<a>.)\k<b>`, "", 7}, {`a\p{Foo}`, "u", 1}, {"(?ii:a)", "", 0},
		{"(?-:a)", "", 0}, {"(?i-i:a)", "", 0}, {"(?g:a)", "", 0}, {"x{2,1}", "", 1}, {`[\d-z]`, "u", 1}, {"ab]", "u", 2}, {"[a&&b&&&c]", "v", 5},
	} {
		flags, _ := ParseFlags(c.flags)
		err := Check(utf16.Encode([]rune(c.pattern)), flags)
		var bad *SyntaxError
		if !errors.As(err, &bad) || bad.Offset != c.at {
			t.Errorf("/%s/%s: %v, want an error at %d", c.pattern, c.flags, err, c.at)
		}
	}
	if _, err := Compile(make([]uint16, maxPattern+1), 0, nil); err == nil {
		t.Error("a pattern that is too large compiles")
	}
	same := strings.Repeat("(?<a>x)|", maxCalled)
	if _, err := Compile(utf16.Encode([]rune(same)), 0, nil); err != nil {
		t.Errorf("%d groups of one name: %v", maxCalled, err)
	}
	if err := Check(utf16.Encode([]rune(same+"(?<a>x)")), 0); err == nil || !strings.Contains(err.Error(), "groups have one name") {
		t.Errorf("%d groups of one name: %v", maxCalled+1, err)
	}
	deep := strings.Repeat("(", maxNesting+1)
	if err := Check(utf16.Encode([]rune(deep)), 0); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("%d parentheses: %v", len(deep), err)
	}
}

// linear are patterns that take exponential or quadratic time where nothing is remembered.
var linear = []struct{ pattern, flags string }{
	{`(a+)+$`, ""}, {`^(a+)+$`, ""}, {`(a|aa)+$`, ""}, {`(a*)*$`, ""}, {`(?:a?){40}a{40}$`, ""}, {`(.*)*x`, ""}, {`(.*)(.*)(.*)(.*)(.*)x`, ""},
	{`(?:a|a|a)*b`, ""}, {`(?=(a+)+$)b`, ""}, {`(?:(?=a)a|a)*$`, ""}, {`(?<!b)(a+)+$`, ""}, {`\s+$`, ""}, {`a*a*a*a*a*b`, ""}, {`(\w+\s?)*$`, ""},
	{`(a+?)+?$`, ""}, {`(?:(a)|(b)|c?)*$`, ""}, {`([\p{L}]+)+$`, "u"}, {`(a+)+$`, "iu"}, {`^(([a-z])+.)+[A-Z]([a-z])+$`, ""},
}

// TestLinear: patterns without back references take steps in proportion to the text.
func TestLinear(t *testing.T) {
	t.Parallel()
	const length = 20_000
	for _, text := range []string{strings.Repeat("a", length) + "!", strings.Repeat(" ", length) + "!"} {
		for _, c := range linear {
			asked := 0
			m := Matcher{Stop: func() bool { asked++; return asked > 3000 }}
			if _, err := m.Match(compiled(t, c.pattern, c.flags), ASCII([]byte(text)), 0, false); err != nil {
				t.Errorf("/%s/%s: %v after %d steps", c.pattern, c.flags, err, asked*patience)
			}
		}
	}
}

// TestStop: what takes exponential time ends when it is told to.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{`(a*)*\1b`, `(a+)+\1!`, `(?:(a+)+\1)*!!`, `(a|a\1)*b`, `(?:.{1,300}){1,300}b`} {
		asked := 0
		m := Matcher{Stop: func() bool { asked++; return asked > 20 }}
		_, err := m.Match(compiled(t, pattern, ""), ASCII([]byte(strings.Repeat("a", 5000))), 0, false)
		if !errors.Is(err, ErrStopped) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	many := utf16.Encode([]rune(strings.Repeat(`[\p{L}é]`, 2000)))
	if _, err := Compile(many, Unicode|IgnoreCase, func() bool { return true }); !errors.Is(err, ErrStopped) {
		t.Errorf("compiling: %v", err)
	}
}

// TestWhatGoesWellCounts: a match asks whether to stop by what it does, not by how often it
// fails alone.
func TestWhatGoesWellCounts(t *testing.T) {
	t.Parallel()
	for name, pattern := range map[string]string{
		"a text in front": strings.Repeat("a", 1000) + "b", "a text": "[ac]" + strings.Repeat("a", 1000) + "b",
		"sets": strings.Repeat("[ac]", 1000) + "b", "conditions": strings.Repeat(`\B`, 1000) + "[ac]b", "look-behind": "(?<=b" + strings.Repeat("[ac]", 1000) + ")a",
		"captures": strings.Repeat("()", 1000) + "[ac]b", "a reference": `(a{500})(?:)\1b`, "look-aheads": strings.Repeat("(?=a)", 1000) + "[ac]b",
	} {
		asked := 0
		m := Matcher{Stop: func() bool { asked++; return false }}
		text := ASCII([]byte(strings.Repeat("a", 2500)))
		if name == "a text in front" { // which is found otherwise in ASCII
			text = UTF16(slices.Repeat([]uint16{'a'}, 2500))
		}
		if found, err := m.Match(compiled(t, pattern, ""), text, 0, false); found != nil || err != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		if asked < 20 {
			t.Errorf("%s: asked %d times in a million steps", name, asked)
		}
	}
}

// TestMatchesAskTogether: many that do not take long by themselves, and loops that fail late.
func TestMatchesAskTogether(t *testing.T) {
	t.Parallel()
	text := ASCII([]byte(strings.Repeat("a", 10000)))
	asked := 0
	m := Matcher{Stop: func() bool { asked++; return asked > 20 }}
	ahead := compiled(t, "(?=[^]*)", "")
	for i := 0; ; i++ {
		if _, err := m.Match(ahead, text, 0, true); errors.Is(err, ErrStopped) {
			break
		} else if err != nil || i > 10000 {
			t.Fatalf("asked %d times in %d matches; %v", asked, i, err)
		}
	}
	asked = 0
	late := compiled(t, "(?:"+strings.Repeat("a?", 1000)+"){1000}b?", "")
	if found, err := m.Match(late, text, 0, true); found == nil && !errors.Is(err, ErrStopped) || asked < 20 {
		t.Errorf("asked %d times; %v", asked, err)
	}
}

// TestMemory: what a match could try later is bounded.
func TestMemory(t *testing.T) {
	t.Parallel()
	var m Matcher
	text := []byte(strings.Repeat("ab", maxStack/4))
	if _, err := m.Match(compiled(t, `(?:(a)|(b))*c\1`, ""), ASCII(text), 0, false); !errors.Is(err, ErrMemory) {
		t.Errorf("%v", err)
	}
	if m.stack != nil {
		t.Error("the matcher keeps what it needed")
	}
}

// TestCache: programs are shared, and there is room for so many.
func TestCache(t *testing.T) {
	t.Parallel()
	one, err := Get([]uint16{'a', 'b'}, Global, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Get([]uint16{'a', 'b'}, Global, nil); again != one {
		t.Error("the program is not shared")
	}
	if other, _ := Get([]uint16{'a', 'b'}, Sticky, nil); other == one || other.Flags() != Sticky {
		t.Error("flags are not part of the key")
	}
}

// FuzzMatch: remembering changes nothing, and Go's regular expressions find the same where
// both mean the same.
func FuzzMatch(f *testing.F) {
	f.Add("(a|ab)(c|bcd)(d*)", "i", "abcd")
	f.Add(`(?:(a)|b)*?(?=c)\1`, "", "abc")
	f.Add("(?<x>[^a-c]+|é)*$", "u", "é😀")
	for _, c := range linear {
		f.Add(c.pattern, c.flags, "aaab")
	}
	f.Fuzz(func(t *testing.T, pattern, letters, text string) {
		flags, ok := ParseFlags(letters)
		if !ok || len(pattern) > 200 || len(text) > 200 {
			return
		}
		units := utf16.Encode([]rune(pattern))
		program, err := Compile(units, flags, nil)
		if err != nil {
			var bad *SyntaxError
			if !errors.As(err, &bad) || bad.Offset < 0 || bad.Offset > len(units) {
				t.Fatalf("/%s/%s: %v", pattern, letters, err)
			}
			return
		}
		asked := 0
		stop := func() bool { asked++; return asked > 100 }
		plain, eager := Matcher{Stop: stop}, Matcher{Stop: stop, eager: true}
		wide := UTF16(utf16.Encode([]rune(text)))
		want, err := plain.Match(program, wide, 0, false)
		got, other := eager.Match(program, wide, 0, false)
		if err != nil || other != nil {
			return
		}
		if offsets(got) != offsets(want) {
			t.Fatalf("/%s/%s on %q: %s, remembering %s", pattern, letters, text, offsets(want), offsets(got))
		}
		if flags == 0 && alike(pattern) && isASCII(text) {
			expected := regexp.MustCompile(pattern).FindStringIndex(text)
			if expected == nil && got != nil || expected != nil && (got == nil || int(got[0]) != expected[0] || int(got[1]) != expected[1]) {
				t.Fatalf("/%s/ on %q: %v, Go %v", pattern, text, got, expected)
			}
		}
	})
}

// alike reports whether a pattern means the same to Go: letters, groups, alternatives and
// loops whose bodies match something.
func alike(pattern string) bool {
	if strings.Trim(pattern, "abc()|*+?.") != "" || strings.Contains(pattern, "(?") {
		return false
	}
	tree, err := parse(utf16.Encode([]rune(pattern)), 0)
	if err != nil {
		return false
	}
	var sound func(n *node) bool
	sound = func(n *node) bool {
		if n.kind == nodeLoop && n.kids[0].mayBeEmpty() {
			return false
		}
		for _, kid := range n.kids {
			if !sound(kid) {
				return false
			}
		}
		return true
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return false
	}
	return sound(tree.root)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 || r == '\r' || r == '\n' }) < 0
}
