package shell_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestARefusalSaysThatItWasOne: a command that fails for the sandbox says so in
// one line, with the setting that allows it, as text, as data and as a note.
func TestARefusalSaysThatItWasOne(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, line, want string
		profile          shell.Profile
		network          sandbox.Network
	}{
		{"a protected file", "echo x >> .git/config", `probably refused writing .git/config (git runs the programs that its configuration and hooks name); allow it with [sandbox] unprotect = [".git/config"]`, "", ""},
		{"a protected file, by git", "git config a.b c", `probably refused writing .git/config (git runs the programs that its configuration and hooks name); allow it with [sandbox] unprotect = [".git/config"]`, "", ""},
		{"a hook", "echo x > .git/hooks/pre-commit", `allow it with [sandbox] unprotect = [".git/hooks"]`, "", ""},
		{"a repository", "mv .git g", `allow it with [sandbox] unprotect = [".git"]`, "", ""},
		{"an editor's file", "echo x > .vscode/a", `probably refused writing .vscode/a (VS Code and its kin run the tasks and programs that it names); allow it with [sandbox] unprotect = [".vscode"]`, "", ""},
		{"an editor's file that was not there", "mkdir .zed; false", `refused .zed, which came while a command ran: Zed runs the programs that it names; it is packed now, and tar -C / -xf /`, "", ""},
		{"the workspace, for a reader", "echo x > f", `probably refused writing; allow it with [sandbox] profile = "workspace"`, shell.ProfileReadOnly, ""},
		{"a system folder", "touch /usr/local/x", `probably refused writing /usr/local/x, which no setting should allow`, "", ""},
		{"a file of somebody else", "cat /var/lib/dpkg/status", `probably refused reading /var/lib/dpkg/status; allow it with [sandbox] read = ["/var/lib/dpkg"]`, "", ""},
		{"a temporary file of somebody else", "cat " + outside, "probably refused reading " + outside, "", ""},
		{"a socket in a file", "node -e 'require(\"net\").createServer().listen(\"s\")'", "probably refused a socket in a file, which no setting of the network allows", "", ""},
		{"a socket in a file, of Python", "printf 'import socket\nsocket.socket(socket.AF_UNIX)' > s.py; python3 s.py", "probably refused a socket in a file, which no setting of the network allows", "", sandbox.NetworkLoopback},
		{"a socket in a file, asked for by Node", "node -e 'require(\"net\").connect(\"/tmp/x.sock\")'", `allow it with [sandbox] profile = "off", and nothing less`, "", ""},
		{"a socket in a file, as docker says it", "echo 'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get \"http://%2Fvar%2Frun%2Fdocker.sock/v1.50/containers/json\": dial unix /var/run/docker.sock: socket: permission denied' >&2; exit 1", `allow it with [sandbox] profile = "off", and nothing less`, "", ""},
		{"a socket in a file, as psql says it", "echo 'psql: error: connection to server on socket \"/run/postgresql/.s.PGSQL.5432\" failed: could not create socket: Permission denied' >&2; exit 1", `probably refused a socket in a file`, "", ""},
		{"a socket in a file, as tmux says it", "echo 'error connecting to /tmp/tmux-0/default (Permission denied)' >&2; exit 1", `probably refused a socket in a file`, "", ""},
		{"a socket in a file, as ssh says it", "echo 'unix_listener: socket: Permission denied' >&2; exit 1", `probably refused a socket in a file`, "", ""},
		{"a manager of Python", "printf 'import multiprocessing\nif __name__ == \"__main__\": multiprocessing.Manager()' > m.py; python3 m.py", `probably refused a socket in a file`, "", ""},
		{"a manager of Python, beside servers", "printf 'import multiprocessing\nif __name__ == \"__main__\": multiprocessing.Manager()' > m.py; python3 m.py", `probably refused a socket in a file`, "", sandbox.NetworkLoopback},
		{"a socket in a file, of a line of Python", "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'", "probably refused a socket in a file", "", sandbox.NetworkLoopback},
		{"its own server", "curl -sS 127.0.0.1:8099", `probably refused the network (127.0.0.1:8099); allow it with [sandbox] network = "loopback" if a command serves it; if this machine does, with network = ["localhost:8099"] and private = ["localhost:8099"], asked for by that name`, "", ""},
		{"its own server, of Node", "node -e 'require(\"net\").connect(8099, \"127.0.0.1\")'", `probably refused the network (127.0.0.1:8099); allow it with [sandbox] network = "loopback" if a command serves it`, "", ""},
		{"its own server, of Python", "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 8099))'", `probably refused the network (127.0.0.1); allow it with [sandbox] network = "loopback" if a command serves it`, "", ""},
		{"a database of its own", "echo 'psql: error: connection to server at \"127.0.0.1\", port 5432 failed: Connection refused' >&2; exit 2", `(127.0.0.1:5432); allow it with [sandbox] network = "loopback"`, "", ""},
		{"a server of this machine", "curl -sS http://localhost:8099/", `probably refused the network (localhost:8099), if it is this machine that serves it; allow it with [sandbox] network = ["localhost:8099"] and private = ["localhost:8099"]; for a program that knows no proxy, as ssh, only network = "full"`, "", sandbox.NetworkLoopback},
		{"a name", "curl -sSf http://registry.example.com/ || exit 7", `the sandbox refused the network (registry.example.com:80); allow it with [sandbox] network = ["registry.example.com"]`, "", ""},
		{"a name of a secure site", "curl -sS https://registry.example.com/", `the sandbox refused the network (registry.example.com:443); allow it with [sandbox] network = ["registry.example.com"]`, "", ""},
		{"a name and a port, beside servers", "curl -sSf http://registry.example.com:8080/", `the sandbox refused the network (registry.example.com:8080); allow it with [sandbox] network = ["registry.example.com:8080"]`, "", sandbox.NetworkLoopback},
		{"a name, without the proxy", "python3 -c 'import socket; socket.getaddrinfo(\"Db.example.com\", 5432)'", `the sandbox refused the network (db.example.com); allow it with [sandbox] network = ["db.example.com"] if it can ask the proxy that HTTP_PROXY names, which it did not; for a program that knows no proxy, as ssh, only network = "full"`, "", ""},
		{"an address, without the proxy", "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'", `probably refused the network; allow it with [sandbox] network = ["the.host"]`, "", ""},
		{"a package of npm", "npm install left-pad@1.0.0", `probably refused the network; allow it with [sandbox] network = ["preset:npm"]`, "", ""},
		{"a module", "printf 'module x\\nrequire example.org/m v1.0.0\\n' > go.mod; echo 'package x\nimport _ \"example.org/m\"' > x.go; GOFLAGS=-mod=mod go build .", `probably refused the network; allow it with [sandbox] network = ["preset:go"]`, "", ""},
		{"a server", "python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0))'", `probably refused listening on a port; allow it with [sandbox] network = "loopback"`, "", ""},
		{"a server that only has its mistake", "printf 'import socketserver\nsocketserver.TCPServer((\"127.0.0.1\", 0), None)' > s.py; python3 s.py", `probably refused listening on a port; allow it with [sandbox] network = "loopback"`, "", ""},
		{"a server of Node", "node -e 'require(\"net\").createServer().listen(0, \"127.0.0.1\")'", `probably refused listening on a port; allow it with [sandbox] network = "loopback"`, "", ""},
		{"a protected file, said by a command", "echo 'x: .git/config: Read-only file system' >&2; exit 1", `probably refused writing .git/config`, "", ""},
		{"what a manager of versions says", "echo \"pyenv: cannot rehash: /usr/local/shims isn't writable\" >&2; exit 1", `probably refused writing /usr/local/shims, which no setting should allow`, "", ""},
		{"a signal, sent by a command", "kill -XFSZ $$", `probably refused a larger file`, "", ""},
		{"a file of a home", "echo 'cat: /home/someone/notes: Permission denied' >&2; exit 1", `read = ["/home/someone/notes"]`, "", ""},
		{"a mode", "touch f; chmod u+s f", `probably refused a mode that lets a program run as its owner`, "", ""},
		{"a namespace", "unshare -n true", `probably refused unshare`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			tool.Sandbox.Profile, tool.Sandbox.Network = c.profile, c.network
			command(t, tool.Dir, "git init -q . && mkdir .vscode")
			result, _ := run(t, tool, c.line)
			var data struct{ Refused []string }
			if err := json.Unmarshal(result.Data, &data); err != nil {
				t.Fatal(err)
			}
			if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], c.want) || !strings.HasPrefix(result.Notes[0], "the sandbox ") {
				t.Errorf("%q, expected %q\n%s", result.Notes, c.want, result.Output)
			}
			if len(data.Refused) != 1 || !strings.HasSuffix(result.Output, data.Refused[0]) || data.Refused[0] != result.Notes[0] {
				t.Errorf("%q, %s", data.Refused, result.Output)
			}
		})
	}
}

