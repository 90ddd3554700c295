package shell

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"mvdan.cc/sh/v3/syntax"
)

// Environment is a directory and variables for commands that the operator configured. Its
// name is required.
type Environment struct {
	// Name is how calls ask for it, unless it is trusted: [a-zA-Z0-9_-]{1,64}.
	Name string
	// Cwd is its directory, relative to the workspace and within it; empty is
	// the workspace itself.
	Cwd string
	// Env are its variables.
	Env map[string]string
	// Trusted lets variables through that carry credentials or change how programs
	// load, for calls that add nothing of their own. Trust only what the operator wrote.
	// A trusted environment must be [Tool.Default] to be used: a call that names another
	// one is refused with a *[TrustedEnvironmentError].
	Trusted bool
}

// UnknownEnvironmentError is a name that no environment has.
type UnknownEnvironmentError struct {
	Name string
	// Configured are the configured names, sorted.
	Configured []string
}

// Error implements error.
func (e *UnknownEnvironmentError) Error() string {
	switch nearest := spelling.Nearest(e.Name, e.Configured); {
	case len(e.Configured) == 0:
		return fmt.Sprintf("environment %q is not configured; this host has none, leave it out", e.Name)
	case nearest != "":
		return fmt.Sprintf("environment %q is not configured; did you mean %q?", e.Name, nearest)
	}
	return fmt.Sprintf("environment %q is not configured; there are %s", e.Name, strings.Join(e.Configured, ", "))
}

// TrustedEnvironmentError is a call that names a trusted environment other than the
// default. Nothing ran. Only the operator decides which commands run in it, by making it
// [Tool.Default].
type TrustedEnvironmentError struct{ Name string }

// Error implements error.
func (e *TrustedEnvironmentError) Error() string {
	return fmt.Sprintf("environment %q is trusted, and a script cannot choose it; leave it out, and let the operator make it the default, as --env %s does", e.Name, e.Name)
}

// environment finds a configured environment. The empty name is the default, or the zero
// Environment if there is none.
func (t *Tool) environment(name string) (Environment, error) {
	if name == "" {
		name = t.Default
	}
	if name == "" {
		return Environment{}, nil
	}
	var configured []string
	for _, e := range t.Environments {
		if e.Name == name {
			return e, nil
		}
		configured = append(configured, e.Name)
	}
	slices.Sort(configured)
	return Environment{}, &UnknownEnvironmentError{Name: name, Configured: configured}
}

// asked finds the environment that a call names. It refuses a trusted one that is not the
// default.
func (t *Tool) asked(name string) (Environment, error) {
	e, err := t.environment(name)
	if err == nil && e.Trusted && e.Name != t.Default {
		return Environment{}, &TrustedEnvironmentError{Name: e.Name}
	}
	return e, err
}

// Validate implements [hostapi.Validator]. It refuses environments that no command could
// run in, an unknown default, and a malformed sandbox.
func (t *Tool) Validate() error {
	if err := t.Sandbox.check(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, e := range t.Environments {
		if !hostapi.ValidName(e.Name) {
			return fmt.Errorf("environment %q: a name matches [a-zA-Z0-9_-]{1,64}", e.Name)
		}
		if seen[e.Name] {
			return fmt.Errorf("environment %q is configured twice", e.Name)
		}
		seen[e.Name] = true
		if err := t.validateCwd(e.Cwd); err != nil {
			return fmt.Errorf("environment %q: %w", e.Name, err)
		}
		for name, value := range e.Env {
			if !syntax.ValidName(name) || strings.ContainsRune(value, 0) {
				return fmt.Errorf("environment %q: env: %q cannot be set; a name is letters, digits and _, a value has no NUL", e.Name, name)
			}
		}
	}
	_, _ = t.folder().at(t.Dir) // from now on it is this one; a command says why it is none
	_, err := t.environment("")
	return err
}

func (t *Tool) validateCwd(cwd string) error {
	if cwd == "" {
		return nil
	}
	root, err := t.folder().at(t.Dir)
	if err != nil {
		return fmt.Errorf("the workspace: %w", err)
	}
	_, err = dirWithin(root, cwd)
	return err
}

// inherited reports whether a variable of the host process reaches commands.
func inherited(name string) bool {
	switch name {
	case "PATH", "HOME", "SHELL", "TMPDIR", "USER", "LANG", "TERM", "TZ":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// Variables that carry credentials or change how programs load. Names are
// compared in upper case.
var (
	withheldNames = []string{
		"TOKEN", "SECRET", "DATABASE_URL", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GPG_AGENT_INFO",
		"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_LOADABLES_PATH", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH",
		"NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PERL5OPT", "PERL5LIB", "PERL5DB",
		"RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GCONV_PATH", "GIT_EXEC_PATH",
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
	}
	withheldPrefixes = []string{
		"AWS_", "AZURE_", "GCP_", "GOOGLE_", "OPENAI_", "ANTHROPIC_", "HF_", "HUGGING", "GITHUB_",
		"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG",
	}
	withheldSuffixes = []string{"_TOKEN", "_SECRET", "_KEY", "_CREDENTIALS"}
)

// withheld reports whether only a trusted environment may pass a variable to commands.
func withheld(name string) bool {
	name = strings.ToUpper(name)
	starts := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	ends := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	return slices.Contains(withheldNames, name) ||
		slices.ContainsFunc(withheldPrefixes, starts) ||
		slices.ContainsFunc(withheldSuffixes, ends) ||
		strings.Contains(name, "PASSWORD") || strings.Contains(name, "PASSWD")
}

// layer is one source of variables.
type layer struct {
	env     map[string]string
	trusted bool // withheld variables pass, if the whole context is trusted
}

// merge lays each layer over those before it, and filters the result at the end: a
// withheld variable passes only from a trusted layer, and only if trusted says that the
// whole context is. dropped are the names that were set and do not pass, sorted.
func merge(layers []layer, trusted bool) (env map[string]string, dropped []string) {
	env = map[string]string{}
	from := map[string]bool{}
	for _, l := range layers {
		for name, value := range l.env {
			env[name], from[name] = value, l.trusted
		}
	}
	for name, value := range env {
		if !syntax.ValidName(name) || strings.ContainsRune(value, 0) || withheld(name) && !(trusted && from[name]) {
			delete(env, name)
			dropped = append(dropped, name)
		}
	}
	if path, ok := env["PATH"]; ok {
		env["PATH"] = absolutePath(path)
	}
	slices.Sort(dropped)
	return env, dropped
}

// absolutePath is PATH without relative entries, so that a name means the same program
// in every folder.
func absolutePath(path string) string {
	entries := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(entries, string(filepath.ListSeparator))
}

// hostLayer is what commands inherit of the host's own environment.
func hostLayer() layer {
	l := listLayer(os.Environ())
	maps.DeleteFunc(l.env, func(name, _ string) bool { return !inherited(name) })
	return l
}

// listLayer is a list of NAME=value; the last entry of a name counts.
func listLayer(list []string) layer {
	l := layer{env: map[string]string{}}
	for _, entry := range list {
		if name, value, ok := strings.Cut(entry, "="); ok {
			l.env[name] = value
		}
	}
	return l
}

// layer is the variables of an environment.
func (e Environment) layer() layer { return layer{env: maps.Clone(e.Env), trusted: e.Trusted} }
