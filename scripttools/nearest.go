package scripttools

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// notThere is a file that a script imports and that is not in its folder.
type notThere struct {
	folder string
	path   string // in it
}

func (e *notThere) Error() string { return fs.ErrNotExist.Error() }

// Is makes it an fs.ErrNotExist.
func (e *notThere) Is(target error) bool { return target == fs.ErrNotExist }

// maxBeside is how many names beside a missing file are looked at.
const maxBeside = 2000

// Nearest is the name beside a file that its own may have been meant to be; of the package.json of
// a package in node_modules, the name of a package. Empty if there is none.
func (e *notThere) Nearest() string {
	dir, name, scope := path.Dir(e.path), path.Base(e.path), ""
	if inside, packaged := strings.CutPrefix(e.path, "node_modules/"); packaged {
		wanted, file := path.Split(inside)
		wanted = strings.TrimSuffix(wanted, "/")
		if file != "package.json" || wanted == "" || strings.Count(wanted, "/") > strings.Count(wanted, "@") {
			return ""
		}
		scope, name = path.Split(wanted)
		dir = path.Join("node_modules", scope)
	}
	root, err := os.OpenRoot(e.folder)
	if err != nil {
		return ""
	}
	defer root.Close()
	opened, err := root.Open(filepath.FromSlash(dir))
	if err != nil {
		return ""
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(maxBeside) // what there is, if not all can be read
	var all []string
	for _, other := range names {
		if !strings.HasPrefix(other, ".") && other != name {
			all = append(all, other)
		}
	}
	near := spelling.Nearest(name, all)
	if near == "" {
		return ""
	}
	return scope + near
}
