//go:build unix

package shell_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// hostile is a repository that names a program in every place where git may
// look for one. The program leaves a mark.
type hostile struct {
	dir, mark string
	env       []string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	around := t.TempDir()
	h := &hostile{dir: filepath.Join(around, "repo"), mark: filepath.Join(around, "mark")}
	h.env = append(os.Environ(), "HOME="+around, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	program := filepath.Join(around, "program")
	h.file(t, program, "#!/bin/sh\necho \"$0 $*\" >> "+h.mark+"\ncat\n")
	h.file(t, program+".quiet", "#!/bin/sh\necho \"$0 $*\" >> "+h.mark+"\n")
	h.file(t, filepath.Join(around, "secret"), "one 5ecret\n")
	if err := os.Mkdir(h.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h.git(t, h.dir, "init", "-q", "-b", "main")
	h.file(t, filepath.Join(h.dir, "a.txt"), "one\ntwo\n")
	h.file(t, filepath.Join(h.dir, "sub dir/b.txt"), "one\n")
	h.file(t, filepath.Join(h.dir, ".gitattributes"), "* filter=evil diff=evil merge=evil\n")
	h.git(t, h.dir, "add", ".")
	h.git(t, h.dir, "commit", "-q", "-m", "first")
	// A commit that says that it is signed.
	raw := h.git(t, h.dir, "cat-file", "commit", "HEAD")
	signed := strings.Replace(raw, "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n\nsigned ", 1)
	h.file(t, filepath.Join(around, "commit"), signed)
	h.git(t, h.dir, "reset", "-q", "--soft", strings.TrimSpace(h.git(t, h.dir, "hash-object", "-t", "commit", "-w", filepath.Join(around, "commit"))))
	h.git(t, h.dir, "tag", "-a", "v1", "-m", "v1")
	// A submodule with such a configuration of its own.
	inner := filepath.Join(h.dir, "inner")
	h.git(t, h.dir, "init", "-q", "-b", "main", "inner")
	h.file(t, filepath.Join(inner, "c.txt"), "one\n")
	h.file(t, filepath.Join(inner, ".gitattributes"), "* filter=evil diff=evil\n")
	h.git(t, inner, "add", ".")
	h.git(t, inner, "commit", "-q", "-m", "inner")
	h.file(t, filepath.Join(h.dir, ".gitmodules"), "[submodule \"inner\"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n")
	h.git(t, h.dir, "add", ".gitmodules", "inner")
	h.git(t, h.dir, "commit", "-q", "-m", "with a submodule")
	for _, dir := range []string{inner, h.dir} {
		h.plant(t, dir, program)
	}
	// What changed is looked at again, through the filters.
	h.file(t, filepath.Join(h.dir, "a.txt"), "one\nchanged\n")
	h.file(t, filepath.Join(inner, "c.txt"), "changed\n")
	h.clear(t)
	return h
}

// plant writes the configuration, attributes and hooks of a repository.
func (h *hostile) plant(t *testing.T, dir, program string) {
	t.Helper()
	text := strings.Builder{}
	set := func(section string, settings ...string) {
		fmt.Fprintf(&text, "[%s]\n", section)
		for _, s := range settings {
			fmt.Fprintf(&text, "\t%s = \"%s %s.%s\"\n", s, program, strings.NewReplacer(`"`, "", " ", ".").Replace(section), s)
		}
	}
	set("core", "fsmonitor", "pager", "editor", "sshCommand", "askPass", "gitProxy", "alternateRefsCommand")
	set("diff", "external", "tool")
	set(`diff "evil"`, "command", "textconv")
	set(`filter "evil"`, "clean", "smudge", "process")
	set(`merge "evil"`, "driver")
	set("pager", "log", "diff", "show", "status", "grep", "blame", "branch")
	fmt.Fprintf(&text, "[gpg]\n\tprogram = %s\n[gpg \"ssh\"]\n\tprogram = %s\n[gpg \"x509\"]\n\tprogram = %s\n", program, program, program) // no arguments
	set("sequence", "editor")
	set("interactive", "diffFilter")
	set("credential", "helper")
	set("uploadpack", "packObjectsHook")
	set(`remote "origin"`, "uploadpack", "receivepack", "vcs")
	set(`trailer "x"`, "command", "cmd")
	fmt.Fprintf(&text, "[remote \"origin\"]\n\turl = \"ext::%s.quiet %%S\"\n\tpromisor = true\n\tpartialclonefilter = blob:none\n", program)
	fmt.Fprintf(&text, "[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n[log]\n\tshowSignature = true\n[format]\n\tpretty = %%G?\n[pretty]\n\tx = %%G? %%GS\n")
	fmt.Fprintf(&text, "[branch \"main\"]\n\tremote = \"ext::%s.quiet\"\n\tremote = ext::%s.quiet\n\tmerge = refs/heads/main\n", program, program)
	fmt.Fprintf(&text, "[alias]\n\tx = \"!%s alias\"\n\tlog = \"!%s alias\"\n", program, program)
	fmt.Fprintf(&text, "[status]\n\tsubmoduleSummary = true\n[diff]\n\tsubmodule = diff\n\tignoreSubmodules = none\n[submodule]\n\trecurse = true\n[grep]\n\tfallbackToNoIndex = true\n")
	fmt.Fprintf(&text, "[include]\n\tpath = %s\n[core]\n\tattributesFile = %s\n\thooksPath = %s\n", h.dir+"/../more", h.dir+"/../attributes", h.dir+"/../hooks")
	config, err := os.OpenFile(filepath.Join(dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer config.Close()
	if _, err := config.WriteString(text.String()); err != nil {
		t.Fatal(err)
	}
	h.file(t, filepath.Join(h.dir, "../more"), "[core]\n\tfsmonitor = \""+program+" included\"\n[diff \"evil\"]\n\ttextconv = \""+program+" included\"\n")
	h.file(t, filepath.Join(h.dir, "../attributes"), "* filter=evil diff=evil\n")
	h.file(t, filepath.Join(dir, ".git/info/attributes"), "* filter=evil diff=evil\n")
	for _, hooks := range []string{filepath.Join(dir, ".git/hooks"), filepath.Join(h.dir, "../hooks")} {
		for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction", "query-watchman"} {
			h.file(t, filepath.Join(hooks, hook), "#!/bin/sh\necho hook "+hook+" >> "+h.mark+"\n")
		}
	}
}

func (h *hostile) file(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// git is git itself, with nothing taken out.
func (h *hostile) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "advice.addEmbeddedRepo=false"}, args...)...)
	cmd.Env = h.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// run is git itself, whatever comes of it.
func (h *hostile) run(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", h.dir}, args...)...)
	cmd.Env = h.env
	_ = cmd.Run()
}

func (h *hostile) clear(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(h.mark); err != nil {
		t.Fatal(err)
	}
}

// ran is what the programs of the repository left.
func (h *hostile) ran() string {
	text, _ := os.ReadFile(h.mark)
	return string(text)
}

// readings are calls of every command that the tool has.
var readings = [][]string{
	{"status"}, {"status", "-s"}, {"status", "-v", "-v"}, {"diff"}, {"diff", "HEAD"}, {"diff", "--stat", "--", "a.txt"}, {"diff", "HEAD~1", "HEAD"}, {"diff", "--cached"}, {"diff", "HEAD", "--", "inner"},
	{"log"}, {"log", "-p"}, {"log", "-1", "--format=%H %an"}, {"log", "-p", "-m", "--cc"}, {"log", "-L1,1:a.txt"}, {"log", "-G", "one"}, {"log", "--all", "--source"},
	{"show"}, {"show", "HEAD:a.txt"}, {"show", "v1"}, {"show", "--stat"}, {"blame", "a.txt"}, {"blame", "HEAD", "--", "a.txt"}, {"annotate", "a.txt"}, {"grep", "one"}, {"grep", "-n", "one", "HEAD"}, {"grep", "--untracked", "one"},
	{"cat-file", "-p", "HEAD"}, {"cat-file", "-t", "HEAD"}, {"describe", "--tags", "--always"}, {"describe", "--contains", "HEAD~1"}, {"diff-tree", "-p", "-r", "HEAD"}, {"ls-files"}, {"ls-files", "-m", "-d"}, {"ls-files", "-o", "--exclude-standard"},
	{"ls-tree", "-r", "HEAD"}, {"merge-base", "HEAD", "HEAD~1"}, {"name-rev", "HEAD"}, {"rev-list", "--all"}, {"rev-list", "--objects", "HEAD"}, {"rev-parse", "HEAD"}, {"rev-parse", "--show-toplevel"}, {"shortlog", "-sn", "HEAD"}, {"show-ref", "-d"},
}

func TestGitRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	// The traps work: git itself steps into them.
	for _, args := range [][]string{{"status"}, {"diff"}, {"log", "-p"}, {"blame", "a.txt"}, {"log", "--format=%G?", "-2"}, {"describe", "--dirty", "--always"}, {"x"}} {
		h.clear(t)
		h.run(t, args...)
		if h.ran() == "" {
			t.Errorf("git %q runs nothing here: the test tests nothing", args)
		}
	}
	h.clear(t)
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileWorkspace} {
		ask := h.asker(t, profile)
		for _, args := range readings {
			result, err := ask("", args...)
			if err != nil || result.ExitCode != 0 {
				t.Errorf("%s: git %q: exit %d, %s, %v", profile, args, result.ExitCode, result.Output, err)
			}
			if ran := h.ran(); ran != "" {
				t.Errorf("%s: git %q ran %s", profile, args, ran)
				h.clear(t)
			}
		}
		if result, err := ask("sub dir", "rev-parse", "--show-prefix"); err != nil || strings.TrimSpace(result.Output) != "sub dir/" {
			t.Errorf("%s: in a folder below: %+v %v", profile, result, err)
		}
	}
}

