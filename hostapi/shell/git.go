package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// Git is the host tool "git". It only reads a repository. It runs git without a
// shell, in the read-only sandbox unless the sandbox of Shell is off. Shell must be
// set; the two share a backend.
//
// In every profile git reads the repository's data, but neither its configuration
// nor the user's. So it runs nothing that they name, and reads nothing outside the
// repository because of them.
type Git struct {
	// Shell says where commands run and with what.
	Shell *Tool

	once  sync.Once
	inner *Tool
}

var (
	_ hostapi.Tool      = (*Git)(nil)
	_ hostapi.Describer = (*Git)(nil)
	_ hostapi.Checker   = (*Git)(nil)
	_ hostapi.Scoper    = (*Git)(nil)
	_ hostapi.Confiner  = (*Git)(nil)
)

// steady repeats as options what the configuration in git's folder leaves out.
var steady = []string{
	"--no-pager", "--no-optional-locks",
	"-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "gpg.program=false", "-c", "submodule.recurse=false",
}

// forPrograms makes git's output easy to parse.
var forPrograms = []string{"-c", "color.ui=false", "-c", "core.quotePath=false"}

// forcedOptions go before those of a call. They keep git out of submodules, which have
// their own configuration. --dense changes nothing for diff, but the diff that compares
// files without a repository does not know it, so git fails where it would switch to
// that by itself.
var forcedOptions = []struct {
	command string
	options []string
}{
	{"diff", []string{"--dense", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}},
	{"diff-tree", []string{"--no-ext-diff", "--no-textconv"}},
	{"log", []string{"--no-ext-diff", "--no-textconv"}},
	{"show", []string{"--no-ext-diff", "--no-textconv"}},
	{"status", []string{"--ignore-submodules=dirty"}},
}

// calm adds the forced options to a command of git.
func calm(words []string) []string {
	for _, f := range forcedOptions {
		if f.command == words[0] {
			options := f.options
			if slices.Contains(words, "--no-index") { // the rule spells it out
				options = slices.DeleteFunc(slices.Clone(options), func(option string) bool { return option == "--dense" })
			}
			return slices.Concat(words[:1], options, words[1:])
		}
	}
	return words
}

// Name implements [hostapi.Tool].
func (g *Git) Name() string { return "git" }

// Describe implements [hostapi.Describer].
func (g *Git) Describe() hostapi.Description {
	return hostapi.Description{
		Summary:  "Reads a git repository: " + strings.Join(programs.GitReads(), ", ") + ".",
		Effect:   hostapi.EffectRead,
		Data:     "of status [{status, path, from}], of log [{hash, author, email, date, subject, body}], of ls-files [path]",
		Metadata: "more; next: the cursor that goes on, of log, with the same limit or another; stdoutBytes, stderrBytes, droppedBytes; stdoutFile with all of it where it was too much; cwd",
		Subject:  "the command with its arguments, as words",
		Checked:  true,
		Aliases:  map[string]string{"max_count": "limit"},
		Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"args":{"type":"array","minItems":1,"items":{"type":"string"},"description":"the command and its arguments, such as log and -5"},
			"command":{"type":"string","minLength":1,"description":"a command alone, in place of args"},
			"limit":{"type":"integer","minimum":1,"description":"how many commits of log; if it is left out 10 of command log, with a note where there are more, and of args all that fit"},
			"target":{"type":"string","minLength":1,"description":"what command diff compares with, such as HEAD~1"},
			"cursor":{"type":"string","description":"metadata.next of the call of log that this one goes on after"},
			"cwd":{"type":"string","description":"directory to run in, relative to the workspace"},
			"timeoutMs":{"type":"integer","minimum":1,"description":"milliseconds after which it is ended"}}}`),
	}
}

type gitArguments struct {
	Args      []string `json:"args"`
	Command   string   `json:"command,omitempty"` // the form that A3S has
	Limit     int64    `json:"limit,omitempty"`
	Target    string   `json:"target,omitempty"`
	Cwd       string   `json:"cwd,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	TimeoutMs int64    `json:"timeoutMs,omitempty"`

	page gitPage
}

