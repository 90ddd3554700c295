package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// How large the files of one command may grow together, and those of all
// commands that share a folder: what a run writes by outputs alone is bounded.
const (
	defaultSpillBytes = 256 << 20
	mostSpilled       = 1 << 30
	// weighAgain is after how many bytes of one command the folder is looked at again:
	// others write there as well.
	weighAgain = 16 << 20
)

// spill is where the whole of a command's output goes once it is more than is
// kept in memory: a file for each stream that has any.
type spill struct {
	dir, name string
	room      int64
	began     bool  // something goes to files
	until     int64 // what room is left when the folder is looked at again
	err       error // why the files are not whole
}

// file is one stream's file.
type file struct {
	path string
	to   *os.File
}

// write adds to a stream's file, which is made for its first byte. After an
// error nothing more is written: a file with a hole in it would mislead.
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
		s.err = errors.New("the output is larger than the files for it may grow; they hold its beginning")
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

// weigh sees what room the folder has.
func (s *spill) weigh() error {
	if s.room = min(s.room, mostSpilled-sizeOf(s.dir)); s.room <= 0 {
		return fmt.Errorf("the files of this run hold %d MiB, and may hold no more", mostSpilled>>20)
	}
	s.until = s.room - weighAgain
	return nil
}

// sizeOf is what the files of a folder hold. Those that grow meanwhile count as
// they are: each is looked at again.
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

// spillWhole writes to files what was captured whole, for a result that could
// not carry all of it.
func spillWhole(limits Limits, out *Output) {
	if limits.SpillDir == "" || out.Stdout.File != "" || out.Stderr.File != "" || out.SpillErr != nil {
		return
	}
	s := newSpill(limits)
	for _, stream := range []struct {
		of        *Captured
		extension string
	}{{&out.Stdout, ".stdout"}, {&out.Stderr, ".stderr"}} {
		var f file
		s.write(&f, stream.extension, stream.of.bytes())
		if err := f.close(); s.err == nil {
			s.err = err
		}
		stream.of.File = f.path
	}
	out.SpillErr = s.err
}

// where says in words where the whole of an output is; empty if nowhere.
func (o Output) where() string {
	var text string
	switch out, err := o.Stdout.File, o.Stderr.File; {
	case out != "" && err != "":
		text = fmt.Sprintf("; all of it is in %s and %s", out, err)
	case out != "" || err != "":
		text = "; all of it is in " + out + err
	}
	if o.SpillErr != nil {
		text = "; it could not all be written to a file: " + o.SpillErr.Error()
	}
	return text
}
