package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/realm"
)

// Imported is what a program has besides its source: a file of the author, or a package.
type Imported struct {
	// Path leads to it from the folder of the source, with slashes.
	Path string `json:"path"`
	// Digest is its SHA-256, in hex. Of a package it is that of a line for each file that was
	// read of it, in the order of the paths: the file's SHA-256, two spaces, its path.
	Digest string `json:"sha256"`
	// Version is that of a package, as its package.json says; empty for a file. One of more than
	// 256 bytes, which npm takes for none, is cut, and says how long it was.
	Version string `json:"version,omitempty"`
	// Files is how many files were read of a package, its package.json among them; 0 for a file.
	Files int `json:"files,omitempty"`
}

// Imported lists what the source imports, and what that imports, as it was read: files, then
// packages.
func (p *Program) Imported() []Imported { return slices.Clone(p.imports) }

// Files lists the files that were read for the source's imports, by their paths from its folder,
// with slashes, in order. Those of packages are among them.
func (p *Program) Files() []string {
	if p.given == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(p.given.texts))
}

// Same reports whether the files that were read for the source's imports are still as they were;
// read gives them by their paths, as Source.Import does. It is safe for concurrent use.
func (p *Program) Same(read func(path string) ([]byte, error)) bool {
	for _, name := range p.Files() {
		if text, err := read(name); err != nil || string(text) != p.given.texts[name] {
			return false
		}
	}
	return true
}

// imported makes what the program imports a part of its digest. All that was read counts, not only
// what code comes from: a package.json decides which files are taken, and data has no code.
func (p *Program) imported() {
	p.given.read = nil
	if len(p.given.texts) == 0 {
		return
	}
	p.imports = p.given.imported(p.Files())
	var lines strings.Builder
	lines.WriteString(p.digest + "\n")
	for _, f := range p.imports {
		lines.WriteString(f.Digest + "  " + f.Path + "\n")
	}
	p.digest = hexDigest(lines.String())
}

// imported lists files that were given, those of packages together.
func (g *given) imported(files []string) (all []Imported) {
	packages := map[string][]string{}
	for _, name := range files {
		if folder := realm.PackageOf(name); folder != "" {
			packages[folder] = append(packages[folder], name)
			continue
		}
		all = append(all, Imported{Path: name, Digest: hexDigest(g.texts[name])})
	}
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		var lines strings.Builder
		for _, name := range packages[folder] {
			lines.WriteString(hexDigest(g.texts[name]) + "  " + name + "\n")
		}
		var about struct{ Version string }
		_ = json.Unmarshal([]byte(g.texts[folder+"/package.json"]), &about) // without one it is not said
		all = append(all, Imported{Path: folder, Digest: hexDigest(lines.String()), Version: version(about.Version), Files: len(packages[folder])})
	}
	return all
}

// maxVersion is the longest version that npm takes for one, in bytes.
const maxVersion = 256

// version is what is kept of the version of a package, which stands in every receipt.
func version(text string) string {
	if head := clip.Head(text, maxVersion); head != text {
		return fmt.Sprintf("%s… (%d bytes)", head, len(text))
	}
	return text
}

func hexDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
