package realm_test

import (
	"os"
	"strings"
	"testing"
)

// TestNumbers runs the tables of testdata/numbers, which are like those of TestPlatform.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for table, parts := range map[string][]string{"numbers.txt": {"values.js"}, "bigints.txt": {"values.js", "bigs.js"}} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			before := "const codes = false;\n" + text(t, "testdata/platform/show.js")
			for _, part := range parts {
				before += text(t, "testdata/numbers/"+part)
			}
			platform(t, before, strings.Split(text(t, "testdata/numbers/"+table), "\n"))
		})
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
