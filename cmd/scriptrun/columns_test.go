package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestColumnsCountsWideCharactersTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"漢字", 4, "漢字"}, {"漢字", 3, "漢"}, {"漢字", 1, ""},
		{"a漢b", 3, "a漢"}, {"🦊🦊", 3, "🦊"}, {"ＡＢ", 3, "Ａ"}, {"ｱｲ", 2, "ｱｲ"}, {"привет", 6, "привет"}, {"", 3, ""}, {"as it is", 0, "as it is"},
	} {
		if got := columns(c.text, c.most); got != c.want {
			t.Errorf("%q in %d columns: %q, not %q", c.text, c.most, got, c.want)
		}
	}
}

// TestWrappedRowsFit: no row is wider than there are columns, and nothing but blanks is lost.
func TestWrappedRowsFit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "a", "short words only, of which there are many in one row, and then some more of them", strings.Repeat("x", 100), "a " + strings.Repeat("漢字", 40) + " b",
		strings.Repeat("🦊 ", 50), "one" + strings.Repeat(" ", 90) + "two", strings.Repeat("é", 61) + " " + strings.Repeat("long/", 30) + " end",
	} {
		for most := 12; most <= 60; most++ {
			for _, indent := range []string{"", "  > ", "        "} {
				rows := wrap(indent, indent+"  ", text, most)
				for _, row := range rows {
					if wide(row) > most || row != rows[0] && strings.TrimSpace(row) == "" {
						t.Errorf("%q has %d columns of %d", row, wide(row), most)
					}
				}
				blank := strings.NewReplacer(" ", "", ">", "")
				if got, want := blank.Replace(strings.Join(rows, "")), blank.Replace(text); got != want {
					t.Errorf("%q became %q", want, got)
				}
				if whole := wrap(indent, indent, text, 0); len(whole) != 1 {
					t.Errorf("%q", whole)
				}
			}
		}
	}
}

// TestLiveLineDoesNotWrap: a message of wide characters takes one row, the only one that is
// erased.
func TestLiveLineDoesNotWrap(t *testing.T) {
	t.Parallel()
	const wide = 30
	term := &screen{want: "漢", seen: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-term.seen
		cancel()
	}()
	var out bytes.Buffer
	run(env{
		args:  []string{"eval", `ctx.progress({message: "漢".repeat(60)}); await new Promise(() => setTimeout(() => {}, 60000))`, "--timeout", "60s"},
		stdin: strings.NewReader(""), stdout: &out, stderr: term, screen: term, terminal: true, width: func() int { return wide },
		interrupted: func() (context.Context, context.CancelFunc) { return ctx, cancel },
	})
	drawn := false
	for row := range strings.SplitSeq(term.String(), "\r\x1b[K") {
		text, ok := strings.CutPrefix(row, "\x1b[?7l")
		if !ok || !strings.Contains(text, "漢") {
			continue
		}
		drawn = true
		text, whole := strings.CutSuffix(text, "\x1b[?7h")
		taken := len([]rune(text)) + strings.Count(text, "漢")
		if !whole || taken >= wide {
			t.Errorf("a row of %d columns takes %d: %q", wide, taken, row)
		}
	}
	if !drawn {
		t.Errorf("it was not drawn: %q", term.String())
	}
}
