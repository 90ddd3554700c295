package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// stageName is the folder where a file that will replace another has its name
// for a moment: no system call puts a file without a name in another's place. It
// is made for one write and removed after it. A process that is killed in between
// can leave it behind; the next write, and the next Open, empty and remove it.
const stageName = ".scriptrun-tmp"

// stageIn makes the staging folder in a folder, or takes over one that was left.
func stageIn(d *osFolder) (*osFolder, error) {
	err := d.mkdir(stageName, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err != nil {
		d.sweep()
		if err := d.mkdir(stageName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	stage, err := d.open(stageName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s is needed for a moment, and what stands there is not scriptrun's folder; remove it", stageName)
	}
	return stage, err
}

// unstage removes the staging folder of a folder, unless somebody else uses it.
func unstage(d, stage *osFolder) {
	stage.close()
	_ = d.rmdir(stageName)
}

// sweep removes what writes that were killed left in a folder. A file that some
// process still writes is locked by it, and stays.
func (d *osFolder) sweep() {
	stage, err := d.open(stageName)
	if err != nil {
		return // the usual case: there is none
	}
	defer unstage(d, stage)
	left, err := stage.entries()
	if err != nil {
		return
	}
	for _, entry := range left {
		if !drafted(entry.Name()) {
			continue // somebody else's; it stays, and so does the folder
		}
		if at, err := stage.lstat(entry.Name()); err == nil && at.Mode().IsRegular() && stage.abandoned(entry.Name(), at) {
			_ = stage.remove(entry.Name()) // by a name that is never used again
		}
	}
}

// drafted reports whether a name is one that drafts have, of rand.Text.
func drafted(name string) bool {
	return len(name) == len(rand.Text()) && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// abandonedAfter is how long a file stays that cannot tell whether somebody
// still writes it.
const abandonedAfter = time.Minute

func (d *osFolder) abandoned(name string, at *info) bool {
	f, err := d.file(name)
	if err != nil {
		return time.Since(at.ModTime()) > abandonedAfter
	}
	defer f.Close()
	switch err := lock(f); {
	case err == nil:
		return true
	case errors.Is(err, errNoLocks):
		return time.Since(at.ModTime()) > abandonedAfter
	}
	return false
}

var errNoLocks = errors.New("files are not locked on this system")

// draft is a file that is being written: without a name where the system can, and
// else with one in a staging folder. It is locked until it is dropped.
type draft struct {
	f     *os.File
	at    *osFolder // where the staging folder is; nil for one without a name
	stage *osFolder
	name  string
}

// drop closes a draft and removes its name, if it still has it.
func (d *draft) drop() {
	_ = d.f.Close()
	if d.stage != nil {
		_ = d.stage.remove(d.name)
		unstage(d.at, d.stage)
	}
}

// named makes a draft with a name in the staging folder of a folder.
func named(in *osFolder, mode fs.FileMode) (*draft, error) {
	stage, err := stageIn(in)
	if err != nil {
		return nil, err
	}
	d := &draft{at: in, stage: stage, name: rand.Text()}
	if d.f, err = stage.create(d.name, mode); err != nil {
		unstage(in, stage)
		return nil, err
	}
	if err := lock(d.f); err != nil && !errors.Is(err, errNoLocks) {
		d.drop()
		return nil, errSwept // who sweeps has locked it first
	}
	return d, nil
}
