// Package protect knows which files of a workspace run outside of it by themselves: git's
// configuration and hooks, the files that editors, agents and shells read when somebody
// opens a folder or works in it, and the files of scriptrun. Tools do not
// write them, unless the operator allows it.
//
// [Names] is the only table. [Paths] answers for a tool that writes one path:
//
//	if by, ok := paths.Match(workspace, filepath.Join(workspace, "sub/.vscode/tasks.json")); ok {
//		return fmt.Errorf("…: %s", by.Reason)
//	}
//
// A [Guard] is for commands, which write what they like. It finds the files of a
// workspace for the sandbox to make read-only. Those that appear while commands
// run it packs into a trash that commands do not see:
//
//	found, err := guard.Enter(ctx, protect.Folders{…}) // before a command starts
//	…                                          // found.Held are read-only, found.Pins stay where they are
//	for _, away := range found.Leave() { … }   // after it has ended
//
// The trap: a file that does not exist cannot be made read-only. Until the
// command has ended, such a file can run. And a
// repository is protected only once it is known: at the top of the workspace, around
// the folder of a command, and some levels below.
package protect
