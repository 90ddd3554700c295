package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Project is a file that came with a workspace, and what it wants beyond the operator's
// settings: a [ProjectFile], or a file of kind: mcp.
type Project struct {
	Path   string // as messages show it
	Place  string // absolute, with links to its folder followed; empty if it cannot be resolved
	Digest string // SHA-256 of the bytes that were read, in hex
	Grants []Grant
	State  TrustState

	dir string // what its relative paths are relative to
}

// Grant is one thing that a project's file wants beyond the operator's settings.
type Grant struct {
	// Name names it in one line, as in mcp_servers "github" or sandbox.read. Text from
	// the file is quoted.
	Name string
	// Lines are the keys with their values, and what each does.
	Lines []string
	// Never says why even trust does not give it; empty if trust does.
	Never string
}

// TrustState says whether a file is trusted.
type TrustState int

// A file is trusted for the grants that a person was shown.
const (
	TrustNeedless TrustState = iota // there is nothing to trust
	TrustNone
	TrustChanged // other bytes were trusted, or fewer grants
	TrustGiven
)

// Store is the folder with the records of trust, one file each, so that two processes
// cannot undo each other's. An empty Store trusts nothing.
type Store string

// Record is a trusted file: these bytes, at this place, for these grants.
type Record struct {
	Path    string    `json:"path"`    // a [Project.Place]
	SHA256  string    `json:"sha256"`  // of the bytes that were shown
	Granted []string  `json:"granted"` // the names of what was shown
	Time    time.Time `json:"time"`
}

// maxRecord bounds a record of trust, in bytes.
const maxRecord = 256 << 10

// Usable reports whether trust can be recorded for a workspace: not where its tools
// could write.
func (t Store) Usable(workspace string) bool { return t != "" && !liesIn(workspace, string(t)) }

// identity is the place by which a file is trusted: links to its folder are followed, a
// link in its own place is not, because its relative paths begin in that folder.
func identity(path string) (string, error) {
	folder, err := canonical(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}

// file is the path of a place's record.
func (t Store) file(place string) string {
	sum := sha256.Sum256([]byte(place))
	return filepath.Join(string(t), hex.EncodeToString(sum[:])+".json")
}

// judge finds out whether a file is trusted for grants. A file without a place or a
// readable record is not.
func (t Store) judge(workspace string, f *file, grants []Grant) *Project {
	p := &Project{Path: f.path, Digest: f.digest, Grants: grants, dir: f.dir}
	p.Place, _ = identity(f.path) // a file without a place is not trusted
	if wanted := p.wanted(); len(wanted) > 0 {
		p.State = t.state(workspace, p, wanted)
	}
	return p
}

func (t Store) state(workspace string, p *Project, wanted []string) TrustState {
	if !t.Usable(workspace) || p.Place == "" {
		return TrustNone
	}
	record, err := readRecord(t.file(p.Place))
	switch {
	case err != nil || record.Path != p.Place:
		return TrustNone
	case record.SHA256 != p.Digest:
		return TrustChanged
	}
	for _, name := range wanted { // other settings of the operator may make the file widen more
		if !slices.Contains(record.Granted, name) {
			return TrustChanged
		}
	}
	return TrustGiven
}

// wanted are the names of the grants that trust would give.
func (p *Project) wanted() (names []string) {
	for _, g := range p.Grants {
		if g.Never == "" {
			names = append(names, g.Name)
		}
	}
	return names
}

// Project finds the project's file at a path; nil if there is none.
func (s *Settings) Project(path string) *Project {
	place, err := identity(path)
	i := slices.IndexFunc(s.Projects, func(p *Project) bool { return err == nil && p.Place == place })
	if i < 0 {
		return nil
	}
	return s.Projects[i]
}

// State says in one word whether the file still has the trusted bytes: trusted,
// changed, missing or unreadable.
func (r Record) State() string {
	text, err := regular.Read(r.Path, maxSettings)
	switch sum := sha256.Sum256(text); {
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case err != nil:
		return "unreadable"
	case hex.EncodeToString(sum[:]) != r.SHA256:
		return "changed"
	}
	return "trusted"
}

func readRecord(path string) (Record, error) {
	var record Record
	text, err := regular.Read(path, maxRecord)
	if err == nil {
		err = json.Unmarshal(text, &record)
	}
	return record, err
}

// Trust records that somebody trusts a file for its grants. Readers see the old record
// or the new one, never a part.
func (t Store) Trust(p *Project) (err error) {
	record := Record{Path: p.Place, SHA256: p.Digest, Granted: p.wanted(), Time: time.Now().UTC().Truncate(time.Second)}
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	if len(text) > maxRecord {
		return fmt.Errorf("%s wants more than a record of trust can hold", p.Place)
	}
	if err := os.MkdirAll(string(t), 0o700); err != nil {
		return err
	}
	return regular.Replace(t.file(p.Place), append(text, '\n'), 0o600)
}

// Forget removes the record of a file, which may no longer exist, and returns its
// place. Without a record the error is an [fs.ErrNotExist].
func (t Store) Forget(path string) (place string, err error) {
	if place, err = identity(path); err != nil {
		if place, err = filepath.Abs(path); err != nil {
			return "", err
		}
	}
	return place, os.Remove(t.file(place))
}

// Records returns all records, sorted by path. Other files are skipped.
func (t Store) Records() ([]Record, error) {
	entries, err := os.ReadDir(string(t))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var all []Record
	for _, entry := range entries {
		path := filepath.Join(string(t), entry.Name())
		if record, err := readRecord(path); err == nil && t.file(record.Path) == path {
			all = append(all, record)
		}
	}
	slices.SortFunc(all, func(a, b Record) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}
