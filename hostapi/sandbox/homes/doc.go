// Package homes keeps a home folder for each workspace, which confined commands
// get as HOME in place of the user's own. A home
// holds the caches of compilers and package managers, and the name that its
// user commits with. It holds no credentials, because nothing puts any there.
//
//	folder := homes.Folder{Path: "/home/me/.cache/scriptrun/homes"}
//	home, err := folder.For("/home/me/project")    // made if it is missing
//	err = homes.Introduce(home, homes.IdentityOf("/home/me"))
//	all, err := folder.List()                       // with their sizes
//	err = folder.Remove("/home/me/project")
//
// A home is named by its path as commands see it. Outside, package sandbox renames it,
// so that no link that commands leave elsewhere leads there. The functions here find it
// under any name.
//
// Commands may put links into a home; the functions here stay inside it all the same.
// Confined commands must not write in the folder that holds the homes.
package homes
