package protect

import (
	"os"
	"path/filepath"
	"time"
)

// ways are the names at which something was sought: what stood there, and where nothing did.
// Most names of a home are missing, and one look at their folder covers all of them.
type ways struct {
	there map[string]noted
	not   map[string]*lack // by the folder
	begun map[string]begun // by the beginning
	torn  bool             // something appeared, went or was replaced during the look
}

// noted is what stood at a name.
type noted struct {
	origin
	id fileID // of a link: one that is made anew may get its number, and has no other time of birth where none is kept
}

// lack is names that a folder did not have.
type lack struct {
	folder fileID // before the look
	paths  []string
}

// note notes a path as it was seen; saw is nil if there was nothing.
func (w *ways) note(path string, saw os.FileInfo) {
	folder := filepath.Dir(path)
	lacks := w.not[folder]
	if lacks == nil {
		lacks = &lack{folder: folderID(folder)}
		w.not[folder] = lacks
	}
	if saw == nil {
		lacks.paths = append(lacks.paths, path)
		return
	}
	is, id := noted{origin: originOf(path)}, idFrom(saw)
	if saw.Mode()&os.ModeSymlink != 0 {
		is.id = id
	}
	w.there[path] = is
	if now, err := idOf(path); err != nil || !now.same(id) || !is.of(id) || is.id != (fileID{}) && now != id {
		w.torn = true
	}
}

// stillHold reports whether all names that were noted at that time are as they were.
func (w *ways) stillHold(at time.Time) bool {
	for path, was := range w.there {
		if was.id != (fileID{}) {
			if now, err := idOf(path); err != nil || now != was.id || !now.settled(at) {
				return false
			}
		}
		if originOf(path) != was.origin {
			return false
		}
	}
	for beginning, was := range w.begun {
		if !was.stillHolds(beginning, at) {
			return false
		}
	}
	for folder, lacks := range w.not {
		if len(lacks.paths) == 0 {
			continue
		}
		now := folderID(folder)
		if now == lacks.folder && now.settled(at) {
			continue // no name came
		}
		for _, path := range lacks.paths {
			if originOf(path) != (origin{}) {
				return false
			}
		}
	}
	return true
}

// folderID is the ID of a folder, with links followed; zero for none.
func folderID(folder string) fileID {
	info, err := os.Stat(folder)
	if err != nil {
		return fileID{}
	}
	return idFrom(info)
}
