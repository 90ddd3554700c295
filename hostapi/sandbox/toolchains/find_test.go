package toolchains_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/toolchains"
)

// lay makes files below a folder; a name with " -> " is a link, one that ends
// in / a folder. All files can be run.
func lay(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		name, target, link := strings.Cut(name, " -> ")
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as installed
			t.Fatal(err)
		}
		var err error
		switch {
		case strings.HasSuffix(name, "/"):
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), path)
		default:
			err = os.WriteFile(path, nil, 0o755) //nolint:gosec // a program
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFindKnowsWhereVersionsAre: each manager and each program is found where it installs
// itself, and never a folder that holds more.
func TestFindKnowsWhereVersionsAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files []string
		path  string // relative to the root, separated by spaces
		read  string // what is found, in any order
		env   string
	}{
		{"nothing", []string{"home/.ssh/id", "bin/"}, "bin missing", "", ""},
		{
			"go in a folder of its own", []string{"sdk/go1.26/bin/go", "sdk/go1.26/pkg/tool/", "home/bin/go -> ROOT/sdk/go1.26/bin/go"},
			"home/bin", "sdk/go1.26", "",
		},
		{
			"node below ~/.local", []string{"home/.local/bin/node", "home/.local/lib/node_modules/npm/", "home/.local/share/keyrings/key"},
			"home/.local/bin", "home/.local/bin home/.local/lib/node_modules", "",
		},
		{
			"python with its library", []string{"py/bin/python3.13", "py/bin/python3 -> python3.13", "py/lib/python3.13/os.py", "py/lib/libpython3.13.so", "py/secret/x"},
			"py/bin", "py/bin py/lib/libpython3.13.so py/lib/python3.13", "",
		},
		{
			"a virtual environment and what it is made from",
			[]string{"venv/bin/python3 -> ROOT/py/bin/python3", "venv/pyvenv.cfg", "venv/lib/python3.13/", "py/bin/python3", "py/lib/python3.13/os.py"},
			"venv/bin", "venv/bin venv/lib venv/pyvenv.cfg py/bin py/lib/python3.13", "",
		},
		{
			"pyenv, with a version elsewhere",
			[]string{
				"home/.pyenv/libexec/pyenv", "home/.pyenv/shims/python3", "home/.pyenv/version", "home/.pyenv/versions/3.12/bin/python3",
				"home/.pyenv/versions/own -> ROOT/built", "built/bin/python3", "built/lib/", "built/key", "home/.pyenv/versions/bad -> ROOT/home/.ssh", "home/.ssh/id",
			},
			"home/.pyenv/shims", "home/.pyenv/libexec home/.pyenv/shims home/.pyenv/version home/.pyenv/versions built/bin built/lib", "PYENV_ROOT=home/.pyenv",
		},
		{
			"rustup in the home folder", []string{"home/.rustup/toolchains/stable/bin/cargo", "home/.rustup/settings.toml", "home/.cargo/bin/rustup", "home/.cargo/credentials.toml"},
			"home/.cargo/bin", "home/.rustup/toolchains home/.rustup/settings.toml", "RUSTUP_HOME=home/.rustup",
		},
		{
			"rustup as images have it", []string{"usr/rustup/toolchains/stable/", "usr/cargo/bin/rustup"},
			"usr/cargo/bin", "usr/rustup/toolchains", "RUSTUP_HOME=usr/rustup",
		},
		{
			"nvm", []string{"home/.nvm/versions/node/v20/bin/node", "home/.nvm/versions/node/v20/include/node/", "home/.nvm/nvm.sh"},
			"home/.nvm/versions/node/v20/bin", "home/.nvm/nvm.sh home/.nvm/versions home/.nvm/versions/node/v20/bin home/.nvm/versions/node/v20/include/node",
			"NVM_DIR=home/.nvm",
		},
		{"asdf", []string{"home/.asdf/installs/", "home/.asdf/shims/", "home/.asdf/.git/config"}, "home/.asdf/shims", "home/.asdf/installs home/.asdf/shims", "ASDF_DATA_DIR=home/.asdf"},
		{"mise", []string{"home/.local/share/mise/installs/"}, "", "home/.local/share/mise/installs", "MISE_DATA_DIR=home/.local/share/mise"},
		{"volta", []string{"home/.volta/tools/image/", "home/.volta/bin/node"}, "home/.volta/bin", "home/.volta/bin home/.volta/tools", "VOLTA_HOME=home/.volta"},
		{
			"SDKMAN", []string{"home/.sdkman/candidates/java/21/bin/java", "home/.sdkman/candidates/java/21/lib/modules", "home/.sdkman/candidates/java/current -> 21"},
			"home/.sdkman/candidates/java/current/bin",
			"home/.sdkman/candidates home/.sdkman/candidates/java/current home/.sdkman/candidates/java/21", "SDKMAN_DIR=home/.sdkman",
		},
		// What follows lies in w, which commands may write.
		{
			"a planted pyenv", []string{"w/venv/bin/", "w/venv/libexec/pyenv", "w/venv/versions/x -> ROOT/home/.local", "home/.local/bin/", "home/.local/share/keyrings/key"}, "w/venv/bin", "", "",
		},
		{"a planted rbenv", []string{"w/v/shims/", "w/v/libexec/rbenv", "w/v/versions/x -> ROOT/other", "other/bin/x", "other/lib/"}, "w/v/shims", "", ""},
		{"a planted nodenv", []string{"w/v/bin/", "w/v/libexec/nodenv", "w/v/versions/x -> ROOT/other", "other/bin/x", "other/lib/"}, "w/v/bin", "", ""},
		{"a planted goenv", []string{"w/v/bin/", "w/v/libexec/goenv", "w/v/versions/x -> ROOT/other", "other/bin/x", "other/lib/"}, "w/v/bin", "", ""},
		{"a planted rustup", []string{"w/c/bin/rustup", "w/rustup/toolchains/x -> ROOT/other", "other/bin/x", "other/lib/"}, "w/c/bin", "", ""},
		{"a planted asdf", []string{"w/v/shims/", "w/v/installs -> ROOT/other", "other/x"}, "w/v/shims", "", ""},
		{"a planted mise", []string{"w/v/shims/", "w/v/installs -> ROOT/other", "other/x"}, "w/v/shims", "", ""},
		{"a planted volta", []string{"w/v/bin/", "w/v/tools -> ROOT/other", "other/image/"}, "w/v/bin", "", ""},
		{"a planted ghcup", []string{"w/v/bin/", "w/v/ghc -> ROOT/other", "other/x"}, "w/v/bin", "", ""},
		{"a planted Homebrew", []string{"w/v/bin/", "w/v/Cellar/", "w/v/share -> ROOT/other", "other/x"}, "w/v/bin", "", ""},
		{"a planted java", []string{"w/j/bin/java -> ROOT/other/bin/java", "other/bin/java", "other/lib/modules"}, "w/j/bin", "", ""},
		{"a planted go", []string{"w/j/bin/go -> ROOT/other/bin/go", "other/bin/go", "other/pkg/tool/"}, "w/j/bin", "", ""},
		{
			"a link of the operator's that leads on through a planted one",
			[]string{"bin/java -> ROOT/w/java", "w/java -> ROOT/other/bin/java", "other/bin/java", "other/lib/modules", "jdk/bin/java", "jdk/lib/modules"}, "bin jdk/bin", "jdk", "",
		},
		{
			"a version of the operator's that leads on through a planted link",
			[]string{"home/.pyenv/libexec/pyenv", "home/.pyenv/versions/x -> ROOT/w/x", "w/x -> ROOT/other", "other/bin/x"}, "", "home/.pyenv/libexec home/.pyenv/versions", "PYENV_ROOT=home/.pyenv",
		},
		{"a folder on PATH by a planted link", []string{"w/bin -> ROOT/other/bin", "other/bin/go", "other/pkg/tool/"}, "w/bin", "", ""},
		{
			"managers in a home folder by planted links",
			[]string{
				"home/.nvm -> ROOT/w/nvm", "w/nvm/versions -> ROOT/other", "home/.local/share/fnm/node-versions -> ROOT/w/fnm", "w/fnm -> ROOT/other", "home/.sdkman/candidates -> ROOT/w/sdk", "w/sdk -> ROOT/other",
				"home/.local/share/uv/python -> ROOT/w/uv", "w/uv -> ROOT/other", "home/.rustup/toolchains/x -> ROOT/w/r", "w/r -> ROOT/other", "other/bin/x",
			},
			"", "home/.rustup/toolchains", "RUSTUP_HOME=home/.rustup",
		},
		{
			"an activated virtual environment, and what it is made from by PATH",
			[]string{"w/venv/bin/python3 -> ROOT/py/bin/python3", "w/venv/pyvenv.cfg", "py/bin/python3", "py/lib/python3.13/os.py"}, "w/venv/bin py/bin", "py/bin py/lib/python3.13", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			lay(t, root, c.files...)
			var path []string
			for dir := range strings.FieldsSeq(c.path) {
				path = append(path, filepath.Join(root, dir))
			}
			read, env := map[string]bool{}, map[string]string{}
			for _, found := range toolchains.Find("relative:"+strings.Join(path, ":"), filepath.Join(root, "home"), sandbox.NewPlaces(filepath.Join(root, "w"))) {
				for _, path := range found.Read {
					read[strings.TrimPrefix(path, root+"/")] = true
				}
				maps.Copy(env, found.Env)
			}
			want := strings.Fields(c.read)
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(read)); !slices.Equal(got, want) {
				t.Errorf("read %q, want %q", got, want)
			}
			name, value, _ := strings.Cut(c.env, "=")
			if got := strings.TrimPrefix(env[name], root+"/"); got != value || c.env == "" && len(env) > 0 {
				t.Errorf("%v, want %q", env, c.env)
			}
		})
	}
}
