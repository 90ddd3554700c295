package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// All folders for temporary files of a user lie in one, whose name is always the same. A
// box whose commands are granted a folder around it covers it, before and after others
// make theirs in it.

// tempsPrefix begins the name of that folder; the user's number follows.
const tempsPrefix = "scriptrun-user-"

// mostTemps is how many names are tried, always in the same order: somebody else may have
// taken one, or it leads to what a sandbox around this process grants.
const mostTemps = 8

// errTaken says that no folder for temporary files is the user's own.
var errTaken = errors.New("it is not a folder of yours alone; remove it, or set TMPDIR to a folder of your own")

// MakeTemp makes an empty folder for temporary files, which commands see only if their
// policy names it or a path in it. It is removed by [RemoveTemp].
func MakeTemp() (dir string, err error) {
	first := filepath.Join(os.TempDir(), tempsPrefix+strconv.Itoa(os.Geteuid()))
	for n := range mostTemps {
		all := first
		if n > 0 {
			all += "-" + strconv.Itoa(n)
		}
		var again error
		if dir, again = makeTempIn(all); again == nil {
			return dir, nil
		}
		if err == nil {
			err = fmt.Errorf("a folder for temporary files: %s: %w", all, again)
		}
		if errors.Is(again, fs.ErrNotExist) {
			break // there is no folder for temporary files at all
		}
	}
	return "", err
}

// makeTempIn makes one in the folder of all, which it makes if it is missing.
func makeTempIn(all string) (dir string, err error) {
	for range 100 { // RemoveTemp of another program may remove it
		if err := os.Mkdir(all, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		info, err := os.Lstat(all)
		if err == nil && !ours(info) {
			return "", errTaken
		}
		if err == nil {
			dir, err = os.MkdirTemp(all, "")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return dir, err
		}
	}
	return "", errors.New("it is removed again and again")
}

// RemoveTemp removes a folder of [MakeTemp] with all that is in it.
func RemoveTemp(dir string) error {
	err := os.RemoveAll(dir)
	removeTemps(dir)
	return err
}

// removeTemps removes the folder around a folder for temporary files, if it was the last.
func removeTemps(dir string) { _ = os.Remove(filepath.Dir(dir)) }
