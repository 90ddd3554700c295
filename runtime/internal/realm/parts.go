package realm

import "slices"

// part is a property of ctx.
type part struct {
	name     string
	tool     string // the host tool that it calls, if it is always the same
	promises bool   // it returns a promise
}

// parts are the properties of ctx, which ctx.js makes.
var parts = [...]part{
	{"tool", "", true},
	{"tools", "", false},
	{"read", "read", true},
	{"readFile", "read", true},
	{"write", "write", true},
	{"edit", "edit", true},
	{"ls", "ls", true},
	{"glob", "glob", true},
	{"grep", "grep", true},
	{"search", "search", true},
	{"bm25", "search", true},
	{"bash", "bash", true},
	{"git", "git", true},
	{"webSearch", "web_search", true},
	{"verify", "bash", true},
	{"shell", "bash", false},
	{"progress", "", false},
	{"approve", "", true},
	{"fail", "", false},
}

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
