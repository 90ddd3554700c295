// Package protect knows what in a workspace runs outside of it by itself: git's
// configuration and hooks, what editors, agents and shells read when somebody
// opens a folder or stands in it, and the files of scriptrun. Tools do not
// write there, unless whoever operates them says so.
//
// [Names] is the one table. [Paths] answers for a tool that writes one path:
//
//	if by, ok := paths.Match(workspace, filepath.Join(workspace, "sub/.vscode/tasks.json")); ok {
//		return fmt.Errorf("…: %s", by.Reason)
//	}
//
// A [Guard] is for commands, which write what they like. It says what of a
// workspace is there, for the sandbox to make read-only, and what of it came
// while commands ran is packed into a trash that they do not see:
//
//	found, err := guard.Enter(ctx, protect.Folders{…}) // before a command starts
//	…                                          // found.Held are read-only, found.Pins stay where they are
//	for _, away := range found.Leave() { … }   // after it has ended
//
// The one trap: a file that does not exist cannot be made read-only. Until the
// command has ended what it made can be run by somebody who is quick. And a
// repository is protected where it is known: at the top of the workspace, around
// the folder of a command, and some levels below.
package protect
