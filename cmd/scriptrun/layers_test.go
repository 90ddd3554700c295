package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/scriptrun/scriptrun/"

// layers says which package may import which, and why. An import that is not here fails.
var layers = []struct {
	room   string
	may    []string
	reason string
}{
	{"hostapi/plain", nil, "making a text harmless knows nothing of what it says"},
	{"hostapi/clip", nil, "cutting a text knows nothing of what it says"},
	{"hostapi/spelling", nil, "which names are alike does not depend on what they name"},
	{"hostapi/jsonbound", nil, "counting parts knows nothing of what they stand for"},
	{"hostapi/schema", []string{"hostapi/jsonbound", "hostapi/schema/internal/jsonschema", "hostapi/spelling"}, "it knows JSON Schema, and which names are alike"},
	{"hostapi/schema/internal/jsonschema", nil, "a copy of a library knows nothing of ours"},
	{"hostapi/upward", nil, "which folders lie around a path depends on nobody who asks"},
	{"hostapi/regular", nil, "reading a file knows nothing of what is in it"},
	{"hostapi/yamlbound", nil, "counting tokens knows nothing of what they stand for"},
	{"hostapi/internal/dialguard", nil, "whether an address is public depends on nobody who asks"},
	{"hostapi/tracecontext", nil, "where something is in a trace depends on nobody who asks"},
	{"hostapi", []string{"hostapi/schema", "hostapi/clip", "hostapi/spelling"}, "what a script may reach depends on nobody who reaches it"},
	{"hostapi/protect", []string{"hostapi/regular", "hostapi/upward"}, "what runs by itself does not depend on who would write it"},
	{"hostapi/wholes", nil, "digits know nothing of what they count"},
	{"hostapi/files", []string{"hostapi/wholes", "hostapi", "hostapi/protect", "hostapi/schema", "hostapi/upward", "hostapi/yamlbound", "hostapi/clip"}, "a tool knows the contract of tools, not who calls it"},
	{"hostapi/shell/internal/programs", nil, "what programs do with their words is the programs' matter"},
	{"hostapi/sandbox", []string{"hostapi", "hostapi/sandbox/homes", "hostapi/sandbox/landlock", "hostapi/sandbox/internal/removal", "hostapi/upward"}, "what confines commands does not know who asked for them"},
	{"hostapi/sandbox/landlock", nil, "what a thread may open depends on nobody who asks"},
	{"hostapi/sandbox/internal/removal", nil, "how a tree is removed does not depend on who made it"},
	{"hostapi/sandbox/homes", []string{"hostapi/regular", "hostapi/sandbox/internal/removal"}, "a home folder does not know what runs in it"},
	{"hostapi/sandbox/toolchains", nil, "what is installed does not depend on who reads it"},
	{"hostapi/internal/egress", []string{"hostapi", "hostapi/internal/dialguard"}, "a proxy does not know what runs on the inside"},
	{"hostapi/internal/presets", []string{"hostapi/upward"}, "what a machine's tools are told does not depend on who asks"},
	{"hostapi/shell", []string{"hostapi/tracecontext", "hostapi", "hostapi/internal/dialguard", "hostapi/internal/egress", "hostapi/internal/presets", "hostapi/protect", "hostapi/regular", "hostapi/sandbox", "hostapi/sandbox/homes", "hostapi/sandbox/toolchains", "hostapi/schema", "hostapi/shell/internal/programs", "hostapi/clip", "hostapi/spelling", "hostapi/upward"}, "a tool knows the contract of tools, not who calls it"},
	{"hostapi/shell/acp", []string{"hostapi/sandbox", "hostapi/shell"}, "a backend knows commands, not who asked for them"},
	{"hostapi/mcptools", []string{"hostapi/tracecontext", "hostapi", "hostapi/jsonbound", "hostapi/schema", "hostapi/clip"}, "a tool knows the contract of tools, not who calls it"},
	{"hostapi/web", []string{"hostapi", "hostapi/internal/dialguard", "hostapi/schema"}, "a tool knows the contract of tools, not who calls it"},
	{"hostapi/hosttest", []string{"hostapi", "hostapi/schema"}, "a kit for tools tests them at the gate"},
	{"runtime/internal/wire", nil, "bytes cross the wall; they know neither side"},
	{"runtime/internal/lower", nil, "what newer syntax means depends on nobody who asks"},
	{"runtime/internal/regex", nil, "what a pattern matches depends on nobody who asks"},
	{"runtime/internal/realm", []string{"hostapi/clip", "hostapi/spelling", "runtime/internal/lower", "runtime/internal/realm/dates", "runtime/internal/realm/lang", "runtime/internal/realm/regexps", "runtime/internal/realm/syntax", "runtime/internal/realm/web", "runtime/internal/wire"}, "the sandbox cannot name a host tool"},
	{"runtime/internal/intl", nil, "how English writes numbers depends on no engine"},
	{"runtime/internal/realm/lang", []string{"runtime/internal/intl"}, "the language knows the engine, and nothing of runs"},
	{"runtime/internal/realm/syntax", nil, "a tree is what the engine made of it"},
	{"runtime/internal/realm/dates", []string{"runtime/internal/intl"}, "dates know the engine and the names of zones, and nothing of runs"},
	{"runtime/internal/realm/regexps", []string{"runtime/internal/realm/syntax", "runtime/internal/regex"}, "the protocol of regular expressions knows the engine, and nothing of runs"},
	{"runtime/internal/realm/web", []string{"runtime/internal/utf8text", "runtime/internal/weburl"}, "globals know the engine, and nothing of runs"},
	{"runtime/internal/utf8text", nil, "what bytes mean depends on nobody who reads them"},
	{"runtime/internal/weburl", []string{"runtime/internal/utf8text"}, "what an address means depends on nobody who asks"},
	{"runtime/internal/worker", []string{"runtime/internal/realm", "runtime/internal/wire", "hostapi/sandbox/landlock"}, "a worker is a realm far away; it cannot name a host tool either"},
	{"runtime", []string{"hostapi/plain", "hostapi/wholes", "hostapi/spelling", "runtime/internal/worker", "runtime/internal/realm", "runtime/internal/wire", "hostapi", "hostapi/sandbox", "hostapi/schema", "hostapi/clip"}, "one run joins a realm and a gate"},
	{"runtime/audit", []string{"hostapi", "runtime", "hostapi/clip"}, "what goes around runs knows what a run tells, and nothing below it"},
	{"runtime/telemetry", []string{"hostapi", "runtime", "hostapi/clip"}, "as runtime/audit"},
	{"scripttools/clients", nil, "what other programs take depends on nobody who is connected to them"},
	{"scripttools", []string{"scripttools/clients", "hostapi/plain", "runtime", "hostapi", "hostapi/schema", "hostapi/regular", "hostapi/yamlbound", "hostapi/clip", "hostapi/spelling", "hostapi/upward"}, "a tool file becomes a request"},
	{"scripttools/cases", []string{"hostapi", "hostapi/clip", "hostapi/plain", "hostapi/regular", "hostapi/schema", "hostapi/spelling", "runtime", "scripttools"}, "a case is a run whose calls are answered; who reads the verdict is not known here"},
	{"scripttools/serve", []string{"scripttools/clients", "hostapi/plain", "hostapi/tracecontext", "scripttools", "runtime", "hostapi", "hostapi/jsonbound", "hostapi/schema", "hostapi/clip", "hostapi/spelling", "hostapi/upward"}, "a catalog is offered; what its tools reach is not known here"},
	{"scripttools/settings", []string{"hostapi", "hostapi/mcptools", "hostapi/protect", "hostapi/regular", "hostapi/sandbox", "hostapi/shell", "runtime", "scripttools", "hostapi/spelling", "hostapi/upward"}, "what files say becomes tools and limits; who reads them, and shows what they say, is not known here"},
	{"cmd/scriptrun", []string{"*"}, "the command sits on top"},
	{"examples/mcp-client", nil, "a client needs the protocol alone"},
	{"examples/mcp-server", []string{"runtime", "scripttools", "scripttools/serve", "hostapi", "hostapi/files"}, "an example uses what an embedder can"},
	{"examples/embed", []string{"runtime", "scripttools", "hostapi", "hostapi/files", "hostapi/shell"}, "an example uses what an embedder can"},
}

