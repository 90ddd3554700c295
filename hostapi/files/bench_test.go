package files_test

import (
	"encoding/json"
	"fmt"
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

func callOf(tool, pattern string) hostapi.Call {
	return hostapi.Call{Tool: tool, Args: json.RawMessage(fmt.Sprintf(`{"pattern":%q}`, pattern))}
}
