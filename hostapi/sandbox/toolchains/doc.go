// Package toolchains finds the files that programs on a PATH need: the
// standard library of a compiler, and the versions that a shim such as pyenv's
// or rustup's chooses from. A sandbox that lets commands read these runs
// ordinary tools, and shows nothing else of a home folder.
//
//	for _, found := range toolchains.Find(os.Getenv("PATH"), os.Getenv("HOME"), writable) {
//		policy.Toolchains = append(policy.Toolchains, found.Read...)
//		maps.Copy(env, found.Env)
//	}
//
// It looks at names and starts nothing. PATH and HOME must come from
// whoever decides what may be read, never from a command, and paths that
// commands may write decide nothing.
package toolchains
