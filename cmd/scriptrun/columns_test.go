package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.StringOfN(rapid.SampledFrom([]rune("ab漢🦊é.")), 0, 40, -1)).Draw(t, "words"), " ")
		indent, hang := strings.Repeat(" ", rapid.IntRange(0, 8).Draw(t, "indent")), strings.Repeat(" ", rapid.IntRange(0, 8).Draw(t, "hang"))
		most := rapid.IntRange(12, 60).Draw(t, "most")
		rows := wrap(indent, hang, text, most)
		for _, row := range rows {
			if wide(row) > most {
				t.Fatalf("%q has %d columns of %d", row, wide(row), most)
			}
		}
		if got, want := strings.ReplaceAll(strings.Join(rows, ""), " ", ""), strings.ReplaceAll(text, " ", ""); got != want {
			t.Fatalf("%q became %q", want, got)
		}
		if whole := wrap(indent, hang, text, 0); len(whole) != 1 {
			t.Fatalf("%q", whole)
		}
	})
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