// TestWhatSucceededWithoutWhatItWasRefusedSaysSo: git goes on where it cannot write what
// is protected, and names files as seen from the top of the repository.
func TestWhatSucceededWithoutWhatItWasRefusedSaysSo(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	const config, tasks = `probably refused writing .git/config (git runs the programs that its configuration and hooks name); allow it with [sandbox] unprotect = [".git/config"]`,
		`probably refused writing .vscode/tasks.json (VS Code and its kin run the tasks and programs that it names); allow it with [sandbox] unprotect = [".vscode"]`
	template := t.TempDir()
	command(t, template, `git init -q -b trunk; git config user.name x; git config user.email x; mkdir -p sub/deep .vscode; echo 1 > sub/deep/f; echo 1 > .vscode/tasks.json; git add .; git commit -qm one
		git checkout -qb other; echo 2 > .vscode/tasks.json; git commit -qam two; git checkout -q trunk; git branch gone; git config branch.gone.description x
		git update-ref refs/remotes/origin/trunk trunk; git remote add origin x; git init -q lib; git -C lib -c user.name=x -c user.email=x commit -q --allow-empty -m x`)
	for _, c := range []struct{ name, workspace, cwd, line, want string }{
		{"a branch that follows another", "", "", "git branch --track t origin/trunk", config},
		{"a branch that follows another, from a folder", "", "sub/deep", "git branch --track t origin/trunk", config},
		{"a branch that is made and checked out", "", "sub", "git checkout -q -b t origin/trunk", config},
		{"a branch that is removed", "", "", "git branch -D gone", config},
		{"a submodule", "", "", "git submodule add ./lib lib", config},
		{"a checkout", "", "", "git checkout other", tasks},
		{"a checkout, from a folder", "", "sub/deep", "git checkout other", tasks},
		{"a checkout, in a line that goes on", "", "", "(cd sub && git checkout -q other); echo done", tasks},
		{"a failure, from a folder", "", "sub/deep", "git config a.b c", config},
		{"a line that goes on", "", "", "echo x > .git/config; true", config},
		{"a repository around the workspace", "sub", "", "git branch --track t origin/trunk", `/.git/config (git runs the programs that its configuration and hooks name); allow it with [sandbox] unprotect = [".git/config"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "w")
			command(t, "/", "cp -a "+template+" "+dir)
			tool := newTool(t)
			tool.Dir = filepath.Join(dir, c.workspace)
			result, got, err := invoke(t.Context(), t, tool, map[string]any{"command": c.line, "cwd": filepath.Join(tool.Dir, c.cwd)}, 0)
			if err != nil || len(result.Notes) != 1 || !strings.Contains(result.Notes[0], c.want) || (result.Outcome == hostapi.OutcomeOK) != (got.ExitCode == 0) {
				t.Errorf("%q, %v, expected %q\n%+v", result.Notes, err, c.want, got)
			}
		})
	}
}

// TestNobodyIsAdvisedToOpenSecrets: whatever a command writes, there is no setting
// in what is said of a place of secrets.
func TestNobodyIsAdvisedToOpenSecrets(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	tool := newTool(t)
	for _, path := range []string{
		home + "/.ssh/id_rsa", home + "/.ssh", home + "/.netrc", home + "/x/../.aws/credentials", home + "/.config/gh/hosts.yml", "/root/.ssh/id_rsa", "/home/somebody/.ssh/id_ed25519",
		"/home/somebody/.cargo/credentials.toml", "/etc/shadow", "/etc/sudoers.d/x", "/etc/ssl/private/k.pem",
	} {
		for _, words := range []string{"Permission denied", "Read-only file system", "No such file or directory"} {
			result, _ := run(t, tool, "echo 'bash: "+path+": "+words+"' >&2; exit 1")
			if said := strings.Join(result.Notes, ""); strings.Contains(said, "allow it with") || said != "" && !strings.Contains(said, "the sandbox probably refused") ||
				words == "Permission denied" && !strings.Contains(said, "which is hidden from commands") {
				t.Errorf("%s: %s: %q", path, words, said)
			}
		}
	}
}

// TestOrdinaryFailuresAreNotRefusals: what fails outside of a sandbox too is not
// blamed on it, whatever the words.
func TestOrdinaryFailuresAreNotRefusals(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for name, line := range map[string]string{
		"an exit code":                 "exit 3",
		"a file that is not there":     "cat nowhere/f",
		"a file of a mode":             `echo "cat: f: Permission denied" >&2; exit 1`,
		"a program of a mode":          "echo > s; ./s",
		"a program that is not there":  "no-such-program",
		"a system file, not there":     "cat /usr/share/no/such",
		"a temporary file, not there":  "cat /tmp/no/such",
		"no folder of any system":      "cat /no/such/folder",
		"a test that speaks of files":  `echo 'expected "EROFS: read-only file system", got nil' >&2; exit 1`,
		"a test that speaks of memory": `echo 'out of memory is handled' >&2; exit 1`,
		"an error of Python's":         `echo "FileNotFoundError: [Errno 2] ModuleNotFoundError" >&2; exit 1`,
		"an option of that name":       "grep foo --offline x",
		"a mode that is named so":      `echo "ls: connection: offline mode" >&2; exit 1`,
		"a success that speaks of it":  `echo 'cat: /var/lib/x: Permission denied' >&2`,
		"a success, of another file":   `echo 'error: f: Read-only file system' >&2`,
		"a success that prints it":     `echo 'error: .git/config: Read-only file system'`,
		"a success that reads it":      `echo 'error: .git/config: Permission denied' >&2`,
	} {
		tool := newTool(t)
		if result, got := run(t, tool, line); len(result.Notes) > 0 {
			t.Errorf("%s: %q\n%+v", name, result.Notes, got)
		}
	}
	off := newTool(t)
	off.Sandbox.Profile = shell.ProfileOff
	if result, _ := run(t, off, "cat /var/lib/no/such"); len(result.Notes) > 0 {
		t.Errorf("without a sandbox: %q", result.Notes)
	}
}

// TestWhatWasPutAwayIsSaid: also where the command succeeded, without a change of
// what it wrote.
func TestWhatWasPutAwayIsSaid(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	tool := newTool(t)
	result, got := run(t, tool, "mkdir .vscode; echo x > .vscode/tasks.json; echo done")
	if result.Outcome != hostapi.OutcomeOK || result.Output != "done\n" || got.Stdout != "done\n" || len(result.Notes) != 1 {
		t.Errorf("%+v", result)
	}
	_, line, _ := strings.Cut(result.Notes[0], "it is packed now, and ")
	line, _, _ = strings.Cut(line, " puts it back")
	command(t, "/", line)
	if text, err := os.ReadFile(filepath.Join(tool.Dir, ".vscode", "tasks.json")); err != nil || string(text) != "x\n" {
		t.Errorf("%s: %q, %v", line, text, err)
	}
}

// TestADeletionThatGitShowsIsSaidOnce: of a repository whose protected files went, in the one line
// about them.
func TestADeletionThatGitShowsIsSaidOnce(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	tool := newTool(t)
	result, _ := run(t, tool, "for p in p q; do git init -q $p; mkdir $p/.vscode; touch $p/.envrc $p/.vscode/x; git -C $p add .; done; touch .exrc")
	const want = "; git now shows files of these as deleted in p, q: do not commit that; allow it with"
	if len(result.Notes) != 1 || strings.Count(result.Notes[0], want) != 1 {
		t.Errorf("%q", result.Notes)
	}
}

// TestNoCommandReachesWhatWasPutAway: also one that began before, or that works in a folder around,
// and commits all there is; nor does one change what the tools for files deleted.
func TestNoCommandReachesWhatWasPutAway(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, place := range []string{"beside", "in a home that is the workspace"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			command(t, tool.Dir, "mkdir -p sub .scriptrun-trash; echo x > .scriptrun-trash/deleted; git init -q")
			if place != "beside" {
				tool.Env = append(tool.Env, "HOME="+tool.Dir)
				tool.Sandbox.Protected.Trash = filepath.Join(tool.Dir, ".local", "state", "scriptrun", "trash")
			}
			trash := tool.Sandbox.Protected.Trash
			below := newTool(t)
			below.Dir, below.Sandbox, below.Env = filepath.Join(tool.Dir, "sub"), tool.Sandbox, tool.Env
			line := "rm -rf .scriptrun-trash/* sub/.scriptrun-trash " + trash + "/*; echo evil > .scriptrun-trash/x; for i in " + trash + "/*/*; do echo evil > $i; done"
			command(t, tool.Dir, "mkfifo begun go")
			ended := make(chan error, 1)
			go func() {
				_, _, err := invoke(t.Context(), t, tool, map[string]any{"command": "echo > begun; read x < go; " + line}, 0)
				ended <- err
			}()
			if _, err := os.ReadFile(filepath.Join(tool.Dir, "begun")); err != nil {
				t.Fatal(err)
			}
			run(t, tool, "mkdir .vscode; git init -q .vscode; git -C .vscode config core.fsmonitor x")
			run(t, below, "echo mine > .envrc")
			if err := os.WriteFile(filepath.Join(tool.Dir, "go"), []byte("\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
			_, got := run(t, tool, line+"; git add -A; git ls-files | grep tar")
			packed, err := filepath.Glob(filepath.Join(trash, "*", "*.tar"))
			if err != nil || len(packed) != 2 || strings.Contains(got.Stdout, "tar") {
				t.Errorf("%q, %v, %+v", packed, err, got)
			}
			command(t, tool.Dir, "test $(ls -A .scriptrun-trash) = deleted")
			for _, file := range packed {
				command(t, "/", "tar -C / -xf "+file)
			}
			command(t, tool.Dir, "grep -q mine sub/.envrc; git config -f .vscode/.git/config core.fsmonitor")
		})
	}
}

// TestNoCommandReachesWhatWasPutAwayAsAnOrdinaryUser tries the same as a user without rights.
func TestNoCommandReachesWhatWasPutAwayAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestNoCommandReachesWhatWasPutAway")
}

// TestWhatIsKnownDoesNotHideTheRest: a command that was refused two things hears of both, and
// of one thing once.
func TestWhatIsKnownDoesNotHideTheRest(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for line, want := range map[string][]string{
		"mkdir .zed; touch /usr/local/x":                                                          {"refused .zed", "probably refused writing /usr/local/x"},
		"curl -sS http://a.example.com/; touch /usr/local/x":                                      {"refused the network (a.example.com:80)", "probably refused writing /usr/local/x"},
		"curl -sS http://a.example.com/; echo 'Could not resolve host: a.example.com' >&2; false": {"refused the network (a.example.com:80)"},
		"touch /usr/local/x; curl -sSf http://a.example.com/":                                     {"refused the network (a.example.com:80)", "probably refused writing /usr/local/x"},
	} {
		tool := newTool(t)
		result, _ := run(t, tool, line)
		if len(result.Notes) != len(want) {
			t.Errorf("%s: %q", line, result.Notes)
			continue
		}
		for i, part := range want {
			if !strings.Contains(result.Notes[i], part) {
				t.Errorf("%s: %q", line, result.Notes)
			}
		}
	}
}
