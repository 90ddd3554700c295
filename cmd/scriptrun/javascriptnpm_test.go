//go:build npm && linux

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNPMJavaScript: each row of docs/javascript.md gives the same in Node, unless Node lacks it.
func TestNPMJavaScript(t *testing.T) {
	dir, _ := packages(t)
	var rows []jsRow
	var codes []string
	for _, row := range jsRows(t) {
		if row.status == "yes" || row.status == "ours" {
			rows, codes = append(rows, row), append(codes, row.code)
		}
	}
	text, err := json.Marshal(codes)
	if err != nil {
		t.Fatal(err)
	}
	const program = `const vm = require("vm");
const show = (v) => v === undefined ? "undefined" : JSON.stringify(v);
(async () => {
  const out = [];
  for (const code of JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"))) {
    try { out.push(show(await vm.runInThisContext("(" + code + "\n)"))) } catch (e) { out.push(String(e)) }
  }
  console.log(JSON.stringify(out));
})()`
	for name, text := range map[string]string{"rows.json": string(text), "rows.cjs": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := node(t, dir, "rows.cjs", "rows.json")
	var got []string
	if err != nil || json.Unmarshal([]byte(out), &got) != nil || len(got) != len(rows) {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, row := range rows {
		lacks := strings.HasPrefix(got[i], "TypeError: ") || strings.HasPrefix(got[i], "ReferenceError: ") || strings.HasPrefix(got[i], "SyntaxError: ")
		if got[i] != row.want && !lacks {
			t.Errorf("%s: %s\nhere %s\nNode %s", row.feature, row.code, row.want, got[i])
		}
	}
}
