package toolchains

import (
	"path/filepath"
	"slices"
)

// manager is a program that keeps versions of others, and puts a program on PATH that
// chooses one.
type manager struct {
	name string
	// below is its usual place in a home folder; empty for none.
	below string
	// onPath are its folders that may be on PATH, by which it is found elsewhere.
	onPath []string
	// beside is its folder beside the parent of a folder on PATH.
	beside string
	// marker is a path that proves that the folder is a manager's.
	marker string
	// parts are the paths that its programs read.
	parts []string
	// versions is its folder of versions, in which links are followed; empty for none.
	versions string
	// variable tells its programs its root; empty for none.
	variable string
}

// ofFamily is a manager modelled on rbenv.
func ofFamily(name, variable string) manager {
	return manager{
		name: name, below: "." + name, onPath: []string{"shims", "bin"}, marker: "libexec/" + name, variable: variable, versions: "versions",
		parts: []string{"bin", "completions", "libexec", "plugins", "shims", "version", "versions", name + ".d"},
	}
}

var managers = []manager{
	ofFamily("pyenv", "PYENV_ROOT"),
	ofFamily("rbenv", "RBENV_ROOT"),
	ofFamily("nodenv", "NODENV_ROOT"),
	ofFamily("goenv", "GOENV_ROOT"),
	{
		name: "rustup", below: ".rustup", beside: "rustup", marker: "toolchains", variable: "RUSTUP_HOME", versions: "toolchains",
		parts: []string{"settings.toml", "toolchains", "update-hashes"},
	},
	{name: "nvm", below: ".nvm", marker: "versions", variable: "NVM_DIR", parts: []string{"alias", "bash_completion", "nvm-exec", "nvm.sh", "versions"}},
	{name: "fnm", below: ".local/share/fnm", marker: "node-versions", variable: "FNM_DIR", parts: []string{"aliases", "node-versions"}},
	{
		name: "asdf", below: ".asdf", onPath: []string{"shims", "bin"}, marker: "installs", variable: "ASDF_DATA_DIR",
		parts: []string{"asdf.sh", "bin", "completions", "installs", "lib", "libexec", "plugins", "shims"},
	},
	{name: "mise", below: ".local/share/mise", onPath: []string{"shims"}, marker: "installs", variable: "MISE_DATA_DIR", parts: []string{"installs", "plugins", "shims"}},
	{name: "volta", below: ".volta", onPath: []string{"bin"}, marker: "tools/image", variable: "VOLTA_HOME", parts: []string{"bin", "tools"}},
	{name: "sdkman", below: ".sdkman", marker: "candidates", variable: "SDKMAN_DIR", parts: []string{"bin", "candidates", "src"}},
	{name: "uv", below: ".local/share/uv/python", marker: ".", variable: "UV_PYTHON_INSTALL_DIR", parts: []string{"."}},
	{name: "ghcup", below: ".ghcup", onPath: []string{"bin"}, marker: "ghc", parts: []string{"bin", "ghc"}},
	{name: "homebrew", onPath: []string{"bin"}, marker: "Cellar", parts: []string{"Cellar", "bin", "include", "lib", "libexec", "opt", "sbin", "share"}},
}

// managed are the places where a manager may be, the likeliest first.
func (l looker) managed(m manager, dirs []string, home string) (roots []string) {
	for _, dir := range dirs {
		if slices.Contains(m.onPath, filepath.Base(dir)) {
			roots = append(roots, filepath.Dir(dir))
		}
	}
	if m.below != "" && home != "" {
		roots = append(roots, filepath.Join(home, m.below))
	}
	if m.beside != "" { // as in images where /usr/local/cargo/bin is on PATH
		for _, dir := range dirs {
			if filepath.Base(dir) == "bin" && l.exists(filepath.Join(dir, m.name)) {
				roots = append(roots, filepath.Join(filepath.Dir(filepath.Dir(dir)), m.beside))
			}
		}
	}
	return roots
}

// at is the manager with this root, if there is one.
func (l looker) at(m manager, root string) (Toolchain, bool) {
	if !l.exists(filepath.Join(root, m.marker)) {
		return Toolchain{}, false
	}
	t := Toolchain{Name: m.name, Root: root, Read: l.existing(root, m.parts)}
	if m.versions != "" {
		t.Read = append(t.Read, l.targets(filepath.Join(root, m.versions))...)
	}
	if m.variable != "" {
		t.Env = map[string]string{m.variable: root}
	}
	return t, true
}
