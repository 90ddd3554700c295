package protect

import (
	"archive/tar"
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The bounds of packing at the end of a command: names, their depth, the bytes of all
// files, and time.
const (
	mostPacked  = 100_000
	deepPacked  = 100
	packedBytes = 256 << 20
	packTime    = 10 * time.Second
)

// pack writes all files of a folder to a new file, under the path as. Nothing of it runs there,
// and no command has that file open. If something cannot be packed, no file stays.
func pack(left *packLeft, folder *os.Root, as string, into *os.Root, name string) error {
	out, err := into.OpenFile(name+half, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	if left.until.IsZero() {
		*left = packLeft{names: mostPacked, bytes: packedBytes, until: time.Now().Add(packTime)}
	}
	p := packer{tar.NewWriter(buffered), left}
	err = p.all(folder, filepath.ToSlash(as)[1:], deepPacked)
	if err = errors.Join(err, p.Close(), buffered.Flush(), out.Close()); err == nil {
		err = into.Rename(name+half, name)
	}
	if err != nil {
		return errors.Join(err, into.Remove(name+half))
	}
	return nil
}

// half ends the name of an unfinished file.
const half = ".part"

type packer struct {
	*tar.Writer
	*packLeft
}

// packLeft is what is left of the bounds; zero means all of it.
type packLeft struct {
	names int
	bytes int64
	until time.Time
}

// all adds the entries of a folder.
func (p *packer) all(folder *os.Root, as string, deep int) error {
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(256)
		if errors.Is(err, io.EOF) {
			return nil
		}
		for _, name := range names {
			err = errors.Join(err, p.add(folder, name, path.Join(as, name), deep))
			if err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// add adds one entry. A command may still work there: it follows no link out of the folder.
func (p *packer) add(folder *os.Root, name, as string, deep int) error {
	info, err := folder.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if p.names--; err == nil && (p.names < 0 || deep == 0 || time.Now().After(p.until)) {
		err = errEffort
	}
	if err != nil {
		return err
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = folder.Readlink(name); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return nil //nolint:nilerr // a socket, which is useless without its process
	}
	header.Format, header.Mode = tar.FormatPAX, header.Mode&0o777
	if header.Name = as; info.IsDir() {
		header.Name += "/"
	}
	switch {
	case info.IsDir():
		if f, ok := widened(folder, name, info, allRights); ok {
			defer f.Close()
		}
		sub, err := openSame(folder, name, info)
		if err != nil {
			return err
		}
		defer sub.Close()
		if err := p.WriteHeader(header); err != nil {
			return err
		}
		return p.all(sub, as, deep-1)
	case info.Mode().IsRegular():
		return p.file(folder, name, info, header)
	}
	return p.WriteHeader(header)
}

// file adds a file with the length that it had when it was looked at.
func (p *packer) file(folder *os.Root, name string, info fs.FileInfo, header *tar.Header) error {
	if info.Size() > p.bytes {
		return errEffort
	}
	p.bytes -= info.Size()
	const read = 0o400
	if info.Mode().Perm()&read == 0 {
		if f, ok := widened(folder, name, info, read); ok {
			defer f.Close()
		}
	}
	f, err := regular.OpenIn(folder, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.CopyN(p, io.MultiReader(f, zeros{}), info.Size())
	return err
}

// zeros replace bytes that somebody cut from the end of a file meanwhile.
type zeros struct{}

// Read implements [io.Reader].
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
