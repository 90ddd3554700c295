package shell

import (
	"os"
	"path/filepath"
	"strings"
)

// toldOf are the paths in a message as they stand there, in order, without that of the program
// that prints it: a linker, a shell or a program that was started by its path begins with its own.
func (r *witness) toldOf(line string) (paths []string) {
	var speaker string
	matches := tellings().path.FindAllStringSubmatchIndex(line, 64)
	for i, match := range matches {
		at := max(match[2], match[4])
		end := max(match[3], match[5])
		path := strings.TrimRight(line[at:end], ".,:;)")
		speaks := i+1 < len(matches) && strings.HasPrefix(line[at+len(path):], ":")
		switch {
		case path == "":
		case speaks && r.isProgram(path):
		case speaks && at == 0 && speaker == "":
			speaker = path
		default:
			paths = append(paths, path)
		}
	}
	if speaker != "" { // the least likely one, such as a script that could not write its output
		paths = append(paths, speaker)
	}
	return paths
}

// isProgram reports whether commands can run what is at a path.
func (r *witness) isProgram(path string) bool {
	if path = r.absolute(path); !filepath.IsAbs(path) {
		return false
	}
	if read, _ := r.policy.Reaches(path); !read {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
