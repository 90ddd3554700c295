package programs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

var updateRules = flag.Bool("update-rules", false, "rewrite the table of docs/rules.md")

const (
	rulesPage  = "../../../../docs/rules.md"
	tableBegin = "<!-- from here: go test ./hostapi/shell/internal/programs -run TestDocsTellTheTable -update-rules -->\n"
	tableEnd   = "<!-- to here -->\n"
)

// The page shows the table as it is.
func TestDocsTellTheTable(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(rulesPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), tableBegin)
	shown, after, ends := strings.Cut(rest, tableEnd)
	if !ok || !ends {
		t.Fatalf("%s has no place for the table", rulesPage)
	}
	want := tableText()
	if *updateRules {
		if err := os.WriteFile(rulesPage, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want {
		t.Errorf("%s does not show the table; run the test with -update-rules", rulesPage)
	}
}

func tableText() string {
	var text strings.Builder
	text.WriteString("| program | what `*` covers | what must be spelled out, as far as it is known by name |\n|---|---|---|\n")
	for _, row := range programs.Table() {
		names := row.Programs
		covers := row.Covers
		if len(row.Commands) > 0 {
			names = nil
			for _, c := range row.Commands {
				names = append(names, row.Programs[0]+" "+c)
			}
			if covers == "" {
				covers = "its options that choose and format; operands"
			}
		}
		var spelled []string
		for _, s := range row.Spelled {
			spelled = append(spelled, code(s.Options)+" "+s.Why)
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", code(names), cell(covers), strings.Join(spelled, "; "))
	}
	return text.String()
}

func code(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, "`"+cell(w)+"`")
	}
	return strings.Join(all, " ")
}

// cell keeps a text within a cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
