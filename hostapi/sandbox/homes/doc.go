// Package homes keeps home folders for workspaces: what commands that are
// confined to a workspace have as HOME, in place of the user's own. A home
// holds the caches of compilers and package managers, and the name that its
// user commits with; it holds no credentials, since nobody puts any there.
//
//	folder := homes.Folder{Path: "/home/me/.cache/scriptrun/homes"}
//	home, err := folder.For("/home/me/project")    // made if it is not there
//	err = homes.Introduce(home, homes.IdentityOf("/home/me"))
//	all, err := folder.List()                       // with their sizes
//	err = folder.Remove("/home/me/project")
//
// A home is known by the path that commands have for it. Outside, package sandbox gives
// it other names, so that nothing that commands leave elsewhere leads there: all that is
// here finds it whatever its name is now.
//
// Whoever may write in a home may have put links there: everything here stays
// inside it all the same. Nobody who is confined may write in the folder that
// homes lie in.
package homes
