package homes

import "path/filepath"

// pyenvHooks is the folder of a home with hooks for pyenv.
const pyenvHooks = ".config/pyenv/hooks"

// noRehash is read by pyenv before it starts a program. After pip has installed
// something, pyenv makes shims for new programs in its versions. It fails where it may
// not write them, although pip succeeded. Read-only versions have no new programs.
const noRehash = `# The versions of pyenv are read-only here, so that there are no new shims to make.
pyenv-rehash() { :; }
export -f pyenv-rehash
`

// SkipRehash stops pyenv from making shims after pip has installed something, for
// commands that cannot write them. It returns the value of PYENV_HOOK_PATH for them.
func SkipRehash(home string) (hooks string, err error) {
	return filepath.Join(home, pyenvHooks), leave(home, pyenvHooks+"/exec/no-rehash.bash", []byte(noRehash))
}
