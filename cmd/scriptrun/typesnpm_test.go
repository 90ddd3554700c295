//go:build npm && linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mistakes are lines of a tool that tsc must refuse.
var mistakes = []struct{ name, line, says string }{
	{"a method that ctx does not have", `await ctx.readfile("x");`, "readFile"},
	{"a tool that is not granted", `await ctx.tool("write", { path: "x", content: "" });`, "write"},
	{"a helper whose tool is not granted", `await ctx.write("x", "y");`, "write"},
	{"a misspelt argument", `await ctx.tool("grep", { pattern: "x", limt: 3 });`, `NoArgument<"limt">`},
	{"an argument of another type", `await ctx.tool("grep", { pattern: 7 });`, "string"},
	{"a required argument that is missing", `await ctx.tool("grep", { limit: 7 });`, "pattern"},
	{"a choice that there is not", `await ctx.tool("grep", { pattern: "x", output_mode: "lines" });`, "lines"},
	{"a part of a result that there is not", `(await ctx.tool("grep", { pattern: "x" })).exitcode;`, "exitCode"},
	{"a part of the data that there is not", `(await ctx.tool("grep", { pattern: "x" })).data.map((hit) => hit.path);`, "path"},
	{"an input that is not declared", `inputs.cuont;`, "count"},
	{"an input used as another type", `inputs.count.toUpperCase();`, "toUpperCase"},
	{"a promise used as its value", `ctx.readFile("x").split(",");`, "split"},
	{"a method of a command that there is not", `await (await ctx.shell.start("x")).stop();`, "stop"},
	{"a value of another type", `if (inputs) return { total: "1" };`, "number"},
}

// TestNPMTypes: tsc takes every tool that ships, the first one of new, and those of an agent's directory, and
// refuses mistakes where they are.
func TestNPMTypes(t *testing.T) {
	dir, _ := packages(t)
	began := time.Now()
	defer func() { t.Logf("without what it installs: %v", time.Since(began)) }()
	t.Setenv("PATH", filepath.Join(dir, "node_modules/.bin")+":"+filepath.Join(dir, "node_modules/node/bin")+":"+os.Getenv("PATH"))
	work := t.TempDir()
	settings := filepath.Join(work, "none.toml")
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("none.toml", "")
	command := func(args ...string) (int, string) {
		var both bytes.Buffer
		code := run(env{
			args: append(args, "--config", settings), stdout: &both, stderr: &both,
			interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
		})
		return code, both.String()
	}
	tools := filepath.Join(work, "tools")
	if err := os.CopyFS(tools, os.DirFS(filepath.Join(root, "tools"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(work, "agent"), os.DirFS(filepath.Join(root, "examples/agentdir"))); err != nil {
		t.Fatal(err)
	}
	for i, m := range mistakes {
		put(fmt.Sprintf("wrong/wrong-%d.js", i), fmt.Sprintf(`/*---
kind: script
description: %s
allowed_tools: [read, grep, bash]
input_schema: {type: object, properties: {count: {type: integer}}}
output_schema: {type: object, properties: {total: {type: integer}}}
---*/
/** @type {import("./scriptrun").Run<"wrong-%d">} */
export default async function run(ctx, inputs) {
  %s
  return { total: 1 };
}
`, m.name, i, m.line))
	}
	for _, args := range [][]string{{"new", "first", "--tools", tools}, {"types", "--tools", filepath.Join(work, "agent/tools")}, {"types", "--tools", filepath.Join(work, "wrong")}} {
		if code, out := command(args...); code != exitOK {
			t.Fatalf("%v exits with %d: %s", args, code, out)
		}
	}
	_, out := command("check", "--types", tools, filepath.Join(work, "agent/tools"), filepath.Join(work, "wrong")) // one start of tsc for all
	for line := range strings.SplitSeq(out, "\n") {
		if strings.Contains(line, ": TS") && !strings.Contains(line, "/wrong/") || strings.HasPrefix(line, "error: ") {
			t.Errorf("tsc refuses what ships: %s", line)
		}
	}
	for i, m := range mistakes {
		told := false
		for line := range strings.SplitSeq(out, "\n") {
			told = told || (strings.Contains(line, fmt.Sprintf("wrong-%d.js:", i)) && strings.Contains(line, ": TS") && strings.Contains(line, m.says))
		}
		if !told {
			t.Errorf("tsc takes %s: %s\n%s", m.name, m.line, out)
		}
	}
}