// Check implements [hostapi.Checker].
func (g *Git) Check(raw json.RawMessage) error {
	args, err := gitArgs(raw)
	if err != nil {
		return err
	}
	inside := func(string) bool { return true } // without a repository it fails later, and says why
	if where, _, err := g.tool().resolve(arguments{Cwd: args.Cwd}); err == nil {
		if repo, err := findGitRepo(where.Cwd()); err == nil {
			inside = func(name string) bool { return repo.holds(where.Cwd(), name) }
		}
	}
	return programs.ReadGit(args.Args, inside)
}

func gitArgs(raw json.RawMessage) (args gitArguments, err error) {
	if err := json.Unmarshal(raw, &args); err != nil {
		return args, err
	}
	if err := args.spellOut(); err != nil {
		return args, err
	}
	if slices.ContainsFunc(args.Args, func(arg string) bool { return strings.ContainsRune(arg, 0) }) {
		return args, errors.New("an argument holds a NUL byte; leave it out")
	}
	return args, nil
}

// spellOut makes args of a command that was given alone, and of the page that is asked for.
func (a *gitArguments) spellOut() error {
	switch {
	case (len(a.Args) == 0) == (a.Command == ""):
		return errors.New(`expected args, such as ["log", "-5"], or command, such as "status"`)
	case a.Target != "" && a.Command != "diff":
		return errors.New("target is for command diff; give others as args")
	case a.Command != "":
		a.Args = []string{a.Command}
	}
	if err := isCommand(a.Args[0]); err != nil {
		return err
	}
	if a.Target != "" {
		a.Args = append(a.Args, a.Target)
	}
	return a.turn()
}

// isCommand says of a word that is no command of git that reads what to write in its place.
func isCommand(word string) error {
	reads := programs.GitReads()
	words := strings.Fields(word)
	switch {
	case slices.Contains(reads, word):
		return nil
	case word == "git":
		return errors.New(`args begin with the command, such as ["log", "-5"]; leave out the word git`)
	case len(words) > 1 && slices.Contains(reads, words[0]):
		if list, err := json.Marshal(words); err == nil {
			return fmt.Errorf("%q is a command with its arguments; give them as args: %s", word, list)
		}
	}
	text := fmt.Sprintf("git %s is not a read-only command", word)
	if near := spelling.Nearest(word, reads); near != "" {
		return fmt.Errorf("%s; did you mean %s?", text, near)
	}
	return fmt.Errorf("%s; allowed: %s", text, strings.Join(reads, ", "))
}

func (g *Git) tool() *Tool {
	g.once.Do(func() {
		s := g.Shell
		g.inner = &Tool{
			Dir: s.Dir, Env: s.Env, Timeout: s.Timeout, Grace: s.Grace,
			SpillDir: s.SpillDir, Sandbox: s.Sandbox, Backend: s.Backend, opened: s.folder(),
		}
		if !s.Sandbox.off() {
			g.inner.Sandbox.Profile, g.inner.Sandbox.Network = ProfileReadOnly, sandbox.NetworkNone
			g.inner.Sandbox.Hosts, g.inner.Sandbox.Private = nil, nil
		}
		if g.inner.Backend == nil {
			g.inner.Backend = &s.local
		}
		g.inner.prepare = g.prepare
	})
	return g.inner
}

// prepare adds our options to a command of git, and makes a folder for it.
func (g *Git) prepare(command *Command) (remove func(), err error) {
	where := command.Context
	repo, err := findGitRepo(where.Cwd())
	if err != nil {
		return nil, err
	}
	args := command.Argv[1:]
	if err := programs.ReadGit(args, func(name string) bool { return repo.holds(where.Cwd(), name) }); err != nil {
		return nil, err
	}
	temp, err := g.inner.gitTemp(command)
	if err != nil {
		return nil, err
	}
	folder, err := newGitFolder(temp, repo)
	if err != nil {
		return nil, err
	}
	command.Argv, command.Context = slices.Concat([]string{"git"}, steady, forPrograms, calm(args)), folder.environment(where)
	return folder.remove, nil
}

