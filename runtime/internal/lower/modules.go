package lower

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// Reader reads a file in the folder of the entry or below it, by its path from there, with
// slashes. The error is fs.ErrNotExist if there is no such file. It is called by several
// goroutines, one at a time.
type Reader func(path string) (string, error)

// space is what esbuild calls the files of [Modules], which it cannot find by itself.
const space = "tool"

// nowhere is what esbuild calls the modules that a package does without.
const nowhere = "none"

// anything matches every path, since no part of one is enough.
const anything = ".*"

// MayImport reports whether a text may import others. It can be wrong about one that does not.
func MayImport(text string) bool {
	return strings.Contains(text, "import") || strings.Contains(text, "export") && strings.Contains(text, "from")
}

// Modules lowers a text with all that it imports into one. Everything that is imported comes
// from the reader, also what esbuild would find elsewhere. Without packages the author's code is
// there whole; with them what nobody uses is left out, since packages are made for that.
func Modules(text string, o Options, read Reader) (Lowered, []Flaw) {
	b := &bundle{entry: o, read: read, texts: map[string]string{o.Name: text}, wanted: map[want]bool{}, manifests: map[string]*manifest{}, nearest: map[string]string{}}
	result := b.build(api.TreeShakingFalse)
	if len(result.Errors) > 0 {
		return b.lowered(result)
	}
	var err error
	if b.form, err = b.formOf(result.Metafile, text); err != nil {
		return Lowered{}, []Flaw{{Msg: "what the source exports is not known: " + err.Error()}}
	}
	shaking := api.TreeShakingFalse
	if len(b.wanted) > 0 {
		b.packages, shaking = true, api.TreeShakingTrue
	}
	if b.packages || b.form == formPlain || b.form == formCommonJS {
		result = b.build(shaking)
	}
	return b.lowered(result)
}

// build bundles what the entry needs.
func (b *bundle) build(shaking api.TreeShaking) api.BuildResult {
	return api.Build(api.BuildOptions{
		EntryPoints: []string{b.entry.Name}, Bundle: true, KeepNames: true, TreeShaking: shaking, Format: api.FormatESModule, Platform: api.PlatformNeutral,
		Target: api.ESNext, Supported: b.entry.lacking(), TsconfigRaw: settings, AbsWorkingDir: "/", Outfile: "/out.js",
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, LegalComments: api.LegalCommentsNone,
		Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent, LogLimit: maxFlaws, Define: b.defined(), Metafile: true,
		Plugins: []api.Plugin{{Name: space, Setup: func(build api.PluginBuild) {
			build.OnResolve(api.OnResolveOptions{Filter: anything}, b.resolve)
			build.OnLoad(api.OnLoadOptions{Filter: anything, Namespace: space}, b.load)
			build.OnLoad(api.OnLoadOptions{Filter: anything, Namespace: nowhere}, loadNothing)
			build.OnLoad(api.OnLoadOptions{Filter: anything, Namespace: ofShims}, loadShim)
			build.OnLoad(api.OnLoadOptions{Filter: anything, Namespace: ofEntry}, loadEntry)
		}}},
	})
}

// lowered is what esbuild made.
func (b *bundle) lowered(result api.BuildResult) (Lowered, []Flaw) {
	if len(result.Errors) > 0 {
		found := flaws(result.Errors)
		for i := range found {
			found[i].Msg = asShown(found[i].Msg)
			if found[i].File = fileOf(strings.TrimPrefix(found[i].File, space+":")); found[i].File == b.entry.Name {
				found[i].File = ""
			}
		}
		return Lowered{}, found
	}
	out := Lowered{Entry: b.form.export()}
	var places []byte
	for _, file := range result.OutputFiles {
		if path.Ext(file.Path) == ".map" {
			places = file.Contents
		} else {
			out.Text = string(file.Contents)
		}
	}
	var err error
	if out.Files, err = b.files(places); err == nil {
		out.Map, err = newMap(places, out.Text, out.Files)
	}
	if err != nil {
		return Lowered{}, []Flaw{{Msg: "the places of the lowered code are not known: " + err.Error()}}
	}
	return out, nil
}

// want is a package, or a part of one, that a file of the author imports.
type want struct{ importer, name string }

// bundle is what one entry needs.
type bundle struct {
	entry Options
	form  form // of the entry, once it is known

	// packages says that packages are there. Before that they are empty, and only wanted.
	packages bool

	mu        sync.Mutex
	read      Reader
	wanted    map[want]bool
	texts     map[string]string
	manifests map[string]*manifest // of packages, by their folders
	nearest   map[string]string    // what is near to packages that are not there, by their folders
}

// asShown is a message of esbuild with the names of files that an author knows.
func asShown(message string) string {
	return strings.ReplaceAll(strings.ReplaceAll(message, asModule+`"`, `"`), `"`+space+":", `"`)
}

// text reads a file once.
func (b *bundle) text(name string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text, ok := b.texts[name]; ok {
		return text, nil
	}
	if err := Importable(name); err != nil {
		return "", err
	}
	text, err := b.read(name)
	if err == nil {
		b.texts[name] = text
	}
	return text, err
}

