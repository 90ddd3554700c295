package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Git takes a folder for a repository by its form: objects, refs, HEAD and a
// version. Where one of them is wrong some commands go on without a
// repository, and then read any file. So the form is checked before git is
// asked, and more strictly than git does.

// gitHead is what HEAD says: a reference or an object.
var gitHead = regexp.MustCompile(`^(?:ref:[ \t]*refs/[^\x00-\x20\x7f]+|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})[ \t\r\n]*$`)

// holdsHead reports whether a folder has a HEAD that is a file and says where
// it points to.
func holdsHead(dir string) bool {
	name := filepath.Join(dir, "HEAD")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := regular.Read(name, maxGitFile)
	return err == nil && gitHead.Match(text)
}

// gitExtensions are what a repository may say of its form, with the values that
// each may have.
var gitExtensions = map[string]*regexp.Regexp{
	"objectformat":      regexp.MustCompile(`^(?:sha1|sha256)$`),
	"refstorage":        regexp.MustCompile(`^(?:files|reftable)$`),
	"worktreeconfig":    gitTruth,
	"relativeworktrees": gitTruth,
	"preciousobjects":   gitTruth,
	"noop":              regexp.MustCompile(``),
	"partialclone":      regexp.MustCompile(``),
}

var (
	gitTruth   = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|0|1|)$`)
	gitVersion = regexp.MustCompile(`^[01]$`)
)

// checkForm refuses a repository whose configuration says that its data has a
// form which is not known.
func (r gitRepo) checkForm() error {
	file := filepath.Join(r.common, "config")
	if _, err := os.Lstat(file); os.IsNotExist(err) {
		return nil // then the form is the oldest
	}
	text, err := regular.Read(file, maxGitFile)
	if err != nil {
		return err
	}
	section, number := "", 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			section, line = strings.ToLower(strings.TrimSpace(head)), strings.TrimSpace(rest)
		}
		name, value, _ := strings.Cut(line, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if comment := strings.IndexAny(value, "#;"); comment >= 0 {
			value = value[:comment]
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case name == "" || name[0] == '#' || name[0] == ';':
		case section == "core" && name == "repositoryformatversion":
			if !gitVersion.MatchString(value) {
				return fmt.Errorf("%s:%d: the repository has the format version %q; 0 and 1 are known", file, number, value)
			}
		case section == "extensions":
			if known := gitExtensions[name]; known == nil || !known.MatchString(value) {
				return fmt.Errorf("%s:%d: the repository has the extension %s = %q, which is not known", file, number, name, value)
			}
		}
	}
	return nil
}

// holds reports whether a word of git, taken for a path that is relative to cwd
// or absolute, stays within the folder that is worked in: as it is written, and
// by the links that are there. A link that leads nowhere leads out.
func (r gitRepo) holds(cwd, name string) bool {
	top := r.top
	if top == "" {
		top = r.dir
	}
	if magic, ok := strings.CutPrefix(name, ":"); ok { // :/x, :!x, :(top)x
		if long, ok := strings.CutPrefix(magic, "("); ok {
			_, magic, _ = strings.Cut(long, ")")
		} else {
			magic = strings.TrimLeft(magic, "/!^:")
		}
		return stays(top, filepath.Join(top, magic)) && stays(top, filepath.Join(cwd, magic))
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	return stays(top, filepath.Clean(name))
}

// stays reports whether a clean path is below a folder, and what is there of it
// too. The folder is without links.
func stays(top, path string) bool {
	if !beneath(path, top) { // the same place by another name
		real, err := filepath.EvalSymlinks(path)
		return err == nil && beneath(real, top)
	}
	at := top
	for part := range strings.SplitSeq(strings.TrimPrefix(path, top), string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return true // nothing is there to be read
		}
		if info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		if at, err = filepath.EvalSymlinks(at); err != nil || !beneath(at, top) {
			return false
		}
	}
	return true
}
