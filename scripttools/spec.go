package scripttools

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
)

// ScriptToolSpec is what a tool file declares, checked and ready to run. It is
// shared between runs: read it, do not change it.
type ScriptToolSpec struct {
	// Name is the tool's name: [a-zA-Z0-9_-]{1,64}, unique in its catalog.
	Name string
	// Description is for people and models; trimmed and never blank.
	Description string
	// AllowedTools grants host tools to the script. Empty means none at all.
	// Each rule's From is its place in the tool file.
	AllowedTools []hostapi.Rule
	// Limits bounds each run; every field is set and in range.
	Limits runtime.Limits
	// InputSchema is what inputs must satisfy; nil accepts any object.
	InputSchema *schema.Schema
	// OutputSchema is what the value of a run must satisfy; nil accepts any.
	OutputSchema *schema.Schema
	// Program is the compiled script. What runs is what was loaded: no file is
	// read again.
	Program *runtime.Program
	// Path is the tool file, as it was named or found.
	Path string
	// Source is the script file: Path itself, or what a .md file's path names.
	Source string
	// Digest is the SHA-256, in hex, of everything the program consists of. For
	// one file it is that file's; for a .md file and its script it is the sum of
	// both sums, each in hex on a line of its own, the .md file's first. If the script
	// imports files, it is the sum of that sum and theirs, each on a line, theirs with
	// two spaces and their path.
	Digest string

	declared func() declarations // by InputSchema
	own      []sum               // of its files, without what is imported
}

// sum is what a file was when it was read.
type sum struct {
	path string
	sum  [sha256.Size]byte
}

func sumsOf(files ...*text) (sums []sum) {
	for _, f := range files {
		sums = append(sums, sum{f.path, sha256.Sum256(f.raw)})
	}
	return sums
}

// asLoaded reports whether the files of the tool are what they were when it was loaded.
func (s *ScriptToolSpec) asLoaded() bool {
	for _, was := range s.own {
		raw, err := readCapped(filepath.FromSlash(was.path))
		if err != nil || sha256.Sum256(raw) != was.sum {
			return false
		}
	}
	return s.Program == nil || s.Program.Same(importFrom(s.Source))
}

// digest is the Digest of a program that consists of these files.
func digest(files ...*text) string {
	sums := make([]byte, 0, 65*len(files))
	for _, f := range files {
		sum := sha256.Sum256(f.raw)
		if len(files) == 1 {
			return hex.EncodeToString(sum[:])
		}
		sums = append(hex.AppendEncode(sums, sum[:]), '\n')
	}
	sum := sha256.Sum256(sums)
	return hex.EncodeToString(sum[:])
}
