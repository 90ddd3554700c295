// Package toolchains finds what programs on a PATH need beside themselves: the
// standard library of a compiler, and the versions that a shim such as pyenv's
// or rustup's chooses from. A sandbox in which these can be read runs
// ordinary tools, and shows nothing else of a home folder.
//
//	for _, found := range toolchains.Find(os.Getenv("PATH"), os.Getenv("HOME"), writable) {
//		policy.Toolchains = append(policy.Toolchains, found.Read...)
//		maps.Copy(env, found.Env)
//	}
//
// It looks at names and starts nothing. PATH and HOME must be those of
// whoever decides what may be read, never those of a command, and nothing that
// commands may write decides.
package toolchains
