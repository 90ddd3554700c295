package main

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

// trustRecord is a file that the user trusts: these bytes, at this place, for
// what they were said to give.
type trustRecord struct {
	Path    string    `json:"path"`    // absolute, links of its folder followed
	SHA256  string    `json:"sha256"`  // of the bytes that were shown
	Granted []string  `json:"granted"` // the names of what was shown
	Time    time.Time `json:"time"`
}

// trustState is what the user said of a file.
type trustState int

const (
	trustNone    trustState = iota
	trustChanged            // other bytes were trusted, or for less
	trustGiven
)

// maxRecord bounds a record of trust.
const maxRecord = 256 << 10

// trustFolder is where the records are, a file for each; empty where the user
// has no home. A record lies in a file of its own so that two commands cannot
// undo each other's.
func trustFolder() string { return userFolder("XDG_STATE_HOME", ".local/state", "trust") }

// Why nothing can be trusted here.
var (
	errNoTrustFolder = errors.New("there is no place to remember it: set HOME, or XDG_STATE_HOME")
	errTrustInReach  = errors.New("it would be remembered in the workspace, where tools write; run scriptrun in a folder further down, or set XDG_STATE_HOME to one outside")
)

// usableTrustFolder is the folder, unless tools of the workspace could write
// there.
func usableTrustFolder(workspace string) (string, error) {
	folder := trustFolder()
	switch {
	case folder == "":
		return "", errNoTrustFolder
	case liesIn(workspace, folder):
		return "", errTrustInReach
	}
	return folder, nil
}

// identity is the place of a file, by which it is trusted: links are followed
// to its folder and no further, since its relative paths begin there.
func identity(path string) (string, error) {
	folder, err := canonical(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}

// recordFile is the file with the record of a place.
func recordFile(folder, place string) string {
	sum := sha256.Sum256([]byte(place))
	return filepath.Join(folder, hex.EncodeToString(sum[:])+".json")
}

// stateOfTrust looks up a file that wants grants. What cannot be looked up is
// not trusted.
func stateOfTrust(workspace string, f *settingsFile, grants []grant) trustState {
	wanted := grantNames(grants)
	if len(wanted) == 0 {
		return trustNone
	}
	folder, err := usableTrustFolder(workspace)
	if err != nil {
		return trustNone
	}
	place, err := identity(f.path)
	if err != nil {
		return trustNone
	}
	record, err := readRecord(recordFile(folder, place))
	switch {
	case err != nil || record.Path != place:
		return trustNone
	case record.SHA256 != f.digest:
		return trustChanged
	}
	for _, name := range wanted { // the user's own settings may have changed what the file widens
		if !slices.Contains(record.Granted, name) {
			return trustChanged
		}
	}
	return trustGiven
}

// stateOfRecord says in a word whether a file still has the bytes that were
// trusted.
func stateOfRecord(r trustRecord) string {
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

// grantNames are the names of what trust gives.
func grantNames(grants []grant) (names []string) {
	for _, g := range grants {
		if !g.never {
			names = append(names, g.name)
		}
	}
	return names
}

func readRecord(path string) (trustRecord, error) {
	var record trustRecord
	text, err := regular.Read(path, maxRecord)
	if err == nil {
		err = json.Unmarshal(text, &record)
	}
	return record, err
}

// writeRecord remembers that a file is trusted. A reader sees the record as it
// was or as it is, never a part.
func writeRecord(folder string, record trustRecord) (err error) {
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	if len(text) > maxRecord {
		return fmt.Errorf("%s wants more than can be remembered", record.Path)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".new-") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), recordFile(folder, record.Path))
}

// records are all that there are, by their places. What is no record is passed
// over.
func records(folder string) ([]trustRecord, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var all []trustRecord
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if record, err := readRecord(path); err == nil && recordFile(folder, record.Path) == path {
			all = append(all, record)
		}
	}
	slices.SortFunc(all, func(a, b trustRecord) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}
