// Package presets asks the tools of this machine which hosts they are told to
// fetch from.
//
//	machine := presets.Machine{Path: path, Env: os.Environ()}
//	found, err := machine.Find(ctx, "go")
//
// Nothing is known here of any registry: what a tool's own configuration says,
// and what it reports as its default, is all there is. A tool that names no host
// is an error which says so.
//
// Tools are run as the operator, in the root folder, where nobody else's
// configuration lies. What commands may write has no part in it: no program on
// PATH, no variable and no file of configuration that lies there.
//
// What a host refers to, such as the files behind an index, is not followed.
package presets
