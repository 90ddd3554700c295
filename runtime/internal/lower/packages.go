package lower

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// modulesFolder is where packages lie, in the folder of the entry or in another package.
const modulesFolder = "node_modules"

// inPackage reports whether a file belongs to a package.
func inPackage(file string) bool { return strings.HasPrefix(file, modulesFolder+"/") }

// PackageOf is the folder of the package that a file belongs to; "" for the author's own files.
func PackageOf(file string) string {
	at := strings.LastIndex(file, modulesFolder+"/")
	if !inPackage(file) || at < 0 {
		return ""
	}
	at += len(modulesFolder) + 1
	name, _, ok := packageName(file[at:])
	if !ok {
		return ""
	}
	return file[:at] + name
}

// packageName splits what is imported into the name of a package and a path in it, such as . or
// ./lib/a.
func packageName(wanted string) (name, sub string, ok bool) {
	name, rest, more := strings.Cut(wanted, "/")
	if strings.HasPrefix(wanted, "@") {
		var second string
		second, rest, more = strings.Cut(rest, "/")
		if second == "" {
			return "", "", false
		}
		name += "/" + second
	}
	sub = "."
	if more {
		sub = "./" + rest
	}
	return name, sub, name != "" && !strings.HasPrefix(name, ".") && fs.ValidPath(name) && !strings.ContainsAny(name, "\\:%\x00")
}

// conditions are those that hold for an import, or for a require.
func conditions(required bool) []string {
	if required {
		return []string{"module", "browser", "require", "default"}
	}
	return []string{"module", "browser", "import", "default"}
}

// manifest reads the package.json of a folder, once; nil if there is none.
func (b *bundle) manifest(folder string) (*manifest, error) {
	text, err := b.text(folder + "/package.json")
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			b.near(folder, err)
			return nil, nil
		}
		return nil, fmt.Errorf("%s/package.json: %w", folder, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.manifests[folder]; ok {
		return known, nil
	}
	m, err := readManifest(folder, text)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", folder, err)
	}
	b.manifests[folder] = m
	return m, nil
}

// target is what an import means: a file, what stands for a module of Node, or nothing, as a
// package says of what only Node has.
type target struct {
	file    string
	shim    string
	nothing bool
}

// packaged is what an import of a package means, or any import of a file in a package.
func (b *bundle) packaged(importer, wanted string, required bool) (target, error) {
	own, err := b.manifestOf(importer)
	if err != nil {
		return target{}, err
	}
	if relative(wanted) {
		joined := path.Join(path.Dir(importer), wanted)
		if own == nil || !strings.HasPrefix(joined+"/", own.folder+"/") || !inside(strings.TrimPrefix(joined, own.folder+"/")) && joined != own.folder {
			return target{}, fmt.Errorf("import %q: it leads out of its package", wanted)
		}
		return b.replaced(own, joined, required)
	}
	if own != nil {
		if instead, there, found := own.replacement(wanted); found {
			if !there {
				return target{nothing: true}, nil
			}
			if !relative(instead) {
				return b.named(importer, instead, required)
			}
			return b.instead(own, wanted, instead, required)
		}
		if strings.HasPrefix(wanted, "#") && own.imports != nil {
			found, star := own.imports.find(wanted)
			switch taken, _ := found.take(star, conditions(required)); {
			case taken == "":
			case !relative(taken):
				return b.named(importer, taken, required)
			case inside(strings.TrimPrefix(taken, "./")):
				return b.filed(path.Join(own.folder, taken), required)
			}
			return target{}, fmt.Errorf("import %q: package %s has no such import", wanted, own.folder)
		}
	}
	return b.named(importer, wanted, required)
}

// manifestOf is that of the package that a file belongs to; nil for the author's own files.
func (b *bundle) manifestOf(file string) (*manifest, error) {
	folder := PackageOf(file)
	if folder == "" {
		return nil, nil
	}
	return b.manifest(folder)
}

