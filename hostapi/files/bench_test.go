package files_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

func BenchmarkGrep(b *testing.B) {
	content := map[string]string{}
	for i := range 200 {
		content[fmt.Sprintf("d%d/f%d.go", i%10, i)] = strings.Repeat("package something // with a line of text\n", 200)
	}
	content["d0/needle.go"] = "needle\n"
	p := workspace(b, content)
	for _, pattern := range []string{"needle", "n[e]{2}dle$"} {
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.tools["grep"].Invoke(b.Context(), callOf("grep", pattern)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTree searches 10,000 files of 160 MB, beside ripgrep where there is one.
func BenchmarkTree(b *testing.B) {
	text := strings.Repeat("func (s *server) handle(ctx context.Context, request *request) (response, error) {\n", 200)
	content := map[string]string{}
	for i := range 10_000 {
		content[fmt.Sprintf("d%d/e%d/f%d/g%d.go", i%20, i%100, i%500, i)] = text
	}
	content["d7/e7/f7/needle.go"] = text + "the needle\n"
	p := workspace(b, content)
	for _, c := range []struct{ tool, pattern, ripgrep string }{
		{"grep", "needle", "-n needle"}, {"grep", `\bneed\w+`, `-n \bneed\w+`}, {"grep", "(?i)NEEDLE|haystack", "-ni NEEDLE|haystack"}, {"grep", "[n]e{2}d+le$", "-n [n]e{2}d+le$"},
		{"glob", "**/needle.*", "--files -g **/needle.*"}, {"glob", "**", "--files"},
	} {
		b.Run(c.tool+" "+c.pattern, func(b *testing.B) {
			for b.Loop() {
				if r, err := p.tools[c.tool].Invoke(b.Context(), callOf(c.tool, c.pattern)); err != nil || !strings.Contains(r.Output, "needle.go") {
					b.Fatal(err, r.Output)
				}
			}
		})
		rg, err := exec.LookPath("rg")
		if err != nil {
			continue
		}
		b.Run("rg "+c.ripgrep, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(rg, strings.Fields(c.ripgrep)...)
				cmd.Args = append(cmd.Args, p.dir)
				if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "needle.go") {
					b.Fatal(err)
				}
			}
		})
	}
}

func callOf(tool, pattern string) hostapi.Call {
	return hostapi.Call{Tool: tool, Args: json.RawMessage(fmt.Sprintf(`{"pattern":%q}`, pattern))}
}
