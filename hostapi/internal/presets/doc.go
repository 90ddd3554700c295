// Package presets asks the tools of this machine which hosts they fetch from.
//
//	machine := presets.Machine{Path: path, Env: os.Environ()}
//	found, err := machine.Find(ctx, "go")
//
// No registry is built in: only a tool's own configuration, and the default that it
// reports, count. A tool that names no host is an error.
//
// Tools run as the operator, in the root folder, where no other configuration lies.
// Programs, variables and configuration files that commands could write to are not used.
//
// Hosts that a host refers to, such as that of the files behind an index, are not found.
package presets
