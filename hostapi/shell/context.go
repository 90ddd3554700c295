package shell

import (
	"maps"
	"slices"
)

// ExecContext is where a command runs and with what environment. It is an
// immutable value: each With method returns a new one, which is not trusted,
// whatever it was made from. The zero ExecContext has no name, the host's
// directory and no environment at all, and is not trusted.
type ExecContext struct {
	name, cwd string
	root      string            // the workspace; empty if it is not known
	trusted   bool              // it is the operator's alone
	env       map[string]string // never changed once it is here
	household *household        // what commands have beside the workspace; nil for nothing
	grants    *grants           // what a sandbox is opened for; nil for the host's own
}

// Name is the name of the environment that the context stands for; empty for
// none.
func (c ExecContext) Name() string { return c.name }

// Trusted reports whether the context is what the operator configured and
// nothing else. Only [Tool] makes such a context.
func (c ExecContext) Trusted() bool { return c.trusted }

// Cwd is the directory, absolute and with links followed once it is resolved.
func (c ExecContext) Cwd() string { return c.cwd }

// Env is the whole environment as NAME=value, sorted. It is the caller's.
func (c ExecContext) Env() []string {
	env := make([]string, 0, len(c.env))
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		env = append(env, name+"="+c.env[name])
	}
	return env
}

// Lookup returns one variable.
func (c ExecContext) Lookup(name string) (value string, ok bool) {
	value, ok = c.env[name]
	return value, ok
}

// WithName returns c under another name.
func (c ExecContext) WithName(name string) ExecContext {
	c.name, c.trusted = name, false
	return c
}

// WithCwd returns c with another directory.
func (c ExecContext) WithCwd(dir string) ExecContext {
	c.cwd, c.trusted = dir, false
	return c
}

// WithEnv returns c with one more variable, or another value for it.
func (c ExecContext) WithEnv(name, value string) ExecContext {
	env := make(map[string]string, len(c.env)+1)
	maps.Copy(env, c.env)
	env[name] = value
	c.env, c.trusted = env, false
	return c
}

// with is c under the settings of one command, trusted as before.
func (c ExecContext) with(given *settings) ExecContext {
	if given == nil {
		return c
	}
	env := make(map[string]string, len(c.env)+len(given.set))
	maps.Copy(env, c.env)
	for _, name := range given.unset {
		delete(env, name)
	}
	maps.Copy(env, given.set)
	c.env = env
	return c
}
