// Package files is seven host tools on one directory: read, write, edit, ls,
// glob, grep and search.
//
//	workspace, err := files.Open(".")
//	if err != nil {
//		return err
//	}
//	defer workspace.Close()
//	runner, err := runtime.New(runtime.Options{Tools: workspace.Tools()})
//
// Paths are relative to the workspace; an absolute path is taken if it lies in
// it. Nothing outside can be named: everything is opened through an os.Root,
// which follows links only as long as they stay inside.
//
// In an allow-list, read(src/**) grants what lies there once links are
// followed. A call of glob, grep or search reads a whole folder, so that a
// pattern grants it only if it covers everything below: grep(src/**), and not
// grep(src/*.go).
//
// What reads is bounded: a file is read up to 16 MiB, a walk ends after
// 200,000 entries, and a result says what it left out. glob, grep and search
// pass over what version control ignores, and over folders that hold no
// sources, such as .git and node_modules; name such a folder to look into it.
// What is not a regular file is never opened.
//
// The one trap: a rule is checked against where a path leads when the call is
// decided. Whoever can change links of the workspace at that very moment can
// lead it elsewhere in the workspace, though never out of it.
package files