// asker calls the git tool of one host.
func (h *hostile) asker(t *testing.T, profile shell.Profile) func(cwd string, args ...string) (hostapi.Result, error) {
	t.Helper()
	bash := &shell.Tool{Dir: h.dir, Sandbox: shell.Sandbox{Profile: profile}, Env: []string{
		trace, "GIT_DIR=/nowhere", "GIT_EXTERNAL_DIFF=touch", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=alias.log", "GIT_CONFIG_VALUE_0=!false", "GIT_TRACE=" + h.mark, "GIT_WORK_TREE=/etc"}}
	t.Cleanup(func() { bash.Close() })
	return gitAsker(t, bash)
}

// gitAsker asks the tool git under a rule for all of it.
func gitAsker(t *testing.T, bash *shell.Tool) func(cwd string, args ...string) (hostapi.Result, error) {
	t.Helper()
	tool := &shell.Git{Shell: bash}
	registry, err := hostapi.NewRegistry(bash, tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "git"}}}, Quota: hostapi.Quota{MaxToolCalls: 1000}})
	t.Cleanup(func() { gate.Close(time.Second) })
	seq := 0
	return func(cwd string, args ...string) (hostapi.Result, error) {
		raw, err := json.Marshal(map[string]any{"args": args, "cwd": cwd})
		if err != nil {
			t.Fatal(err)
		}
		seq++
		return gate.Invoke(t.Context(), hostapi.Call{Seq: seq, Tool: "git", Args: raw})
	}
}

