package runtime

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime/internal/realm"
)

// elsewhere says what to use here instead of a name that other runtimes have.
func elsewhere(name string) string {
	switch name {
	case "fetch", "XMLHttpRequest", "axios":
		return `requests are made with ctx.tool("fetch", {url}), if allowed_tools has fetch`
	case "require", "module", "exports", "__require":
		return `a tool file loads files and packages of its folder with import x from "./x.js", import x from "package"; of Node it has a few modules, as import path from "node:path"`
	case "process", "Deno", "Bun":
		return "arguments come as inputs, the value goes out with return, and there is no environment"
	case "fs", "fsPromises", "readFile", "readFileSync", "writeFile", "writeFileSync":
		return "files are read with ctx.readFile(path) and written with ctx.write(path, text), if allowed_tools has read and write"
	case "exec", "execSync", "spawn", "spawnSync", "child_process", "$":
		return "commands are run with ctx.shell.run(line), if allowed_tools has bash"
	case "__dirname", "__filename", "path":
		return "paths are text, with slashes, relative to the workspace"
	case "window", "document":
		return "there is no page; the global object is globalThis"
	case "global", "self":
		return "the global object is globalThis"
	}
	return ""
}

// hint tells an author how to mend an error of the engine. line is the source line up to the
// place of the error. Most errors have no hint.
func hint(name, message, line string) string {
	if missing, ok := strings.CutSuffix(message, " is not defined"); ok && name == "ReferenceError" {
		return elsewhere(missing)
	}
	member, ok := strings.CutPrefix(message, "Object has no member '")
	if member, whole := strings.CutSuffix(member, "'"); ok && whole && name == "TypeError" && strings.HasSuffix(line, "ctx."+member) {
		if there := elsewhere(member); there != "" {
			return there
		}
		if near := spelling.Nearest(member, realm.Parts()); near != "" {
			return "did you mean ctx." + near + "?"
		}
		return "ctx has " + strings.Join(realm.Parts(), ", ")
	}
	if ok && name == "TypeError" && slices.Contains(ofLists, strings.TrimSuffix(member, "'")) {
		if m := lists().FindStringSubmatch(line); m != nil {
			return "ctx." + m[1] + " gives text, an entry a line; the data of ctx.tool(\"" + m[1] + "\", …) is a list"
		}
	}
	return ""
}

// ofLists are methods of lists that texts have not.
var ofLists = []string{"every", "filter", "find", "findIndex", "flatMap", "forEach", "join", "map", "reduce", "some", "sort"}

// lists matches a call of a helper that gives a list as text, whose member follows.
var lists = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(await ctx\.(ls|glob|grep|search)\(.*\)\)\.\w+$`) })

// noFunction names what was called and cannot be: the engine tells only its value.
func noFunction(name, message, line string) string {
	if name != "TypeError" || !strings.HasPrefix(message, "Value is not an object: ") && !strings.HasPrefix(message, "Not a function: ") {
		return ""
	}
	if called := lastName(line); called != "" {
		return called + ", or what it was given to call, is no function"
	}
	return ""
}

// lastName is the name, or the row of names such as a.b, that a line ends with.
func lastName(line string) string {
	from := strings.LastIndexFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$.?#", r)
	}) + 1
	name := strings.TrimLeft(line[min(from, len(line)):], ".?")
	if name == "" || unicode.IsDigit(rune(name[0])) {
		return ""
	}
	return name
}
