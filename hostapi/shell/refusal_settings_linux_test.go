package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestAdviceKeepsWhatIsAllowed: who writes the setting as the line has it loses nothing
// that was allowed before, and writes something that can be read.
func TestAdviceKeepsWhatIsAllowed(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	many := make([]string, 30)
	for i := range many {
		many[i] = "." + strings.Repeat("x", i+1)
	}
	for _, c := range []struct {
		name, line, want string
		set              func(*shell.Sandbox)
	}{
		{"hosts", "curl -sSf http://b.test/", `network = ["a.test", "b.test"]`, func(s *shell.Sandbox) { s.Network, s.Hosts = sandbox.NetworkProxied, []string{"a.test"} }},
		{"several hosts", "curl -sSf http://b.test/; curl -sSf http://c.test/", `network = ["a.test", "b.test", "c.test"]`, func(s *shell.Sandbox) { s.Network, s.Hosts = sandbox.NetworkProxied, []string{"a.test"} }},
		{"a folder", "cat /var/lib/dpkg/status", `read = ["/opt", "/var/lib/dpkg"]`, func(s *shell.Sandbox) { s.Read = []string{"/opt"} }},
		{"a folder to write in", "echo 'mkdir: /srv/x/y: Read-only file system' >&2; exit 1", `write = ["/var/cache", "/srv/x"]`, func(s *shell.Sandbox) { s.Write = []string{"/var/cache"} }},
		{"a protected file", "echo x > .vscode/a", `unprotect = [".husky", ".vscode"]`, func(s *shell.Sandbox) { s.Protected.Except = []string{".husky"} }},
		{"protected files that came", "mkdir .zed .idea; echo x > .envrc; false", `refused .envrc, .idea, .zed, which came while a command ran: programs outside run what they name; they are packed in TRASH now, and tar -C / -xf FILE puts one back; allow it with [sandbox] unprotect = [".husky", ".envrc", ".idea", ".zed"]`, func(s *shell.Sandbox) { s.Protected.Except = []string{".husky"} }},
		{"a long list", "mkdir .zed; false", `allow it with ".zed" added to [sandbox] unprotect`, func(s *shell.Sandbox) { s.Protected.Except = many }},
		{"memory", `echo 'std::bad_alloc' >&2; exit 1`, `[sandbox.limits] memoryBytes = 4294967296`, func(s *shell.Sandbox) { s.Limits.MemoryBytes = 2 << 30 }},
		{"files", "kill -XFSZ $$", `[sandbox.limits] fileBytes = 137438953472`, func(*shell.Sandbox) {}},
		{"descriptors", `echo 'x: EMFILE' >&2; exit 1`, `[sandbox.limits] openFiles = 600`, func(s *shell.Sandbox) { s.Limits.OpenFiles = 300 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			command(t, tool.Dir, "git init -q . && mkdir .vscode")
			c.set(&tool.Sandbox)
			result, _ := run(t, tool, c.line)
			trash, _ := filepath.Glob(filepath.Join(tool.Sandbox.Protected.Trash, "*"))
			want := strings.ReplaceAll(c.want, "TRASH", strings.Join(trash, ""))
			if said := strings.Join(result.Notes, "\n"); len(result.Notes) != 1 || !strings.HasSuffix(said, want) {
				t.Errorf("%q, expected %q\n%s", result.Notes, want, result.Output)
			}
		})
	}
}

// TestAdviceToReadOpensNoHome: a file of a home is named by itself, and a folder that holds
// what is nobody's business is not named at all.
func TestAdviceToReadOpensNoHome(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for i, c := range []struct{ workspace, line, want string }{
		{"a/w", "cat TOP/a/home/.toolconfig", `read = ["TOP/a/home/.toolconfig"]`},
		{"a/w", "cat TOP/a/home/todo.txt", `read = ["TOP/a/home/todo.txt"]`},
		{"a/w", "ls TOP/a/home/notes", `read = ["TOP/a/home/notes"]`},
		{"a/w", "cat TOP/a/home/notes/f", `read = ["TOP/a/home/notes"]`},
		{"a/w", "cat TOP/a/home/.myapp/api_token", `read = ["TOP/a/home/.myapp/api_token"]`},
		{"a/w", "ls TOP/a/home", "TOP/a/home is too much to open: name what it needs of it with [sandbox] read"},
		{"a/w", "cat TOP/a/home/../../x", `read = ["TOP/x"]`},
		{"a/w", "ls ../../b", `read = ["TOP/b"]`},
		{"a/home/w", "cat ../.env", `read = ["TOP/a/home/.env"]`},
		{"a/w", "cat TOP/homes/other/x", "it belongs to the commands of another workspace"},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tool := newTool(t)
			tool.Dir, tool.Sandbox.Homes = filepath.Join(top, c.workspace), filepath.Join(top, "homes")
			for _, file := range []string{c.workspace + "/f", "a/home/.toolconfig", "a/home/.env", "a/home/notes/f", "a/home/.myapp/api_token", "x", "b/f", "homes/other/x"} {
				file = filepath.Join(top, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tool.Env = append(slices.Clone(tool.Env), "HOME="+filepath.Join(top, "a/home"))
			result, _ := run(t, tool, strings.ReplaceAll(c.line, "TOP", top))
			said, want := strings.Join(result.Notes, "\n"), strings.ReplaceAll(c.want, "TOP", top)
			if len(result.Notes) != 1 || !strings.HasSuffix(said, want) || !strings.Contains(c.want, "read = [") && strings.Contains(said, "allow it with") {
				t.Errorf("%s: %q, expected %q\n%s", c.line, said, want, result.Output)
			}
		})
	}
}
