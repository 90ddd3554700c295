package lower

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// importable are the extensions of files that can be imported. What has none of them, such as
// .env, is no part of a program.
var importable = []string{
	".ts", ".mts", ".js", ".mjs", ".json", ".txt", ".md", ".csv", ".tsv", ".sql", ".html", ".css", ".xml", ".yaml", ".yml", ".toml", ".graphql",
}

// Importable says why no file with a path can be imported, whatever is in it; nil if it can.
func Importable(name string) error {
	switch ext := path.Ext(name); {
	case !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00"):
		return errors.New("this is no path of a file in the folder of the tool file")
	case ext == ".cts" || ext == ".cjs" || ext == ".tsx" || ext == ".jsx":
		return fmt.Errorf("%s files cannot be imported; .ts, .mts, .js and .mjs files can", ext)
	case strings.HasPrefix(name, ".") || strings.Contains(name, "/."):
		return errors.New("files and folders whose names begin with a dot cannot be imported")
	case slices.Contains(strings.Split(name, "/"), "node_modules"):
		return errors.New("packages cannot be imported by this version")
	case !slices.Contains(importable, ext):
		return fmt.Errorf("files that end in %q cannot be imported; those that end in %s can", ext, strings.Join(importable, " "))
	}
	return nil
}

// within is the path of what a file imports, in the folder of the entry.
func within(importer, wanted string) (string, error) {
	name, relative := strings.TrimPrefix(wanted, "node:"), wanted == "." || wanted == ".." || strings.HasPrefix(wanted, "./") || strings.HasPrefix(wanted, "../")
	scheme, _, _ := strings.Cut(wanted, ":")
	first, _, _ := strings.Cut(name, "/")
	switch {
	case relative:
		joined := path.Join(path.Dir(importer), wanted)
		if !fs.ValidPath(joined) {
			return "", fmt.Errorf("import %q: it leads out of the folder of the tool file, where nothing can be imported; move the file there", wanted)
		}
		return joined, nil
	case ofNode[name] != "" || ofNode[first] != "":
		instead := ofNode[name]
		if instead == "" {
			instead = ofNode[first]
		}
		return "", fmt.Errorf("import %q: this is a module of Node, which is not here; %s", wanted, instead)
	case name != wanted:
		return "", fmt.Errorf("import %q: this is a module of Node, which is not here; see what ctx and the globals give instead", wanted)
	case strings.HasPrefix(wanted, "/") || strings.HasPrefix(wanted, "\\") || len(scheme) == 1 && scheme != wanted || scheme == "file":
		return "", fmt.Errorf("import %q: an absolute path cannot be imported; write one that begins with ./", wanted)
	case scheme != wanted:
		return "", fmt.Errorf("import %q: nothing is loaded from an address; save the file beside the tool file, and import it with ./", wanted)
	}
	return "", fmt.Errorf("import %q: packages cannot be imported by this version; copy what you need into a file beside the tool file, and import it with ./", wanted)
}

// candidates are the files that an import can mean, the likeliest first. TypeScript names the
// file that a compiler would write.
func candidates(name string) []string {
	if name == "." {
		return []string{"index.ts", "index.js"}
	}
	base := strings.TrimSuffix(name, path.Ext(name))
	switch path.Ext(name) {
	case ".js":
		return []string{name, base + ".ts"}
	case ".mjs":
		return []string{name, base + ".mts"}
	}
	if slices.Contains(importable, path.Ext(name)) || Importable(name+".ts") != nil {
		return []string{name}
	}
	return []string{name + ".ts", name + ".js", name + ".mts", name + ".mjs", name + "/index.ts", name + "/index.js"}
}

// ofNode says what stands for modules of Node.
var ofNode = map[string]string{
	"assert": "throw an error", "buffer": "Buffer is a global", "child_process": "ctx.bash runs commands, if the tool may",
	"console": "console is a global", "crypto": "crypto is a global", "dns": "ctx.tool(\"fetch\", …) asks hosts, if the tool may",
	"events": "EventTarget is a global", "fs": "ctx.read, ctx.write and their like reach files, if the tool may",
	"http": "ctx.tool(\"fetch\", …) asks hosts, if the tool may", "https": "ctx.tool(\"fetch\", …) asks hosts, if the tool may",
	"net": "there are no sockets", "os": "a script does not see its machine", "path": "join paths with /, in a function of your own",
	"perf_hooks": "performance is a global", "process": "what a tool gets comes in its inputs", "readline": "split texts at \"\\n\"",
	"stream": "there are no streams; files are read whole", "timers": "setTimeout is a global", "url": "URL is a global",
	"util": "structuredClone, TextEncoder and console are globals", "worker_threads": "ctx.tool calls run side by side", "zlib": "ctx.bash runs commands, if the tool may",
}