// fences says which packages may use a package of others, and why.
var fences = []struct {
	path   string // or a prefix that ends in /
	rooms  []string
	reason string
}{
	{"github.com/dop251/", []string{"runtime/internal/realm", "runtime/internal/realm/dates", "runtime/internal/realm/lang", "runtime/internal/realm/regexps", "runtime/internal/realm/syntax", "runtime/internal/realm/web"}, "one room knows the engine, so that it can be changed"},
	{"github.com/evanw/esbuild/", []string{"runtime/internal/lower"}, "it reads any file and runs as long as it likes, unless one room keeps it from that"},
	{"github.com/santhosh-tekuri/jsonschema/v6", nil, "it compiles metaschemas in every process that links it; the copy in hostapi/schema/internal/jsonschema does that on demand"},
	{"github.com/santhosh-tekuri/jsonschema/v6/", []string{"hostapi/schema", "hostapi/schema/internal/jsonschema"}, "one room knows the schema library"},
	{"github.com/adrg/frontmatter", []string{"scripttools"}, "headers are the loader's matter"},
	{"github.com/goccy/go-yaml", []string{"scripttools", "hostapi/files"}, "headers are the loader's matter"},
	{"github.com/goccy/go-yaml/", []string{"scripttools", "hostapi/files", "hostapi/yamlbound"}, "headers are the loader's matter"},
	{"github.com/pelletier/go-toml/v2", []string{"scripttools", "scripttools/clients", "scripttools/settings"}, "headers, settings and the files of other programs are files of people"},
	{"github.com/pelletier/go-toml/v2/", []string{"scripttools", "scripttools/settings"}, "as go-toml/v2"},
	{"github.com/spf13/", []string{"cmd/scriptrun"}, "a library has no flags"},
	{"golang.org/x/term", []string{"cmd/scriptrun"}, "a library has no terminal"},
	{"github.com/coder/acp-go-sdk", []string{"hostapi/shell/acp"}, "one room speaks the editor's protocol"},
	{"mvdan.cc/sh/v3/", []string{"hostapi/shell"}, "one room knows shell syntax"},
	{"os/exec", []string{"cmd/scriptrun", "hostapi/internal/presets", "hostapi/sandbox", "hostapi/shell", "hostapi/mcptools", "runtime/internal/worker", "examples/mcp-client"}, "commands, servers and workers are the processes there are, and the compiler that check --types asks"},
	{"net/http", []string{"hostapi/internal/egress", "hostapi/web", "hostapi/mcptools", "scripttools/serve", "cmd/scriptrun"}, "one room asks others, one is asked, and the command listens"},
	{"net", []string{"hostapi/internal/dialguard", "hostapi/internal/egress", "hostapi/sandbox", "hostapi/web", "scripttools/serve", "cmd/scriptrun"}, "as net/http"},
	{"github.com/modelcontextprotocol/go-sdk/", []string{"scripttools/serve", "hostapi/mcptools", "examples/mcp-client"}, "one room serves the protocol, one uses it"},
	{"go.opentelemetry.io/otel/", []string{"hostapi/tracecontext", "runtime/telemetry", "cmd/scriptrun"}, "traces go around what runs; the tools know where they are in one and no more"},
	{"github.com/fsnotify/fsnotify", []string{"scripttools/serve"}, "what is served follows its files"},
	{"testing", []string{"hostapi/hosttest"}, "a test kit is the one library that tests"},
	{"unsafe", []string{"hostapi/sandbox", "hostapi/sandbox/landlock", "runtime/internal/worker"}, "system calls of the sandboxes take pointers; there is no other need for it"},
}

