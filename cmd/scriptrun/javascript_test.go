package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// A jsRow is a row of docs/javascript.md: a status, a feature, code, and the value of the
// code as JSON, or what its refusal says.
type jsRow struct{ section, status, feature, code, want, note string }

// The statuses, and what the page calls them.
var jsStatuses = map[string]string{
	"yes":     "yes",
	"ours":    "yes, by us",
	"lowered": "yes, lowered",
	"refused": "refused",
	"absent":  "not there",
}

const jsTable = "testdata/javascript.txt"

func jsRows(t *testing.T) (rows []jsRow) {
	t.Helper()
	section := ""
	for line := range strings.Lines(read(t, jsTable)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			section = name
			continue
		}
		if line == "" {
			continue
		}
		c := append(strings.Split(line, "\t"), "")
		if len(c) < 5 || jsStatuses[c[0]] == "" {
			t.Fatalf("%s: not a row: %s", jsTable, line)
		}
		rows = append(rows, jsRow{section, c[0], c[1], c[2], c[3], c[4]})
	}
	return rows
}

// jsProgram gives the values of the rows that have one, as texts of JSON.
func jsProgram(rows []jsRow) string {
	var b strings.Builder
	b.WriteString("const show = (v) => v === undefined ? 'undefined' : JSON.stringify(v);\n" +
		"const each = async (f) => { try { return show(await f()) } catch (e) { return String(e) } };\n" +
		"export default async function run() {\nconst out = [];\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "out.push(await each(async () => (%s\n)));\n", row.code)
	}
	return b.String() + "return out }\n"
}

// TestJavaScriptPage runs each row of the page.
func TestJavaScriptPage(t *testing.T) {
	t.Parallel()
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	rows := jsRows(t)
	var valued []jsRow
	for _, row := range rows {
		if row.status != "refused" && row.status != "lowered" {
			valued = append(valued, row)
			continue
		}
		report := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "row.js", Body: []byte(row.code), FunctionBody: true}})
		err := report.Err()
		if row.status == "lowered" && (err != nil || string(report.Value) != row.want) {
			t.Errorf("%s: %v, want %s", row.feature, report, row.want)
		}
		if row.status == "refused" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v", row.feature, err)
		}
	}
	report := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "rows.js", Body: []byte(jsProgram(valued))}})
	var got []string
	if err := json.Unmarshal(report.Value, &got); err != nil || len(got) != len(valued) {
		t.Fatalf("%d rows, %v, %v", len(valued), err, report)
	}
	for i, row := range valued {
		if got[i] != row.want {
			t.Errorf("%s: %s\n got %v\nwant %s", row.feature, row.code, got[i], row.want)
		}
	}
	path := filepath.Join(root, "docs", "javascript.md")
	if *updateDocs {
		if err := os.WriteFile(path, []byte(jsPage(rows)), 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
	}
	if jsPage(rows) != read(t, path) {
		t.Error("docs/javascript.md is not what its table says; run go test ./cmd/scriptrun -run TestJavaScriptPage -update-docs")
	}
}

func jsPage(rows []jsRow) string {
	counts := map[string]int{}
	for _, row := range rows {
		counts[row.status]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# JavaScript\n\nWhat a script has of the language and around it: %d features, each with code that a test runs here, and in Node where Node has it.\n"+
		"%d are of the engine, %d are added or mended by us, %d are lowered when a source is checked, %d are refused with what to write instead, %d are not there: `typeof` tells.\n"+
		"What [`ctx`](ctx.md) gives comes on top.\n", len(rows), counts["yes"], counts["ours"], counts["lowered"], counts["refused"], counts["absent"])
	section := ""
	cell := strings.NewReplacer("|", "\\|")
	for _, row := range rows {
		if row.section != section {
			section = row.section
			fmt.Fprintf(&b, "\n## %s\n\n| | here | for example | gives |\n|---|---|---|---|\n", section)
		}
		gives := cell.Replace(row.note)
		switch {
		case row.status == "refused":
			gives = cell.Replace(row.want)
		case row.status != "absent":
			gives = "`" + cell.Replace(strings.ReplaceAll(row.want, "`", "'")) + "`"
			if row.note != "" {
				gives += "; " + cell.Replace(row.note)
			}
		case row.note != "":
			gives = "instead: " + gives
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell.Replace(row.feature), jsStatuses[row.status], jsCode(cell.Replace(row.code)), gives)
	}
	return b.String()
}

// jsCode is code in a table.
func jsCode(code string) string {
	if strings.Contains(code, "`") {
		return "`` " + code + " ``"
	}
	return "`" + code + "`"
}
