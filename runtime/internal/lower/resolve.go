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
	case strings.HasPrefix(name, ".") || strings.Contains(name, "/."):
		return errors.New("files and folders whose names begin with a dot cannot be imported")
	case inPackage(name) && slices.Contains(ofPackages, ext):
		return nil
	case inPackage(name):
		return fmt.Errorf("files of packages that end in %q cannot be imported; those that end in %s can", ext, strings.Join(ofPackages, " "))
	case ext == ".cts" || ext == ".cjs" || ext == ".tsx" || ext == ".jsx":
		return fmt.Errorf("%s files cannot be imported; .ts, .mts, .js and .mjs files can", ext)
	case slices.Contains(strings.Split(name, "/"), modulesFolder):
		return errors.New("packages are taken only from the node_modules of the tool file's folder")
	case !slices.Contains(importable, ext):
		return fmt.Errorf("files that end in %q cannot be imported; those that end in %s can", ext, strings.Join(importable, " "))
	}
	return nil
}

// within is the path of what one of the author's files imports by a relative path.
func within(importer, wanted string) (string, error) {
	if !relative(wanted) {
		return "", notHere(wanted)
	}
	joined := path.Join(path.Dir(importer), wanted)
	switch {
	case !fs.ValidPath(joined):
		return "", fmt.Errorf("import %q: it leads out of the folder of the tool file, where nothing can be imported; move the file there", wanted)
	case inPackage(joined):
		return "", fmt.Errorf("import %q: files of packages are imported by the name of the package, without ./node_modules", wanted)
	}
	return joined, nil
}

// notHere says why something that is imported by no relative path is no package.
func notHere(wanted string) error {
	name := strings.TrimPrefix(wanted, "node:")
	scheme, _, _ := strings.Cut(wanted, ":")
	instead := insteadOf(name)
	switch {
	case instead != "":
		return fmt.Errorf("import %q: this is a module of Node, which is not here; %s", wanted, instead)
	case name != wanted:
		return fmt.Errorf("import %q: this is a module of Node, which is not here; see what ctx and the globals give instead", wanted)
	case strings.HasPrefix(wanted, "/") || strings.HasPrefix(wanted, "\\") || len(scheme) == 1 && scheme != wanted || scheme == "file":
		return fmt.Errorf("import %q: an absolute path cannot be imported; write one that begins with ./", wanted)
	case scheme != wanted:
		return fmt.Errorf("import %q: nothing is loaded from an address; save the file beside the tool file, and import it with ./", wanted)
	}
	return nil
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

// insteadOf says what to use in place of a module of Node; "" if it is none that is known.
func insteadOf(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return ofNode[first]
}

// ofNode says what stands for modules of Node.
var ofNode = map[string]string{
	"async_hooks": "pass what calls need as arguments", "child_process": "ctx.bash runs commands, if the tool may", "cluster": "ctx.tool calls run side by side",
	"dgram": "there are no sockets", "diagnostics_channel": "console and the report of the run say what happened", "dns": "ctx.tool(\"fetch\", …) asks hosts, if the tool may",
	"fs": "ctx.read, ctx.write and their like reach files, if the tool may", "http": "ctx.tool(\"fetch\", …) asks hosts, if the tool may",
	"http2": "ctx.tool(\"fetch\", …) asks hosts, if the tool may", "https": "ctx.tool(\"fetch\", …) asks hosts, if the tool may",
	"inspector": "the report of the run says what happened", "module": "import files and packages by their names", "net": "there are no sockets",
	"readline": "split texts at \"\\n\"", "repl": "code cannot be made from strings", "stream": "there are no streams; files are read whole",
	"tls": "there are no sockets", "tty": "a script has no terminal", "v8": "structuredClone copies values", "vm": "code cannot be made from strings",
	"worker_threads": "ctx.tool calls run side by side", "zlib": "ctx.bash runs commands, if the tool may",
}
