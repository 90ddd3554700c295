package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// How many tool files a directory has.
const toolFiles = 200

// named is a run of one tool of many by its name.
func named(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "A run by name among 200 tool files", about: "A process from its start to its end. Node has a script that reads all the files, as whoever looks for a name has to, and imports the one."}
	dir := filepath.Join(in.dir, "two-hundred")
	if err := os.Mkdir(dir, 0o750); err != nil {
		return t, err
	}
	for i := range toolFiles {
		text := fmt.Sprintf("/*---\nkind: script\nname: tool-%d\ndescription: The tool of number %d.\nallowed_tools: [read, grep]\n---*/\nexport default async function run(ctx) { return %d }\n%s",
			i, i, i, strings.Repeat("// a line of a tool that somebody wrote\n", 50))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.mjs", i)), []byte(text), 0o600); err != nil {
			return t, err
		}
	}
	node := filepath.Join(in.dir, "named.mjs")
	script := fmt.Sprintf(`import fs from "node:fs";
const dir = %q;
for (const name of fs.readdirSync(dir)) {
  if (fs.readFileSync(dir + "/" + name, "utf8").includes("name: tool-150\n")) console.log(await (await import(dir + "/" + name)).default({}));
}
`, dir)
	if err := os.WriteFile(node, []byte(script), 0o600); err != nil {
		return t, err
	}
	t.rows, err = turns(ctx, rounds,
		command("`scriptrun run tool-150`, which the file150.mjs of 200 declares", 2, in.scriptrun, "run", "--tools", dir, "tool-150"),
		command("`scriptrun run file150.mjs`, which is named", 2, in.scriptrun, "run", filepath.Join(dir, "file150.mjs")),
		command("node, which reads the 200 and imports one", 2, "node", node),
		command("`node -e 0`", 2, "node", "-e", "0"))
	return t, err
}
