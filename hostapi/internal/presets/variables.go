package presets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// configured is how the operator configures a tool. It gets no other variables: one such
// as NODE_OPTIONS makes a tool run what it names.
type configured struct {
	plain []string // variables whose values name no file; * stands for anything
	paths []string // variables that name files and folders
	files []string // its configuration files, below a variable or else below HOME
}

// Everything that a tool needs to start as it does for the operator.
var (
	plainForAll = []string{"USER", "LOGNAME", "LANG", "LC_*", "TZ"}
	pathsForAll = []string{
		"TMPDIR", "PYENV_ROOT", "PYENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "VOLTA_HOME", "NVM_DIR", "NODENV_ROOT", "GOENV_ROOT",
	}
)

var configurations = map[string]configured{
	"go": {
		plain: []string{"GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE"},
		paths: []string{"HOME", "XDG_CONFIG_HOME", "GOENV"},
		files: []string{"$XDG_CONFIG_HOME/go/env", ".config/go/env"},
	},
	"npm": {
		plain: []string{"npm_config_registry", "npm_config_@*:registry"},
		paths: []string{"HOME", "npm_config_userconfig", "npm_config_globalconfig", "npm_config_prefix"},
		files: []string{".npmrc"},
	},
	"pip": {
		plain: []string{"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"},
		paths: []string{"HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "PIP_CONFIG_FILE"},
		files: []string{"$XDG_CONFIG_HOME/pip/pip.conf", ".config/pip/pip.conf", ".pip/pip.conf"},
	},
	"cargo": {
		plain: []string{"CARGO_REGISTRY_DEFAULT", "CARGO_REGISTRIES_*_INDEX", "CARGO_SOURCE_*_REGISTRY", "CARGO_SOURCE_*_REPLACE_WITH"},
		paths: []string{"HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"},
		files: []string{"$CARGO_HOME/config.toml", "$CARGO_HOME/config", ".cargo/config.toml", ".cargo/config"},
	},
}

// variables are the operator's variables that a tool gets. It is an error if commands can
// write the tool's configuration: they would choose the hosts.
func (m Machine) variables(preset string) (env []string, err error) {
	c := configurations[preset]
	values := map[string]string{} // of two entries of a name the last counts
	for _, entry := range m.Env {
		if name, value, ok := strings.Cut(entry, "="); ok {
			values[name] = value
		}
	}
	for name, value := range values {
		switch {
		case matches(c.paths, name):
			if !m.keptPaths(value) {
				return nil, &WritableError{What: name, Path: value}
			}
		case matches(pathsForAll, name) && m.keptPaths(value), matches(plainForAll, name), matches(c.plain, name):
		default:
			continue
		}
		env = append(env, name+"="+value)
	}
	for _, file := range c.files {
		variable, below, ok := strings.Cut(strings.TrimPrefix(file, "$"), "/")
		if !ok || !strings.HasPrefix(file, "$") {
			variable, below = "HOME", file
		}
		if dir := values[variable]; filepath.IsAbs(dir) {
			if path := filepath.Join(dir, below); !m.kept(path) {
				return nil, &WritableError{What: preset + "'s configuration", Path: path}
			}
		}
	}
	return env, nil
}

// WritableError is a configuration that commands may write.
type WritableError struct {
	// What is the variable or the configuration.
	What string
	// Path is where it leads.
	Path string
}

// Error implements error.
func (e *WritableError) Error() string {
	return fmt.Sprintf("%s is %s, where commands may write, and so choose the hosts; keep it elsewhere, or name the hosts on the list", e.What, e.Path)
}

// keptPaths reports whether commands can write nothing that a variable names. A word
// without a separator is not a path.
func (m Machine) keptPaths(value string) bool {
	return !slices.ContainsFunc(filepath.SplitList(value), func(path string) bool {
		return strings.ContainsRune(path, filepath.Separator) && !m.kept(path)
	})
}

// matches reports whether a variable is one of names. npm reads its own in either case.
func matches(names []string, name string) bool {
	return slices.ContainsFunc(names, func(pattern string) bool {
		given := name
		if strings.HasPrefix(pattern, "npm_config_") {
			given = strings.ToLower(name)
		}
		before, after, wild := strings.Cut(pattern, "*")
		if !wild {
			return given == pattern
		}
		return len(given) > len(before)+len(after) && strings.HasPrefix(given, before) && strings.HasSuffix(given, after)
	})
}
