package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdviceOpensNoKnownSecret: wherever the home is, by whatever words, and also what a
// link of the workspace leads to.
func TestAdviceOpensNoKnownSecret(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, secret := range []string{".ssh/id_rsa", ".aws/credentials", ".kube/config", ".docker/config.json", ".local/share/keyrings/x", ".mozilla/x", ".npmrc"} {
		t.Run(secret, func(t *testing.T) {
			t.Parallel()
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tool, path := newTool(t), filepath.Join(top, "h", secret)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			command(t, tool.Dir, "ln -s "+path+" l")
			tool.Env = append(tool.Env, "HOME="+filepath.Join(top, "h"))
			for _, line := range []string{
				"echo \"cat: '@P': Permission denied\" >&2; exit 1", "echo \"cat: '@P': No such file or directory\" >&2; exit 1", "cat @P",
				"echo \"cat: 'l': Permission denied\" >&2; exit 1", "cat l", "ls -l @P/.", "echo \"touch: cannot touch '@P': Read-only file system\" >&2; exit 1",
				"echo \"mkdir: cannot create directory '@P': Permission denied\" >&2; exit 1", "echo x > @P", "echo x > @P.new", "echo failed @P >&2; exit 1 @P", "echo \"cp: cannot create regular file '@D/new': Permission denied\" >&2; exit 1",
			} {
				result, _ := run(t, tool, strings.NewReplacer("@P", path, "@D", filepath.Dir(path)).Replace(line))
				said := strings.Join(result.Notes, "\n")
				if secret == ".npmrc" && (strings.Contains(line, "new") || strings.Contains(line, "@D/")) {
					continue // beside it there is no secret
				}
				if strings.Contains(said, "allow it with") {
					t.Errorf("%s: %q\n%s", line, said, result.Output)
				}
			}
		})
	}
}

// TestAdviceOpensNoKnownSecretOfAnOrdinaryUser tries the same as a user without rights.
func TestAdviceOpensNoKnownSecretOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestAdviceOpensNoKnownSecret")
}

// TestAdviceSaysWhatRunsOutside: wherever people or the system run something from.
func TestAdviceSaysWhatRunsOutside(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, path := range []string{
		"H/.config/autostart/x", "H/.config/systemd/user/x.service", "H/.config/git/config", "H/.config/scriptrun/config.toml", "H/.local/bin/x", "H/.vim/plugin/x",
		"H/.emacs.d/init.el", "H/../other/.git/hooks/pre-commit", "/var/spool/cron/crontabs/root", "/var/lib/dpkg/info/x", "/usr/share/x/y", "/opt/some/x",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tool := newTool(t)
			command(t, top, "mkdir -p h/.config/autostart h/.config/systemd/user h/.config/git h/.config/scriptrun h/.local/bin h/.vim/plugin h/.emacs.d other/.git/hooks")
			tool.Env = append(tool.Env, "HOME="+filepath.Join(top, "h"))
			at := strings.Replace(path, "H", filepath.Join(top, "h"), 1)
			result, _ := run(t, tool, "echo \"touch: cannot touch '"+at+"': Read-only file system\" >&2; echo \"touch: cannot touch '"+at+"': Permission denied\" >&2; exit 1")
			if said := strings.Join(result.Notes, "\n"); strings.Contains(said, "allow it with") && !strings.Contains(said, "what runs outside") {
				t.Errorf("%q\n%s", said, result.Output)
			}
		})
	}
}