// resolve finds what an import means.
func (b *bundle) resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	switch {
	case args.Kind == api.ResolveEntryPoint && b.form == formCommonJS:
		return api.OnResolveResult{Path: ofEntry, Namespace: ofEntry}, nil
	case args.Kind == api.ResolveEntryPoint, args.Namespace == ofEntry:
		return api.OnResolveResult{Path: b.entry.Name, Namespace: space}, nil
	}
	args.Importer = fileOf(args.Importer)
	required := args.Kind == api.ResolveJSRequireCall || args.Kind == api.ResolveJSRequireResolve
	found, err := b.find(args.Importer, args.Path, required)
	switch {
	case err != nil && b.doesWithout(args, err):
		return api.OnResolveResult{Path: unmet + args.Path, Namespace: ofShims, PluginData: err.Error()}, nil
	case err != nil:
		return api.OnResolveResult{Errors: []api.Message{{Text: err.Error()}}}, nil
	case found.shim != "":
		return api.OnResolveResult{Path: found.shim, Namespace: ofShims, SideEffects: api.SideEffectsFalse}, nil
	case found.nothing:
		return api.OnResolveResult{Path: args.Path, Namespace: nowhere}, nil
	}
	return api.OnResolveResult{Path: b.pathOf(found.file), Namespace: space, SideEffects: b.effects(found.file)}, nil
}

// find is what an import of another file means.
func (b *bundle) find(importer, wanted string, required bool) (target, error) {
	if name := shim(wanted); name != "" {
		return target{shim: name}, nil
	}
	if !inPackage(importer) && (relative(wanted) || notHere(wanted) != nil) {
		file, err := b.beside(importer, wanted)
		return target{file: file}, err
	}
	if !b.packages {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wanted[want{importer, wanted}] = true
		return target{nothing: true}, nil
	}
	found, err := b.packaged(importer, wanted, required)
	if err != nil && !strings.HasPrefix(err.Error(), "import ") {
		err = fmt.Errorf("import %q: %w", wanted, err)
	}
	return found, err
}

// beside is the file that an import of one of the author's files means.
func (b *bundle) beside(importer, wanted string) (string, error) {
	name, err := within(importer, wanted)
	if err != nil {
		return "", err
	}
	nearest := ""
	for _, candidate := range candidates(name) {
		if err := Importable(candidate); err != nil {
			return "", fmt.Errorf("import %q: %w", wanted, err)
		}
		_, err := b.text(candidate)
		if err == nil {
			return candidate, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("import %q: %w", wanted, err)
		}
		if near := nearestOf(err); nearest == "" && near != "" {
			nearest = "; did you mean " + wanted[:strings.LastIndexByte(wanted, '/')+1] + near + "?"
		}
	}
	if err := Importable(name); err != nil && path.Ext(name) != "" && name != "." {
		return "", fmt.Errorf("import %q: %w", wanted, err)
	}
	return "", fmt.Errorf("import %q: there is no such file in the folder of the tool file%s", wanted, nearest)
}

// load gives esbuild a file.
func (b *bundle) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	args.Path = fileOf(args.Path)
	text, err := b.text(args.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if b.packages && b.wanted[want{args.Path, "zod"}] {
		text = smallZod(text)
	}
	loader := loaderOf(args.Path)
	if args.Path == b.entry.Name {
		if b.entry.TypeScript {
			loader = api.LoaderTS
		}
		if b.form == formPlain {
			text += plainExport
		}
	}
	switch as := args.With["type"]; {
	case as == "text":
		loader = api.LoaderText
	case as == "json" && loader != api.LoaderJSON, as != "" && as != "json":
		return api.OnLoadResult{Errors: []api.Message{{Text: fmt.Sprintf("type %q is not known for this file; text is, and json for .json files", as)}}}, nil
	}
	if loader == api.LoaderJS || loader == api.LoaderTS {
		text = withoutMap(text)
	}
	return api.OnLoadResult{Contents: &text, Loader: loader}, nil
}

// loadNothing gives esbuild an empty module.
func loadNothing(api.OnLoadArgs) (api.OnLoadResult, error) {
	empty := "module.exports = {}"
	return api.OnLoadResult{Contents: &empty, Loader: api.LoaderJS}, nil
}

// loaderOf is how a file is read that nothing is said about.
func loaderOf(name string) api.Loader {
	switch path.Ext(name) {
	case ".ts", ".mts":
		return api.LoaderTS
	case ".js", ".mjs", ".cjs":
		return api.LoaderJS
	case ".json":
		return api.LoaderJSON
	}
	return api.LoaderText
}

// files are those that code comes from, the entry first. A map of esbuild names them in its own
// order.
func (b *bundle) files(places []byte) ([]File, error) {
	var from struct {
		Sources []string `json:"sources"`
	}
	if err := json.Unmarshal(places, &from); err != nil {
		return nil, err
	}
	files := []File{{Name: b.entry.Name, text: b.texts[b.entry.Name], from: -1}}
	for i, source := range from.Sources {
		name := fileOf(strings.TrimPrefix(source, space+":"))
		text, ok := b.texts[name]
		switch {
		case strings.HasPrefix(source, nowhere+":"), strings.HasPrefix(source, ofShims+":"), strings.HasPrefix(source, ofEntry+":"):
		case !ok:
			return nil, errMap
		case name == b.entry.Name:
			files[0].from = i
		default:
			files = append(files, File{Name: name, text: text, from: i})
		}
	}
	return files, nil
}
