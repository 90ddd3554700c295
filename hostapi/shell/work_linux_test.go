package shell_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// work is a small project and what somebody does in it.
type work struct {
	name  string
	needs string // programs, separated by spaces
	files map[string]string
	line  string
	want  string // the end of what it prints
}

var honestWork = []work{
	{
		"go without modules of others", "go",
		map[string]string{
			"go.mod": "module example.org/w\n\ngo 1.21\n", "w.go": "package main\n\nfunc main() { println(two()) }\n\nfunc two() int { return 2 }\n",
			"w_test.go": "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTwo(t *testing.T) {\n\tif err := os.WriteFile(t.TempDir()+\"/f\", nil, 0o600); err != nil || two() != 2 {\n\t\tt.Fatal(err)\n\t}\n}\n",
		},
		"go build -o w . && ./w 2>&1 && go vet . && go test . | cut -f1", "2\nok  \n",
	},
	{
		"go with a module that was fetched before", "go",
		map[string]string{
			"go.mod": "module example.org/w\n\ngo 1.21\n\nrequire example.org/m v1.0.0\n", "w.go": "package main\n\nimport \"example.org/m\"\n\nfunc main() { println(m.Three) }\n",
			"proxy/example.org/m/@v/v1.0.0.info": `{"Version":"v1.0.0"}`, "proxy/example.org/m/@v/v1.0.0.mod": "module example.org/m\n",
			"proxy/example.org/m/@v/v1.0.0.zip": zipped("example.org/m@v1.0.0/go.mod", "module example.org/m\n", "example.org/m@v1.0.0/m.go", "package m\n\nconst Three = 3\n"),
		},
		"GOPROXY=file://$PWD/proxy GOSUMDB=off go mod tidy && go build -o w . && ./w 2>&1", "3\n",
	},
	{"node", "node", map[string]string{"w.js": `require("fs").writeFileSync("f", "x"); console.log(require("child_process").execSync("cat f").toString(), require("os").tmpdir() != "")`}, "node w.js", "x true\n"},
	{
		"npm test", "node npm",
		map[string]string{
			"package.json": `{"name": "w", "version": "1.0.0", "scripts": {"test": "node --test"}}`,
			"w.test.js":    `require("node:test")("adds", () => require("assert").equal(1 + 1, 2))`,
		},
		"npm install --no-audit --no-fund >/dev/null && npm test 2>&1 | grep -c '^. pass 1$'", "1\n",
	},
	{
		"python's unittest", "python3",
		map[string]string{"test_w.py": "import tempfile, unittest\n\nclass Test(unittest.TestCase):\n    def test(self):\n        with tempfile.NamedTemporaryFile() as f:\n            self.assertTrue(f.name)\n"},
		"python3 -m unittest 2>&1 | tail -1", "OK\n",
	},
	{
		"pip", "python3 pip3",
		map[string]string{"w.py": `import zipfile
with zipfile.ZipFile("hello-1.0-py3-none-any.whl", "w") as w:
    d = "hello-1.0.dist-info/"
    w.writestr("hello.py", "def main():\n    print('hello')\n")
    w.writestr(d + "METADATA", "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n")
    w.writestr(d + "WHEEL", "Wheel-Version: 1.0\nGenerator: w\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    w.writestr(d + "entry_points.txt", "[console_scripts]\nhello = hello:main\n")
    w.writestr(d + "RECORD", "")
`},
		`python3 w.py && pip3 install -q --no-index --user ./hello*.whl 2>/dev/null && ~/.local/bin/hello && python3 -m pip uninstall -q -y hello && ! [ -e ~/.local/bin/hello ] &&
		 python3 -m venv v && v/bin/pip install -q --no-index ./hello*.whl && v/bin/hello && . v/bin/activate && pip uninstall -q -y hello && echo removed`, "hello\nhello\nremoved\n",
	},
	{
		"python's processes", "python3",
		map[string]string{"w.py": "import multiprocessing\n\ndef square(x):\n    return x * x\n\nif __name__ == '__main__':\n    with multiprocessing.get_context('fork').Pool(2) as pool:\n        print(sum(pool.map(square, range(4))))\n"},
		"python3 w.py", "14\n",
	},
	{"sqlite", "python3", nil, `python3 -c 'import sqlite3; d = sqlite3.connect("d.db"); d.execute("pragma journal_mode=wal"); d.execute("create table t(x)"); d.execute("insert into t values(7)"); d.commit(); print(d.execute("select x from t").fetchone()[0])'`, "7\n"},
	{
		"cargo", "cargo",
		map[string]string{
			"Cargo.toml": "[package]\nname = \"w\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() { println!(\"{}\", 40 + 2) }\n\n#[test]\nfn adds() { assert_eq!(1 + 1, 2) }\n",
		},
		"cargo build -q && target/debug/w && cargo test -q >/dev/null && echo tested", "42\ntested\n",
	},
	{"make with gcc", "make gcc", map[string]string{"Makefile": "w: w.c\n\tgcc -o w w.c\n", "w.c": "#include <stdio.h>\nint main(void) { puts(\"made\"); return 0; }\n"}, "make -s && ./w", "made\n"},
	{
		"git", "git", map[string]string{"f": "1\n"},
		`git init -q && git add . && git commit -qm one && echo 2 >> f && git stash -q && git stash pop -q && git commit -qam two &&
		 git checkout -q -b side HEAD~ && echo x > g && git add g && git commit -qm side && git rebase -q trunk && git worktree add -q ../tree-$$ trunk && cd ../tree-$$ && git status --porcelain && git log --format='%an %s %D' -1`,
		"Ada two HEAD -> trunk\n",
	},
	{"tar and zip", "tar zip unzip", map[string]string{"d/f": "packed\n"}, "tar czf t.tgz d && zip -qr z.zip d && rm -r d && tar xzf t.tgz && rm -r d && unzip -q z.zip && cat d/f", "packed\n"},
	{"mktemp and flock", "mktemp flock", nil, `t=$(mktemp -d) && flock "$t/lock" echo locked && rm -r "$t"`, "locked\n"},
	{"a job in the background", "sh", map[string]string{"w.sh": "sleep 60 &\njob=$!\nkill $job\nwait $job\necho ended $?\n"}, "sh w.sh", "ended 143\n"},
}