// systemNames may be used by the command alone: a library that reads the environment, prints or
// exits surprises its embedder.
var systemNames = []string{"os.Getenv", "os.LookupEnv", "os.Stdout", "os.Stderr", "os.Stdin", "os.Exit", "os.Args", "log.Fatal", "log.Print", "log.Printf", "log.Println", "fmt.Print", "fmt.Println", "fmt.Printf"}

// root is the top of the module, seen from this folder.
const root = "../.."

// goFiles calls f for every Go file that is part of the product.
func goFiles(t *testing.T, f func(room, path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" || path == root+"/bench") { // bench is a module of its own
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".go" {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			f(filepath.ToSlash(filepath.Dir(rel)), path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	goFiles(t, func(room, path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		seen[room] = true
		at := slices.IndexFunc(layers, func(l struct {
			room   string
			may    []string
			reason string
		}) bool {
			return l.room == room
		})
		if at < 0 {
			t.Errorf("%s: there is no row for %s in layers; say what it may import, and why", path, room)
			return
		}
		for _, imported := range imports(t, path) {
			if own, ok := strings.CutPrefix(imported, module); ok {
				if may := layers[at].may; !slices.Contains(may, own) && !slices.Contains(may, "*") {
					t.Errorf("%s imports %s; %s may import %v: %s", path, own, room, may, layers[at].reason)
				}
			}
			for _, fence := range fences {
				hit := imported == fence.path || strings.HasSuffix(fence.path, "/") && strings.HasPrefix(imported, fence.path)
				if hit && !slices.Contains(fence.rooms, room) {
					t.Errorf("%s imports %s, which is for %v: %s", path, imported, fence.rooms, fence.reason)
				}
			}
		}
	})
	for _, l := range layers {
		if !seen[l.room] {
			t.Errorf("layers has a row for %s, which is not there", l.room)
		}
	}
}

func imports(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, imported)
	}
	return out
}
