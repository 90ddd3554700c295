package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// page is the one page with all keys.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPageHasEveryKey: the page has exactly the rows of the table, with the types that are
// decoded.
func TestPageHasEveryKey(t *testing.T) {
	t.Parallel()
	in := map[verdict]string{waits: "held back", holds: "in force", compared: "held back where it gives more", operators: "never in force"}
	value := func(typ reflect.Type) string {
		switch typ.Kind() {
		case reflect.String:
			return "text"
		case reflect.Slice:
			return "list"
		case reflect.Map:
			return "table"
		case reflect.Interface:
			return "text, or a list"
		case reflect.Int, reflect.Int64:
			return "number"
		default:
			return "true or false"
		}
	}
	var want []string
	for _, k := range keys {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s: %s |", k.name, value(typeOf(k.name)), k.doc, in[k.verdict], k.does))
	}
	var got []string
	for line := range strings.SplitSeq(page(t), "\n") {
		if strings.HasPrefix(line, "| `") {
			got = append(got, line)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/settings.md is to have the rows\n%s", strings.Join(want, "\n"))
	}
}

// TestPageExample: the example that people copy has no mistake, and shows most tables.
func TestPageExample(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(page(t), "```toml\n")
	text, _, _ = strings.Cut(text, "```")
	f, err := parse("settings.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeOf(*f).NumField() {
		field := reflect.TypeOf(*f).Field(i)
		if tagOf(field) != "" && tagOf(field) != "mcp_files" && reflect.ValueOf(*f).Field(i).IsZero() {
			t.Errorf("it shows nothing of %s", tagOf(field))
		}
	}
}