// Confinement implements [hostapi.Confiner].
func (g *Git) Confinement() []hostapi.Measure { return g.tool().Confinement() }

// CheckPattern implements [hostapi.Scoper]: words as for bash, without git. The first is a
// command that reads, as no other is ever run.
func (g *Git) CheckPattern(pattern string) error {
	if err := g.Shell.CheckPattern("git " + pattern); err != nil {
		return err
	}
	words, reads := strings.Fields(pattern), programs.GitReads()
	if len(words) == 0 || strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "*") || slices.Contains(reads, words[0]) {
		return nil
	}
	text := fmt.Sprintf("%q is no command of git that only reads", words[0])
	if near := spelling.Nearest(words[0], reads); near != "" {
		return fmt.Errorf("%s; did you mean %s?", text, near)
	}
	return fmt.Errorf("%s; expected one of %s", text, strings.Join(reads, ", "))
}

// gitPlan is the plan of a git command, matched without its first word.
type gitPlan struct {
	inner hostapi.Plan
	args  gitArguments
}

// Subjects implements [hostapi.Plan].
func (p *gitPlan) Subjects() []hostapi.Subject {
	subjects := p.inner.Subjects()
	for i, subject := range subjects {
		subjects[i] = gitSubject{subject}
	}
	return subjects
}

// Plan implements [hostapi.Scoper].
func (g *Git) Plan(ctx context.Context, call hostapi.Call) (hostapi.Plan, error) {
	args, err := gitArgs(call.Args)
	if err != nil {
		return nil, err
	}
	call.Tool = "bash"
	if call.Args, err = json.Marshal(map[string]any{"argv": append([]string{"git"}, args.Args...)}); err != nil {
		return nil, err
	}
	plan, err := g.tool().Plan(ctx, call)
	if err != nil {
		return nil, err
	}
	return &gitPlan{plan, args}, nil
}

type gitSubject struct{ hostapi.Subject }

// Match implements [hostapi.Subject].
func (s gitSubject) Match(pattern string) bool { return s.Subject.Match("git " + pattern) }

// Invoke implements [hostapi.Tool].
func (g *Git) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	args, err := gitArgs(call.Args)
	if err != nil {
		return hostapi.Fail(err.Error()), nil
	}
	if plan, ok := call.Plan.(*gitPlan); ok {
		args = plan.args
	}
	if err := programs.ReadGit(args.Args, func(string) bool { return true }); err != nil {
		return hostapi.Fail(err.Error()), nil
	}
	words, read := machineFormat(args.Args)
	call.Plan, call.Scoped = nil, false // it was about the words as they were given
	call.Output = nil                   // this output is for programs
	inner := map[string]any{"argv": slices.Concat([]string{"git"}, words)}
	if args.Cwd != "" {
		inner["cwd"] = args.Cwd
	}
	if args.TimeoutMs > 0 {
		inner["timeoutMs"] = args.TimeoutMs
	}
	if call.Args, err = json.Marshal(inner); err != nil {
		return hostapi.Result{}, err
	}
	result, err := g.tool().Invoke(ctx, call)
	if err != nil || result.ExitCode != 0 || read == nil {
		result.Data = nil
		return result, err
	}
	output, err := gitOutput(result)
	if err != nil {
		return hostapi.Fail(err.Error()), nil
	}
	text, data := read(output)
	answer := hostapi.Succeed(text).WithData(data)
	answer.Metadata, answer.Bytes, answer.Truncated, answer.Spill = result.Metadata, result.Bytes, result.Truncated, result.Spill
	if commits, ok := data.([]commit); ok {
		return args.shown(answer, commits, call.MaxResultBytes), nil
	}
	return cutShort(answer, strings.Count(output, "\x00"), "name a smaller path, or ask for fewer", call.MaxResultBytes), nil
}
