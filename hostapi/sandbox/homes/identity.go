package homes

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// maxConfig bounds a git configuration, in bytes.
const maxConfig = 1 << 20

// identityKeys are the git settings that a home gets from its user: without them a
// commit fails, or has another author. None names a program, a file or a host.
var identityKeys = []string{"user.name", "user.email", "init.defaultbranch"}

// maxValue bounds the value of one key, in bytes.
const maxValue = 1 << 10

// Identity is the author that git puts on commits: the values of user.name, user.email
// and init.defaultbranch that are set.
type Identity map[string]string

// IdentityOf reads the identity from the git configuration of a user's home folder:
// .config/git/config, and .gitconfig, which wins. It does not read files that these
// include, and skips files that it cannot read.
func IdentityOf(userHome string) Identity {
	identity := Identity{}
	for _, name := range []string{".config/git/config", ".gitconfig"} {
		text, err := regular.Read(filepath.Join(userHome, name), maxConfig)
		if err != nil {
			continue
		}
		for key, value := range readGitConfig(string(text)) {
			if slices.Contains(identityKeys, key) && len(value) <= maxValue && !strings.ContainsAny(value, "\x00\n\r") {
				identity[key] = value
			}
		}
	}
	return identity
}

// Introduce writes an identity into a home, as .config/git/config. What a command sets
// with git config --global goes into .gitconfig, which wins and stays.
func Introduce(home string, identity Identity) error {
	return leave(home, ".config/git/config", identity.config())
}

// config is the identity as git reads it.
func (i Identity) config() []byte {
	var text bytes.Buffer
	text.WriteString("# Your name, taken from your own configuration of git. What a command\n# sets with git config --global is in ~/.gitconfig, and wins.\n")
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\b", `\b`)
	for _, key := range identityKeys {
		if value, ok := i[key]; ok {
			section, name, _ := strings.Cut(key, ".")
			fmt.Fprintf(&text, "[%s]\n\t%s = \"%s\"\n", section, name, quoted.Replace(value))
		}
	}
	return text.Bytes()
}
