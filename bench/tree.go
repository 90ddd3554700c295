package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/runtime"
)

// The tree that is searched.
const treeFiles, treeFileBytes = 10_000, 16_000

// plant makes the tree: lines of words, and a few with the one that is looked for.
func plant(dir string) error {
	words := strings.Fields("func return package import struct interface the of a value error string if for range nil err := context select case default break continue result config server client handler request response buffer reader writer // TODO comment (x, y) { } [] int64 bool")
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same tree each time
	for i := range treeFiles {
		in := filepath.Join(dir, fmt.Sprintf("d%d", i%20), fmt.Sprintf("e%d", i%100), fmt.Sprintf("f%d", i%500))
		if err := os.MkdirAll(in, 0o750); err != nil {
			return err
		}
		var text strings.Builder
		for text.Len() < treeFileBytes {
			for range 3 + random.IntN(12) {
				text.WriteString(words[random.IntN(len(words))] + " ")
			}
			text.WriteByte('\n')
		}
		if i%1000 == 7 {
			text.WriteString("the haystack has a Needle\n")
		}
		if err := os.WriteFile(filepath.Join(in, fmt.Sprintf("file%d.go", i)), []byte(text.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// tree is a search of many files.
func tree(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "Searching 10,000 files", about: "160 MB in 620 folders, in the page cache. Each is a run of a script with one call, beside ripgrep on the same tree."}
	dir := filepath.Join(in.dir, "tree")
	if err := plant(dir); err != nil {
		return t, err
	}
	workspace, err := files.Open(dir)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, workspace.Close()) }()
	runner, err := runtime.New(runtime.Options{Tools: workspace.Tools()})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	var subjects []subject
	for _, c := range []struct {
		name, host, args, want string
		ripgrep                []string
	}{
		{"grep of a word", "grep", "{pattern: 'Needle'}", "10", []string{"-n", "Needle"}},
		{"grep of an expression", "grep", `{pattern: '\\bhas\\s+\\w+\\s+Need[a-z]+$'}`, "10", []string{"-n", `\bhas\s+\w+\s+Need[a-z]+$`}},
		{"grep of a word in any case", "grep", "{pattern: 'NEEDLE', case_sensitive: false}", "10", []string{"-ni", "NEEDLE"}},
		{"glob", "glob", "{pattern: '**/*7.go'}", "1000", []string{"--files", "-g", "**/*7.go"}},
	} {
		run, err := running(ctx, c.name, runner, c.host, "async function run(ctx) { return (await ctx.tools."+c.host+"("+c.args+")).data.length }\n", c.want, 1)
		if err != nil {
			return t, err
		}
		subjects = append(subjects, run, command("ripgrep, the same", 1, append(append([]string{"rg"}, c.ripgrep...), dir)...))
	}
	if t.rows, err = turns(ctx, rounds, subjects...); err != nil {
		return t, err
	}
	t.noRatios = true
	for i := 0; i < len(t.rows) && t.rows[i+1].samples > 0; i += 2 {
		t.notes = append(t.notes, fmt.Sprintf("%s takes %.2g times as long as ripgrep.", t.rows[i].name, float64(t.rows[i].p50)/float64(t.rows[i+1].p50)))
	}
	return t, nil
}