// Whatever options of the table are put together, nothing of the repository
// runs, nothing is written, and nothing outside is read.
func TestGitRunsNothingWithAnyOptions(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	ask := h.asker(t, shell.ProfileOff)
	before := tree(t, h.dir)
	random := rand.New(rand.NewPCG(1, 2))
	operands := []string{"HEAD", "HEAD~1", "a.txt", "inner", "--", "main", "v1", "HEAD:a.txt", "one", ".", "../secret", "/etc/passwd", "/dev/null", ":(top)a.txt", ":!a.txt", h.dir + "/a.txt", "sub dir/../a.txt", "x"}
	values := []string{"1", "x", "%H", "%G?", "%GS", "a.txt", "short", "diff", "log", "always", "touch x", ":a.txt", "1,1:a.txt", "@", "none", "-p", "--ext-diff", "/etc/passwd"}
	granted := 0
	for range 400 {
		var command string
		var args []string
		for args == nil {
			for _, row := range programs.Table() {
				if row.Programs[0] == "git" && len(row.Commands) > 0 && row.Covers == "" && random.IntN(16) == 0 {
					command = row.Commands[random.IntN(len(row.Commands))]
					args = []string{command}
					options := row.Options
					for _, s := range row.Spelled {
						options = append(options, s.Options...)
					}
					for range random.IntN(5) {
						option := "-p"
						if len(options) > 0 {
							option = options[random.IntN(len(options))]
						}
						switch value := values[random.IntN(len(values))]; random.IntN(4) {
						case 0:
							args = append(args, option+"="+value)
						case 1:
							args = append(args, option+value)
						case 2:
							args = append(args, option, value)
						default:
							args = append(args, option)
						}
					}
					break
				}
			}
		}
		for range random.IntN(4) {
			args = append(args, operands[random.IntN(len(operands))])
		}
		result, err := ask("", args...)
		if err == nil {
			granted++
		}
		if ran := h.ran(); ran != "" {
			t.Errorf("git %q ran %s", args, ran)
			h.clear(t)
		}
		if strings.Contains(result.Output, "5ecret") || strings.Contains(result.Output, "root:") {
			t.Errorf("git %q read outside: %.200s", args, result.Output)
		}
	}
	if after := tree(t, h.dir); after != before {
		t.Errorf("files changed:\n%s\nbecame\n%s", before, after)
	}
	if granted < 100 {
		t.Errorf("only %d of the lines were let through", granted)
	}
}

// tree is the names, sizes and times of all files.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			fmt.Fprintln(&all, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