// named finds a package, in the packages that the importer lies in and then in the folder of the
// entry, and its file.
func (b *bundle) named(importer, wanted string, required bool) (target, error) {
	if name := shim(wanted); name != "" {
		return target{shim: name}, nil
	}
	if importer := PackageOf(importer); importer != "" && insteadOf(strings.TrimPrefix(wanted, "node:")) != "" {
		return target{shim: absent + strings.TrimPrefix(wanted, "node:")}, nil
	}
	if err := notHere(wanted); err != nil {
		return target{}, err
	}
	name, sub, ok := packageName(wanted)
	if !ok {
		return target{}, fmt.Errorf("import %q: this is no name of a package; a file beside the tool file begins with ./", wanted)
	}
	for at := PackageOf(importer); ; at = PackageOf(path.Dir(path.Dir(at))) {
		folder := path.Join(at, modulesFolder, name)
		m, err := b.manifest(folder)
		if err != nil {
			return target{}, fmt.Errorf("import %q: %w", wanted, err)
		}
		if m != nil {
			return b.inside(m, wanted, sub, required)
		}
		if at == "" {
			break
		}
	}
	if strings.HasPrefix(name, "#") {
		return target{}, fmt.Errorf("import %q: there is no such import here; names that begin with # are those of a package for its own files", wanted)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return target{}, &notInstalledError{wanted, name, b.nearest[path.Join(modulesFolder, name)]}
}

// notInstalledError is a package that is not there.
type notInstalledError struct{ wanted, name, nearest string }

func (e *notInstalledError) Error() string {
	if e.nearest != "" { // the name may be misspelt, and nobody should install what has such a name
		return fmt.Sprintf("import %q: there is no package %s in the node_modules of the tool file's folder; did you mean %s?", e.wanted, e.name, e.nearest)
	}
	return fmt.Sprintf("import %q: there is no package %s in the node_modules of the tool file's folder; install it there: npm install %s", e.wanted, e.name, e.name)
}

func (e *notInstalledError) Is(target error) bool { return target == fs.ErrNotExist }

// inside finds a file of a package by the path under which others know it.
func (b *bundle) inside(m *manifest, wanted, sub string, required bool) (target, error) {
	if m.exports != nil {
		file, err := m.exported(sub, conditions(required))
		if err != nil {
			return target{}, fmt.Errorf("import %q: %w", wanted, err)
		}
		return b.replaced(m, file, required)
	}
	if sub == "." {
		sub = m.start(required)
	}
	if !inside(strings.TrimSuffix(strings.TrimPrefix(path.Clean(sub), "./"), "/")) {
		return target{}, fmt.Errorf("import %q: %s is no file of package %s", wanted, sub, m.folder)
	}
	found, err := b.replaced(m, path.Join(m.folder, sub), required)
	if err != nil && m.exports == nil && sub == m.start(required) {
		return b.replaced(m, m.folder+"/index", required) // as Node does
	}
	return found, err
}

// replaced finds a file of a package, or what the package has in its place.
func (b *bundle) replaced(m *manifest, file string, required bool) (target, error) {
	found, err := b.filed(file, required)
	if err != nil {
		return found, err
	}
	instead, there, replaced := m.replacement("./" + strings.TrimPrefix(found.file, m.folder+"/"))
	switch {
	case !replaced:
		return found, nil
	case !there:
		return target{nothing: true}, nil
	}
	return b.instead(m, found.file, instead, required)
}

// instead finds the file that a package has in the place of another one, or of a module.
func (b *bundle) instead(m *manifest, of, file string, required bool) (target, error) {
	if !inside(path.Clean(file)) {
		return target{}, fmt.Errorf("package %s replaces %s by %q, which is no file of its own", m.folder, of, file)
	}
	return b.filed(path.Join(m.folder, file), required)
}

// filed finds a file of a package by a path that may lack its end, or be a folder.
func (b *bundle) filed(file string, required bool) (target, error) {
	endings := []string{"", ".js", ".mjs", ".cjs", ".json", "/index.js", "/index.mjs", "/index.cjs"}
	for i, ending := range endings {
		if ending == "/index.js" {
			m, err := b.manifest(file)
			if err != nil {
				return target{}, err
			}
			if m != nil && m.start(required) != "index" {
				if start := path.Join(file, m.start(required)); strings.HasPrefix(start, file+"/") && path.Base(file) != modulesFolder {
					endings = append(endings[:i:i], append([]string{strings.TrimPrefix(start, file), strings.TrimPrefix(start, file) + ".js"}, endings[i:]...)...)
				}
				return b.first(file, endings[i:])
			}
		}
		if found, err := b.first(file, []string{ending}); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
	}
	return target{}, &missingError{file}
}

// missingError is a file that is not in its package.
type missingError struct{ file string }

func (e *missingError) Error() string {
	return fmt.Sprintf("there is no file %s that ends in one of %s", e.file, strings.Join(ofPackages, " "))
}

func (e *missingError) Is(target error) bool { return target == fs.ErrNotExist }

// first is the first file that is there.
func (b *bundle) first(file string, endings []string) (target, error) {
	for _, ending := range endings {
		if !slices.Contains(ofPackages, path.Ext(file+ending)) {
			continue
		}
		switch _, err := b.text(file + ending); {
		case err == nil:
			return target{file: file + ending}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return target{}, fmt.Errorf("%s: %w", file+ending, err)
		}
	}
	return target{}, &missingError{file}
}

// asModule ends the path of a .js file of a package whose "type" is "module", as esbuild knows it: it
// goes by the end of a path, and gives such a file the whole of what a CommonJS one exports as its
// default, as Node does. No file that can be imported has a colon in its name.
const asModule = ":.mjs"

// pathOf is what esbuild calls a file, and fileOf is the file that has such a path.
func (b *bundle) pathOf(file string) string {
	if m, _ := b.manifestOf(file); m != nil && m.kind == "module" && path.Ext(file) == ".js" {
		return file + asModule
	}
	return file
}

func fileOf(path string) string { return strings.TrimSuffix(path, asModule) }

// ofPackages are the extensions of files that packages consist of.
var ofPackages = []string{".js", ".mjs", ".cjs", ".json"}

// relative reports whether an import begins at its importer.
func relative(wanted string) bool {
	return wanted == "." || wanted == ".." || strings.HasPrefix(wanted, "./") || strings.HasPrefix(wanted, "../")
}

// effects says whether a file has to run although nothing of it is used.
func (b *bundle) effects(file string) api.SideEffects {
	if m, _ := b.manifestOf(file); m != nil && !m.hasEffects(file) {
		return api.SideEffectsFalse
	}
	return api.SideEffectsTrue
}
