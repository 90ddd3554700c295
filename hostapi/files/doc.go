// Package files is the host tools on one directory: read, write, edit, ls, glob,
// grep, search, delete, move, json and yaml.
//
//	workspace, err := files.Open(".")
//	if err != nil {
//		return err
//	}
//	defer workspace.Close()
//	runner, err := runtime.New(runtime.Options{Tools: workspace.Tools()})
//
// Paths are relative to the workspace; an absolute path is taken if it lies in
// it. Links are followed as long as they stay inside; delete and move act on a
// link itself.
//
// In an allow-list, read(src/**) grants what lies there once links are
// followed. A call of glob, grep or search reads a whole folder, so that a
// pattern grants it only if it covers everything below: grep(src/**), and not
// grep(src/*.go).
//
// A path is resolved once, rules decide on what it resolved to, and that is
// opened through no link: by openat2 on Linux, folder by folder on other Unix
// systems, and elsewhere by comparing what was opened with what has the name. Where
// somebody puts a link there meanwhile, the call fails and says that the path
// changed. A folder that is itself moved while a call is at work in it takes the
// call's file along.
//
// A write is whole or not at all, also when the process is killed. A new file has
// no name before it is complete. One that replaces another keeps owner and group
// as far as the process may, mode, access list and user attributes, and not its other
// names (hard links), which keep the old content. It has a name in the folder
// .scriptrun-tmp between two system calls; what a kill leaves there is
// removed by the next write and by [Open]. Systems other than Linux, and file systems
// without O_TMPFILE, write in that folder from the start. What was written is not
// forced to disk: a power cut can take it.
//
// What reads is bounded: a file is read up to 16 MiB, a walk ends after
// 200,000 entries and goes 250 folders deep. A list holds whole entries, as many as are asked
// for and fit: where metadata.more is set, metadata.next is the cursor that goes on, a place
// among the names, so that files may come and go meanwhile.
//
// glob, grep and search pass over what version control ignores, and over folders
// that hold no sources, such as .git and node_modules; name such a folder, or its path at the
// beginning of a pattern, to look into it, or set no_ignore. They pass over the trash, and
// metadata.skipped counts the rest of what they passed over. What is not a regular file is
// never opened, nor what lies on a file system of the kernel's, such as /proc. Other mounts
// are a part of the workspace.
//
// What is deleted goes to .scriptrun-trash/ID/PATH, where PATH says where it was.
//
// The one trap: a hard link is a file like any other. Who can make one to a file
// elsewhere has that file in the workspace, for reading.
package files
