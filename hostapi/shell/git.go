package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Git is the host tool "git": what reads a repository, and nothing else. It
// runs git without a shell, and in the sandbox for reading only unless that of
// Shell is off. Shell must be set; the two share a backend.
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

// reading are the commands of git that change nothing.
var reading = []string{
	"annotate", "blame", "cat-file", "describe", "diff", "diff-tree", "grep", "log", "ls-files", "ls-tree", "merge-base", "name-rev",
	"rev-list", "rev-parse", "shortlog", "show", "show-ref", "status",
}

// writing are options with which some of them write, run programs or leave the
// repository.
var writing = []string{
	"--output", "--ext-diff", "--textconv", "--no-index", "--open-files-in-pager", "--show-signature", "--filters", "--contents", "--untracked-cache",
}

// steady keeps the configuration of a repository from running programs.
var steady = []string{
	"--no-pager", "--no-optional-locks",
	"-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.hooksPath=/dev/null",
	"-c", "color.ui=false", "-c", "core.quotePath=false", "-c", "submodule.recurse=false",
}

// Name implements [hostapi.Tool].
func (g *Git) Name() string { return "git" }

// Describe implements [hostapi.Describer].
func (g *Git) Describe() hostapi.Description {
	return hostapi.Description{
		Summary: "Reads a git repository: " + strings.Join(reading, ", ") + ". status, log and ls-files have data.",
		Effect:  hostapi.EffectRead,
		Checked: true,
		Input: json.RawMessage(`{"type":"object","required":["args"],"additionalProperties":false,"properties":{
			"args":{"type":"array","minItems":1,"items":{"type":"string"}},"cwd":{"type":"string"},"timeoutMs":{"type":"integer","minimum":1}}}`),
	}
}

type gitArguments struct {
	Args      []string `json:"args"`
	Cwd       string   `json:"cwd,omitempty"`
	TimeoutMs int64    `json:"timeoutMs,omitempty"`
}

// Check implements [hostapi.Checker].
func (g *Git) Check(raw json.RawMessage) error {
	_, err := gitArgs(raw)
	return err
}

func gitArgs(raw json.RawMessage) (args gitArguments, err error) {
	if err := json.Unmarshal(raw, &args); err != nil {
		return args, err
	}
	if len(args.Args) == 0 || !slices.Contains(reading, args.Args[0]) {
		first := ""
		if len(args.Args) > 0 {
			first = args.Args[0]
		}
		return args, fmt.Errorf("git %s is not one that only reads; there are %s", first, strings.Join(reading, ", "))
	}
	for _, arg := range args.Args[1:] {
		name, _, _ := strings.Cut(arg, "=")
		if arg == "--" {
			break
		}
		for _, refused := range writing {
			// git takes the beginnings of options for the whole
			if len(name) > 3 && strings.HasPrefix(refused, name) || strings.HasPrefix(name, refused) {
				return args, fmt.Errorf("git %s %s: the option can write, run a program or leave the repository", args.Args[0], name)
			}
		}
		if args.Args[0] == "grep" && strings.HasPrefix(arg, "-O") {
			return args, errors.New("git grep -O runs a program")
		}
		if strings.ContainsRune(arg, 0) {
			return args, errors.New("an argument holds no NUL byte")
		}
	}
	return args, nil
}

func (g *Git) tool() *Tool {
	g.once.Do(func() {
		s := g.Shell
		g.inner = &Tool{
			Dir: s.Dir, Env: append(slices.Clone(s.Env), "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL="), Timeout: s.Timeout, Grace: s.Grace,
			SpillDir: s.SpillDir, Sandbox: s.Sandbox, Backend: s.Backend,
		}
		if !s.Sandbox.off() {
			g.inner.Sandbox.Profile, g.inner.Sandbox.Network = ProfileReadOnly, false
		}
		if g.inner.Backend == nil {
			g.inner.Backend = &s.local
		}
	})
	return g.inner
}

// Confinement implements [hostapi.Confiner].
func (g *Git) Confinement() []hostapi.Measure { return g.tool().Confinement() }

// CheckPattern implements [hostapi.Scoper]: words, as of bash, without git.
func (g *Git) CheckPattern(pattern string) error { return g.Shell.CheckPattern("git " + pattern) }

// gitPlan is a command of git, matched without its first word.
type gitPlan struct{ inner hostapi.Plan }

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
	return &gitPlan{plan}, nil
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
	words, read := machineFormat(args.Args)
	if slices.Contains([]string{"diff", "diff-tree", "log", "show"}, words[0]) { // what attributes name does not run
		words = slices.Concat(words[:1], []string{"--no-ext-diff", "--no-textconv"}, words[1:])
	}
	call.Plan = nil // it is of the words as they were given
	inner := map[string]any{"argv": slices.Concat([]string{"git"}, steady, words)}
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
	if err != nil || result.ExitCode != 0 || result.Truncated || read == nil {
		result.Data = nil
		return result, err
	}
	var streams struct {
		Stdout string `json:"stdout"`
	}
	if err := json.Unmarshal(result.Data, &streams); err != nil {
		return hostapi.Fail(err.Error()), nil
	}
	text, data := read(streams.Stdout)
	answer := hostapi.Succeed(text).WithData(data)
	answer.Metadata, answer.Bytes = result.Metadata, result.Bytes
	return answer, nil
}
