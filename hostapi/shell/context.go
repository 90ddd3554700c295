package shell

import (
	"maps"
	"slices"
)

// ExecContext is where a command runs and with what environment. It is an immutable
// value: each With method returns a new one, which is never trusted. The zero
// ExecContext has no name, the host's directory and an empty environment, and is not
// trusted.
type ExecContext struct {
	name, cwd string
	root      string            // the workspace; empty if it is not known
	trusted   bool              // all of it is the operator's
	env       map[string]string // never changed
	household *household        // nil for none
	grants    *grants           // nil for the host's own
}

// Name is the name of the environment; empty for none.
func (c ExecContext) Name() string { return c.name }

// Trusted reports whether only the operator configured the context. Only [Tool] makes
// such a context.
func (c ExecContext) Trusted() bool { return c.trusted }

// Cwd is the directory; absolute and with links followed if [Tool] made the context.
func (c ExecContext) Cwd() string { return c.cwd }

// Env is the whole environment as NAME=value, sorted. The caller may change the slice.
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

// with is c with the settings of one command, and as trusted as before.
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