// longWork is done by root alone, if root runs the tests: it takes half a minute.
var longWork = []string{"go without modules of others", "pip"}

// afterRoot is set for tests that root ran before, as [asOrdinaryUser] does.
const afterRoot = "SHELL_TEST_AFTER_ROOT"

// leftToOther reports whether the other user of two tries a case: where root runs the tests, an
// ordinary user tries half of some tables, unless all are asked for.
func leftToOther(i int) bool {
	switch {
	case *everyWay:
		return false
	case os.Geteuid() == 0:
		return i%2 == 1
	}
	return i%2 == 0 && os.Getenv(afterRoot) != ""
}

// zipped is an archive of files: names and texts in turn.
func zipped(files ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for file := range slices.Chunk(files, 2) {
		if f, err := w.Create(file[0]); err == nil {
			_, _ = f.Write([]byte(file[1])) // a buffer takes it
		}
	}
	_ = w.Close()
	return b.String()
}

func (w work) lay(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range w.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lacks is a program that the work needs and that is not there.
func (w work) lacks() string {
	for name := range strings.FieldsSeq(w.needs) {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// newUser is a home folder such as a user has, with the toolchains of the one
// who runs the tests, a name for commits, and a token.
func newUser(t *testing.T) (home string) {
	t.Helper()
	theirs, home := os.Getenv("HOME"), t.TempDir()
	for _, name := range []string{".rustup", ".pyenv", ".nvm", ".asdf", ".volta", ".sdkman"} {
		if _, err := os.Stat(filepath.Join(theirs, name)); err != nil {
			continue
		}
		if err := os.Symlink(filepath.Join(theirs, name), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	config := "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = trunk\n[http]\n\textraheader = planted-token\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	return home
}

// TestHonestWork: ordinary tools do in the default sandbox what they do outside,
// the first time and without a setting. What this machine lacks is counted. By default
// what takes long is not done by an ordinary user after root.
func TestHonestWork(t *testing.T) { //nolint:paralleltest // HOME is of the process
	if !keeps(t, "files") {
		return
	}
	home := newUser(t)
	kept := homes.Folder{Path: filepath.Join(t.TempDir(), "homes")}
	t.Cleanup(func() {
		if err := kept.Clear(); err != nil {
			t.Error(err)
		}
	})
	tool := newTool(t)
	tool.Timeout, tool.Sandbox.Homes = 5*time.Minute, kept.Path
	before := listing(t, home)
	lacking := 0
	for i, w := range honestWork {
		if name := w.lacks(); name != "" {
			lacking++
			t.Logf("%s: not tried, this machine has no %s", w.name, name)
			continue
		}
		if slices.Contains(longWork, w.name) && os.Getenv(afterRoot) != "" && !*everyWay {
			continue
		}
		name := fmt.Sprint(i)
		w.lay(t, filepath.Join(tool.Dir, name))
		began := time.Now()
		got := output(t, tool, map[string]any{"command": w.line, "cwd": name}, false)
		t.Logf("%s: %v", w.name, time.Since(began).Round(time.Millisecond))
		if got.ExitCode == 0 && got.Stdout == w.want {
			continue
		}
		w.lay(t, filepath.Join(t.TempDir(), name))
		if text, ok := w.outside(t); !ok {
			lacking++
			t.Logf("%s: it does not work on this machine, outside either: %s", w.name, text)
			continue
		}
		t.Errorf("%s: exit code %d, printed %q and %q, want %q", w.name, got.ExitCode, got.Stdout, got.Stderr, w.want)
	}
	t.Logf("%d of %d tried; what the others need is not here", len(honestWork)-lacking, len(honestWork))
	if after := listing(t, home); !maps.Equal(before, after) {
		t.Errorf("the user's own home folder was %v and is %v", before, after)
	}
}

// outside does the work without a sandbox, as a user with the same name.
func (w work) outside(t *testing.T) (text string, ok bool) {
	t.Helper()
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	w.lay(t, work)
	user := filepath.Join(dir, "home")
	if err := os.CopyFS(user, os.DirFS(os.Getenv("HOME"))); err != nil { // its links lead to folders
		t.Logf("%v", err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", w.line) //nolint:gosec // a line of ours
	cmd.Dir, cmd.Env = work, append(os.Environ(), "HOME="+user)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil && strings.HasSuffix(string(out), w.want)
}

// listing is what lies at the top of a folder, with its size and time.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			found[entry.Name()] = fmt.Sprint(info.Size(), info.ModTime())
		}
	}
	return found
}

// TestHonestWorkOfAnOrdinaryUser does the same work as a user without rights,
// with the tools that the system has for everybody.
func TestHonestWorkOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestHonestWork")
}

// asOrdinaryUser runs a test of this package again, as a user without rights.
func asOrdinaryUser(t *testing.T, test string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return // the test itself was one
	}
	dir, err := os.MkdirTemp("", "ordinary-") // t.TempDir lies in a folder that nobody else may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, temp := filepath.Join(dir, "bin", "shell.test"), filepath.Join(dir, "tmp")
	for _, folder := range []string{filepath.Dir(binary), temp} { // the one may be read in the sandbox
		if err := os.Mkdir(folder, 0o755); err != nil { //nolint:gosec // another user is to enter
			t.Fatal(err)
		}
	}
	// Written by another process: a copy of a descriptor in a child of ours would keep it from being started.
	if out, err := exec.CommandContext(t.Context(), "install", "-m", "755", self, binary).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const nobody = 65534
	if err := errors.Join(os.Chown(dir, nobody, nobody), os.Chown(temp, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.v", "-test.run", "^"+test+"$", fmt.Sprintf("-plants.every=%t", *everyWay))
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + temp, afterRoot + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+test)) {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestUsersSecretsAreNotInTheHome: what the user keeps at home is not what a
// command finds there, in any profile but off.
func TestUsersSecretsAreNotInTheHome(t *testing.T) { //nolint:paralleltest // HOME is of the process
	if !keeps(t, "files") {
		return
	}
	home := newUser(t)
	for _, name := range []string{".npmrc", ".netrc", ".config/git/config", ".cargo/credentials.toml", ".config/pip/pip.conf"} {
		if err := os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte("planted-token"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, profile := range []shell.Profile{shell.ProfileReadOnly, shell.ProfileWorkspace} {
		for _, background := range []bool{false, true} {
			tool := newTool(t)
			tool.Sandbox.Profile, tool.Sandbox.Homes = profile, filepath.Join(t.TempDir(), "homes")
			args := map[string]any{"command": "grep -rs planted-token ~ " + home + "/.[a-z]*rc " + home + "/.git* " + home + "/.config " + home + "/.cargo; ls " + home + "/.git* 2>/dev/null; git config --get http.extraheader; npm config list 2>&1 | grep planted; echo x > ~/mine && cat ~/mine && git config user.name"}
			if got := output(t, tool, args, background); got.Stdout != "x\nAda\n" {
				t.Errorf("%s, background %t: %+v", profile, background, got)
			}
		}
	}
}

// TestHomeIsKept: what a command leaves at home is there for the next tool of
// the workspace, and for no other workspace; a command that may only read
// leaves nothing.
func TestHomeIsKept(t *testing.T) {
	t.Parallel()
	if !keeps(t, "files") {
		return
	}
	folder := filepath.Join(t.TempDir(), "homes")
	first, second, other, reader := newTool(t), newTool(t), newTool(t), newTool(t)
	for _, tool := range []*shell.Tool{first, second, other, reader} {
		tool.Sandbox.Homes = folder
	}
	second.Dir, reader.Dir = first.Dir, first.Dir
	reader.Sandbox.Profile = shell.ProfileReadOnly
	const look = "cat ~/mark 2>/dev/null || echo none"
	if _, got := run(t, first, "echo kept > ~/mark && echo $HOME"); !strings.HasPrefix(got.Stdout, folder+"/") {
		t.Errorf("%+v", got)
	}
	for name, c := range map[string]struct {
		tool *shell.Tool
		want string
	}{"the next tool": {second, "kept\n"}, "another workspace": {other, "none\n"}, "a reader": {reader, "none\n"}} {
		if _, got := run(t, c.tool, look); got.Stdout != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, got := run(t, reader, "echo x > ~/mark; mkdir -p ~/m && echo x > ~/m/x && chmod 500 ~/m; ls -d "+folder+"/*/home 2>/dev/null; cat ~/mark"); got.Stdout != "x\n" {
		t.Errorf("a reader: %+v", got)
	}
	// Somebody clears them while the tool lives.
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if _, got := run(t, first, "echo new > ~/mark && cat ~/mark"); got.Stdout != "new\n" {
		t.Errorf("after they were cleared: %+v", got)
	}
	// A call's own HOME wins, and a home in reach of commands is not kept.
	_, got, err := invoke(t.Context(), t, first, map[string]any{"command": "echo $HOME", "env": map[string]string{"HOME": "/nowhere"}}, 0)
	if err != nil || got.Stdout != "/nowhere\n" {
		t.Errorf("%+v, %v", got, err)
	}
	inside := newTool(t)
	inside.Sandbox.Homes = filepath.Join(inside.Dir, "homes")
	if _, got := run(t, inside, "echo $HOME"); strings.HasPrefix(got.Stdout, inside.Dir) || got.ExitCode != 0 {
		t.Errorf("in the workspace: %+v", got)
	}
	measures := inside.Confinement()
	if last := measures[len(measures)-1]; last.Name != "home" || !strings.Contains(last.Gap, "not kept") {
		t.Errorf("%+v", last)
	}
}
