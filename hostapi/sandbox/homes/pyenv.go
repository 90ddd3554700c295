package homes

import "path/filepath"

// pyenvHooks is the folder of a home where pyenv finds what it runs besides.
const pyenvHooks = ".config/pyenv/hooks"

// noRehash is read by pyenv before it starts a program. After pip has installed something
// pyenv wants to make shims of what is new in its versions, and fails where it may not
// write them, though pip did not. Where they are read-only nothing is new.
const noRehash = `# The versions of pyenv are read-only here, so that there are no new shims to make.
pyenv-rehash() { :; }
export -f pyenv-rehash
`

// SkipRehash has pyenv make no shims after pip has installed something, for commands that
// cannot write them. It returns the value that PYENV_HOOK_PATH is to have for them.
func SkipRehash(home string) (hooks string, err error) {
	return filepath.Join(home, pyenvHooks), leave(home, pyenvHooks+"/exec/no-rehash.bash", []byte(noRehash))
}
