package regex

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// BenchmarkMatch finds all matches with their groups, here and with the regexp of Go, which is RE2.
func BenchmarkMatch(b *testing.B) {
	for _, bench := range []struct{ name, pattern, text string }{
		{"email", `^[\w.+-]+@[\w-]+\.[\w.-]+$`, "john.doe+news@mail.example.com"},
		{"log line", `^(\S+) \S+ (\S+) \[([^\]]+)\] "([^"]*)" (\d{3}) (\d+)`, `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326`},
		{"separators in 8 KB", `,\s*`, strings.Repeat("abcdef, ", 1024)},
		{"spaces in 4 KB", `\s+`, strings.Repeat("abcdefg ", 512)},
		{"literal in 4 KB", `needle`, strings.Repeat("abcdefg ", 512) + "needle"},
		{"k=v in 2 KB", `(\w+)=(\w+)`, strings.Repeat("key=value; ", 186)},
		{"nothing in 4 KB", `(\d+)x(\d+)$`, strings.Repeat("1234567 ", 512)},
	} {
		b.Run(bench.name+"/RE2", func(b *testing.B) {
			e := regexp.MustCompile(bench.pattern)
			for b.Loop() {
				e.FindAllStringSubmatchIndex(bench.text, -1)
			}
		})
		b.Run(bench.name+"/ours", func(b *testing.B) {
			p, err := Compile(utf16.Encode([]rune(bench.pattern)), 0, nil)
			if err != nil {
				b.Fatal(err)
			}
			m, text := &Matcher{}, ASCII([]byte(bench.text))
			for b.Loop() {
				for at := 0; ; {
					found, err := m.Match(p, text, at, false)
					if err != nil {
						b.Fatal(err)
					}
					if found == nil {
						break
					}
					at = int(found[1])
				}
			}
		})
	}
}
