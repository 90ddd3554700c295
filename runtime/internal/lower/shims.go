package lower

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// shims stand for those modules of Node that need no more than the language and the globals. They
// say in an error what they do not have. They are modules of CommonJS, as those of Node are.
//
//go:embed node/*.js
var shims embed.FS

// ofShims is what esbuild calls the shims, which nobody wrote.
const ofShims = "node"

// shim is the name of what stands for a module of Node, with or without node: before it; "" if
// nothing does.
func shim(wanted string) string {
	name := strings.TrimPrefix(wanted, "node:")
	switch name {
	case "path/posix":
		name = "path"
	case "assert/strict":
		return "assert_strict"
	}
	name = strings.ReplaceAll(name, "/", "_")
	if path.Base(name) != name {
		return ""
	}
	if _, err := shims.ReadFile("node/" + name + ".js"); err != nil {
		return ""
	}
	return name
}

// Provided reports whether an import is answered here, and never by a package.
func Provided(wanted string) bool { return strings.HasPrefix(wanted, "node:") || shim(wanted) != "" }

// absent begins the name of what stands, in packages, for a module of Node that is not here.
const absent = "absent:"

// loadAbsent makes a module whose functions throw. Many packages take such a module for what only
// few of their functions need.
func loadAbsent(name string) (api.OnLoadResult, error) {
	code := "const why = " + strconv.Quote(name+" is a module of Node, which is not here; "+insteadOf(name)) + `;
module.exports = Object.create(new Proxy({}, {
	get: (_, name) => typeof name === "symbol" || ["then", "default", "__esModule"].includes(name) ? undefined : function () { throw new Error(name + ": " + why); },
}));`
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
}

// unmet begins the name of what stands for something that a package asks for and does without.
const unmet = "unmet:"

// doesWithout reports whether a package may ask for what is not there: with require or import(), as
// packages do for what they can use but do not need. What it lists as needed has to be there.
func (b *bundle) doesWithout(args api.OnResolveArgs, err error) bool {
	if args.Kind != api.ResolveJSRequireCall && args.Kind != api.ResolveJSDynamicImport || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	own, _ := b.manifestOf(args.Importer)
	name, _, _ := packageName(args.Path)
	return own != nil && own.needs[name] == nil
}

// loadUnmet makes a module that throws when it is asked for, as Node does.
func loadUnmet(why string) (api.OnLoadResult, error) {
	code := "throw Object.assign(new Error(" + strconv.Quote(why) + `), { code: "MODULE_NOT_FOUND" }); module.exports = {};`
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
}

func loadShim(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if strings.HasPrefix(args.Path, unmet) {
		why, _ := args.PluginData.(string)
		return loadUnmet(why)
	}
	if name, ok := strings.CutPrefix(args.Path, absent); ok {
		return loadAbsent(name)
	}
	text, err := shims.ReadFile("node/" + args.Path + ".js")
	if err != nil {
		return api.OnLoadResult{}, err
	}
	code := string(text)
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
}
