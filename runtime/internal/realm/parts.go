package realm

import "slices"

// part is a property of ctx.
type part struct {
	name     string
	tool     string   // the host tool that it calls, if it is always the same
	promises bool     // it returns a promise
	takes    int      // the place of the argument that has the tool's own arguments as its keys; 0 if none has
	fills    []string // the tool's arguments that it gives besides, and the keys that only it knows
	like     string   // how it is called, if its first argument is a text
}

// lines are the arguments of read that its helpers give.
var lines = []string{"path", "file_path"}

// parts are the properties of ctx, which ctx.js makes.
var parts = [...]part{
	{"tool", "", true, 0, nil, ""},
	{"tools", "", false, 0, nil, ""},
	{"read", "read", true, 2, lines, `read("a.txt", {limit: 10})`},
	{"readFile", "read", true, 2, lines, `readFile("a.txt", {limit: 10})`},
	{"write", "write", true, 0, nil, `write("a.txt", "text")`},
	{"edit", "edit", true, 4, []string{"path", "file_path", "old_string", "new_string"}, `edit("a.txt", "from", "to", {replace_all: true})`},
	{"ls", "ls", true, 2, lines, `ls("src", {limit: 10})`},
	{"glob", "glob", true, 2, []string{"pattern"}, `glob("**/*.js", {path: "src"})`},
	{"grep", "grep", true, 2, []string{"pattern", "-i"}, `grep("x", {path: "src"})`},
	{"search", "search", true, 2, []string{"query", "-i"}, `search("x", {path: "src"})`},
	{"bm25", "search", true, 2, []string{"query", "-i", "mode"}, `bm25("x", {path: "src"})`},
	{"bash", "bash", true, 2, []string{"command"}, `bash("ls", {cwd: "src"})`},
	{"git", "git", true, 1, nil, ""},
	{"webSearch", "web_search", true, 1, nil, ""},
	{"verify", "bash", true, 1, nil, ""},
	{"shell", "bash", false, 0, nil, ""},
	{"progress", "", false, 0, nil, ""},
	{"approve", "", true, 0, nil, ""},
	{"fail", "", false, 0, nil, ""},
}

// commandPart is what the methods of ctx.shell take.
var commandPart = part{tool: "bash", takes: 2, fills: []string{"command", "argv"}}

// Parts are the names of the properties of ctx.
func Parts() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// partNamed is the part with a name; an empty one if there is none.
func partNamed(name string) part {
	if i := slices.IndexFunc(parts[:], func(p part) bool { return p.name == name }); i >= 0 {
		return parts[i]
	}
	return part{}
}
