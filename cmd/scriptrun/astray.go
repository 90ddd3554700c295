package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// mostFolders bounds how many folders are looked into for a tool file that lies elsewhere.
const mostFolders = 200

// unfound says of a name where it was looked for, and where a tool file with that name is.
func unfound(name, tools string) string {
	where := tools
	if absolute, err := filepath.Abs(tools); err == nil {
		where = absolute
	}
	if _, err := os.Stat(tools); err != nil {
		where += ", which does not exist"
	}
	file := astray(name, tools)
	if file == "" {
		return fmt.Sprintf("looked in %s; a file is named with its extension, such as x.js", where)
	}
	instead := "put it into " + tools
	switch folder := filepath.Dir(file); {
	case filepath.Base(folder) == defaultTools:
		instead = "give --tools " + folder
	case filepath.Dir(folder) == filepath.Clean(tools):
		instead += ", whose own folders are not looked into"
	}
	return fmt.Sprintf("looked in %s; %s has that name: run that file, or %s", where, file, instead)
}

// astray is a tool file with a name that is near and not in the tools directory: here, in a
// folder of here or of the tools directory, or in the tools directory of the folder above.
// Empty for none.
func astray(name, tools string) string {
	if name == "" || isFile(name) {
		return ""
	}
	folders := []string{".", filepath.Join("..", defaultTools)}
	for _, above := range []string{tools, "."} {
		entries, _, _ := regular.List(above, mostFolders) // none of a folder that is not there
		for _, entry := range entries {
			if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
				folders = append(folders, filepath.Join(above, entry.Name()))
			}
		}
	}
	for _, folder := range folders[:min(len(folders), mostFolders)] {
		if folder == filepath.Clean(tools) {
			continue
		}
		for _, extension := range toolExtensions {
			file := filepath.Join(folder, name+extension)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				if folder == "." {
					return "." + string(filepath.Separator) + file
				}
				return file
			}
		}
	}
	return ""
}
