package regex

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// cases are in testdata/cases.txt, a line each, with what Node 20 finds:
//
//	["pattern", "flags", "text", position, offsets]
//
// offsets are those of the match and of its groups, -1 for a group that took no part; null if
// nothing matches, "error" if the pattern is none.
type tableCase struct {
	pattern, text []uint16
	flags         string
	at            int
	want          string
}

func tableCases(t testing.TB) []tableCase {
	t.Helper()
	file, err := os.Open("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []tableCase
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var parts []json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &parts); err != nil {
			t.Fatal(err)
		}
		at, err := strconv.Atoi(string(parts[3]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tableCase{
			pattern: unquote(parts[0]), flags: string(utf16.Decode(unquote(parts[1]))), text: unquote(parts[2]), at: at, want: string(parts[4]),
		})
	}
	return all
}

// unquote reads a string of JSON, in which half a pair may stand alone.
func unquote(quoted []byte) []uint16 {
	var units []uint16
	text := string(quoted[1 : len(quoted)-1])
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			units = append(units, uint16(text[i]))
			continue
		}
		i++
		if text[i] == 'u' {
			n, _ := strconv.ParseUint(text[i+1:i+5], 16, 16)
			units = append(units, uint16(n))
			i += 4
			continue
		}
		if at := strings.IndexByte("bfnrt", text[i]); at >= 0 {
			units = append(units, uint16("\b\f\n\r\t"[at]))
			continue
		}
		units = append(units, uint16(text[i]))
	}
	return units
}

// found runs a case.
func (c tableCase) found(t testing.TB, m *Matcher) string {
	t.Helper()
	flags, ok := ParseFlags(c.flags)
	if !ok {
		return `"flags"`
	}
	program, err := Compile(c.pattern, flags, nil)
	if err != nil {
		return `"error"`
	}
	text := UTF16(c.text)
	if !slices.ContainsFunc(c.text, func(c uint16) bool { return c >= 0x80 }) {
		text = ASCII([]byte(string(utf16.Decode(c.text))))
	}
	groups, err := m.Match(program, text, c.at, flags&Sticky != 0)
	if err != nil {
		t.Fatal(err)
	}
	return offsets(groups)
}

func offsets(groups []int32) string {
	if groups == nil {
		return "null"
	}
	return strings.ReplaceAll(fmt.Sprint(groups), " ", ",")
}

func (c tableCase) String() string {
	return fmt.Sprintf("/%s/%s on %q at %d", string(utf16.Decode(c.pattern)), c.flags, string(utf16.Decode(c.text)), c.at)
}

// TestTable: patterns match what they match in Node, also when what failed is remembered
// from the beginning.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, eager := range []bool{false, true} {
		m := Matcher{eager: eager}
		for _, c := range tableCases(t) {
			if got := c.found(t, &m); got != c.want {
				t.Errorf("%s: %s, want %s", c, got, c.want)
			}
		}
	}
}
