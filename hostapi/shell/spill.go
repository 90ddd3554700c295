package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// The limits of the files of one command, and of all commands that share a folder.
const (
	defaultSpillBytes = 256 << 20
	mostSpilled       = 1 << 30
	// weighAgain is after how many bytes of one command the folder's size is checked
	// again: other commands write there too.
	weighAgain = 16 << 20
)

// spill writes the whole output of a command to files, one for each stream, once it is
// more than is kept in memory.
type spill struct {
	dir, name string
	room      int64
	began     bool  // output goes to files
	until     int64 // the room at which the folder is checked again
	err       error // why the files are incomplete
}

// file is one stream's file.
type file struct {
	path string
	to   *os.File
}

// write appends to a stream's file, and makes it at the first byte. It writes nothing
// after an error: a file with a hole would mislead.
func (s *spill) write(f *file, extension string, p []byte) {
	if len(p) == 0 || s.err != nil {
		return
	}
	if f.to == nil {
		if s.err = s.create(f, extension); s.err != nil {
			return
		}
	}
	if s.room <= s.until {
		if s.err = s.weigh(); s.err != nil {
			return
		}
	}
	if int64(len(p)) > s.room {
		p = p[:s.room]
		s.err = errors.New("the output is too large for its files; they hold its beginning")
	}
	n, err := f.to.Write(p)
	s.room -= int64(n)
	if err != nil {
		s.err = err
	}
}

func (s *spill) create(f *file, extension string) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.weigh(); err != nil {
		return err
	}
	path := filepath.Join(s.dir, s.name+extension)
	if f.to, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	f.path = path
	return nil
}

// weigh updates the room that the folder has left.
func (s *spill) weigh() error {
	if s.room = min(s.room, mostSpilled-sizeOf(s.dir)); s.room <= 0 {
		return fmt.Errorf("the output files of this run hold %d MiB, which is the most", mostSpilled>>20)
	}
	s.until = s.room - weighAgain
	return nil
}

// sizeOf is the size of the files in a folder.
func sizeOf(dir string) (size int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	return size
}

func (f *file) close() error {
	if f.to == nil {
		return nil
	}
	err := f.to.Close()
	f.to = nil
	return err
}

// wholeFiles are the files of output that was captured completely, for results that cannot
// carry all of it. They are written at most once for a command.
type wholeFiles struct {
	mu             sync.Mutex
	tried          bool
	stdout, stderr string
	err            error
}

// name names them in out, and reports whether they have been written, or cannot be.
func (w *wholeFiles) name(out *Output) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.named(out)
}

// named is name with w.mu held.
func (w *wholeFiles) named(out *Output) bool {
	if w.tried {
		out.Stdout.File, out.Stderr.File, out.SpillErr = w.stdout, w.stderr, w.err
	}
	return w.tried
}

// write writes them, unless that was done before, and names them in out.
func (w *wholeFiles) write(limits Limits, out *Output) {
	if limits.SpillDir == "" || out.Stdout.File != "" || out.Stderr.File != "" || out.SpillErr != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.named(out) {
		return
	}
	s := newSpill(limits)
	for _, stream := range []struct {
		of        Captured
		extension string
		path      *string
	}{{out.Stdout, ".stdout", &w.stdout}, {out.Stderr, ".stderr", &w.stderr}} {
		var f file
		s.write(&f, stream.extension, stream.of.bytes())
		if err := f.close(); s.err == nil {
			s.err = err
		}
		*stream.path = f.path
	}
	w.tried, w.err = true, s.err
	w.named(out)
}

// where says in words where all of the output is; empty for nowhere.
func (o Output) where() string {
	var text string
	switch out, err := o.Stdout.File, o.Stderr.File; {
	case out != "" && err != "":
		text = fmt.Sprintf("; all of it is in %s and %s", out, err)
	case out != "" || err != "":
		text = "; all of it is in " + out + err
	}
	if o.SpillErr != nil {
		text = "; not all of it could be written to a file: " + o.SpillErr.Error()
	}
	return text
}
