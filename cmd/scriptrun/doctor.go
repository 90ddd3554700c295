package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/spf13/cobra"
)

func newDoctor(e env) *cobra.Command {
	var f hostFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can enforce, and what it cannot",
		Long: `Try on this machine what scriptrun promises, and say what it cannot promise.
The exit code is 1 if something that must work does not.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{})
			if err != nil {
				return err
			}
			defer h.close()
			h.shell.Default = "" // the probes test the machine, and an environment could change their results
			ctx, stop := e.interrupted()
			defer stop()
			page := e.page()
			page.heading(fmt.Sprintf("scriptrun %s, %s/%s", version(), goruntime.GOOS, goruntime.GOARCH))
			failed, starts := false, commandsStart(h)
			for _, probe := range probes {
				says, err := "", errNoCommands
				if starts || !probe.commands {
					says, err = probe.try(ctx, h)
				}
				word := "ok"
				if err != nil {
					word, says, failed = "FAILED", err.Error(), true
				}
				page.verdict(word, probe.name, says)
			}
			printMeasures(page, h.shell.Confinement())
			if starts {
				tryToolchains(ctx, page, h, f.workspaceDir())
			}
			printSettings(page, h.settings)
			for _, line := range idle(h.settings, h.runner.Registry()) {
				page.verdict("idle", "", line)
			}
			if failed {
				return exit(exitFailed)
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// probe tries one promise.
type probe struct {
	name     string
	try      func(context.Context, *host) (string, error)
	commands bool // it runs commands
}

// errNoCommands fails every promise about commands if none starts. The reason is
// printed once, for the sandbox.
var errNoCommands = errors.New("commands do not start; see sandbox below")

// commandsStart reports whether a sandbox could be made with these settings.
func commandsStart(h *host) bool {
	return !slices.ContainsFunc(h.shell.Confinement(), func(m hostapi.Measure) bool {
		return m.Name == "sandbox" && strings.HasPrefix(m.Gap, "commands do not start: ")
	})
}

var probes = []probe{
	{"scripts", func(ctx context.Context, h *host) (string, error) {
		return "a script runs and returns its value", expect(ctx, h, "return 1", runtime.OutcomeOK)
	}, false},
	{"deadline", func(ctx context.Context, h *host) (string, error) {
		return "an endless loop is stopped at its deadline", expect(ctx, h, "for (;;) {}", runtime.OutcomeTimeout)
	}, false},
	{"stack", func(ctx context.Context, h *host) (string, error) {
		return "endless recursion is stopped", expect(ctx, h, "const f = () => f(); f()", runtime.OutcomeLimit)
	}, false},
	{"files", func(ctx context.Context, h *host) (string, error) {
		return "file tools stay below the workspace", expect(ctx, h, "await ctx.ls('.')", runtime.OutcomeOK)
	}, false},
	{"shell", func(ctx context.Context, h *host) (string, error) {
		return "commands run with a cleared environment, and their processes end with the run",
			expect(ctx, h, "await ctx.bash('sleep 60 & sleep 60')", runtime.OutcomeTimeout)
	}, true},
	{"git", func(ctx context.Context, h *host) (string, error) {
		report := h.doctor(ctx, "return (await ctx.shell.run('command -v git')).stdout.trim() || 'not found; tools that call it will fail'", runtime.Limits{})
		return report.Text, nil
	}, true},
	{"memory", func(ctx context.Context, h *host) (string, error) {
		return "a script that takes too much memory is ended",
			expect(ctx, h, "const hoard = []; for (;;) hoard.push(new Uint8Array(1 << 24).fill(1))", runtime.OutcomeLimit)
	}, false},
	{"worker", func(ctx context.Context, h *host) (string, error) {
		report := h.doctor(ctx, "return 1", runtime.Limits{})
		if report.Isolation.Cell != "worker" {
			return "scripts run inside this process; one that is stuck is abandoned, not killed", nil
		}
		return "scripts run in a process of their own: " + strings.Join(report.Isolation.Confinement, "; "), nil
	}, false},
	{"sandbox", tryEscape, true},
}

// escapes are commands that a sandbox must stop, each with its effect if it succeeds.
// $OUTSIDE is a folder outside, with a key in it.
var escapes = []struct{ line, did string }{
	{`cat "$OUTSIDE/key" >/dev/null`, "read a file outside the workspace"},
	{`: >"$OUTSIDE/new"`, "made a file outside the workspace"},
	{`chmod 644 "$OUTSIDE/key"`, "changed the mode of a file outside the workspace"},
	{`kill -0 "$HOST"`, "could signal scriptrun"},
	{`cat "/proc/$HOST/environ" >/dev/null`, "read the environment of scriptrun"},
	{`[ -n "$BASH_VERSION" ] && exec 3<>"/dev/tcp/127.0.0.1/$PORT"`, reachedServer},
}

// reachedServer is no escape if commands have the machine's own network.
const reachedServer = "reached a server of this machine"

// tryEscape runs commands that a sandbox must stop.
func tryEscape(ctx context.Context, h *host) (string, error) {
	outside, err := os.MkdirTemp("", "scriptrun-doctor-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(outside) }()
	if err := os.WriteFile(filepath.Join(outside, "key"), []byte("key"), 0o600); err != nil {
		return "", err
	}
	server, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0") // the kernel accepts connections
	if err != nil {
		return "", err
	}
	defer func() { _ = server.Close() }()
	_, port, err := net.SplitHostPort(server.Addr().String())
	if err != nil {
		return "", err
	}
	script := &strings.Builder{}
	tried := 0
	for i, escape := range escapes {
		if escape.did == reachedServer && h.shell.Sandbox.Network == sandbox.NetworkFull {
			continue // it may
		}
		tried++
		fmt.Fprintf(script, "( %s ) 2>/dev/null && echo %d\n", escape.line, i)
	}
	body, err := json.Marshal(script.String() + "true")
	if err != nil {
		return "", err
	}
	report := h.doctor(ctx, fmt.Sprintf("return await ctx.bash(%s, {env: {OUTSIDE: %q, HOST: %q, PORT: %q}})", body, outside, strconv.Itoa(os.Getpid()), port), runtime.Limits{})
	if report.Outcome != runtime.OutcomeOK {
		return "", fmt.Errorf("commands do not start: %w", errors.New(report.Failure.Message))
	}
	var did []string
	for n := range strings.FieldsSeq(report.Text) {
		if i, err := strconv.Atoi(n); err == nil && i < len(escapes) {
			did = append(did, escapes[i].did)
		}
	}
	if len(did) > 0 {
		return "incomplete: a command " + strings.Join(did, ", ") + "; see below", nil
	}
	return fmt.Sprintf("%d ways out were tried, and all were refused", tried), nil
}

// verdict writes a row: how it stands, with what, and what there is to say of that.
func (p *page) verdict(word, name, says string) {
	ended := caution
	switch word {
	case "ok", "kept", "works", "found", "whole", "audit", "known", "none":
		ended = good
	case "FAILED", "NOT", "broken":
		ended = bad
	}
	row, widths, styles := []string{word, name, says}, []int{len("FAILED"), len("protected paths")}, []style{ended, strong}
	if name == "" && word != "" { // it is about all
		row, widths, styles = []string{word, says}, widths[:1], styles[:1]
	}
	_ = p.row(row, widths, styles...) // as any write to a terminal
}

// shortNames replace names of measures that say little by themselves.
var shortNames = map[string]string{"modes": "file modes", "processes seen": "/proc", "host's death": "if killed"}

// printMeasures shows what is enforced for commands, what is not, and what to do about
// it.
func printMeasures(p *page, measures []hostapi.Measure) {
	p.say("")
	p.heading("What the system enforces for commands:")
	for _, m := range measures {
		if name, ok := shortNames[m.Name]; ok {
			m.Name = name
		}
		switch {
		case m.Gap == "":
			p.verdict("kept", m.Name, m.By)
			continue
		case m.By == "":
			p.verdict("NOT", m.Name, m.Gap)
		default:
			p.verdict("PARTLY", m.Name, fmt.Sprintf("by %s; but %s", m.By, m.Gap))
		}
		if m.Fix != "" {
			p.verdict("", "", "to do: "+m.Fix)
		}
	}
}

// expect runs a body that must have a certain outcome.
func expect(ctx context.Context, h *host, body string, want runtime.Outcome) error {
	limits := runtime.Limits{MaxMemoryBytes: runtime.MinLimits().MaxMemoryBytes}
	if want == runtime.OutcomeTimeout {
		limits.Timeout = 200 * time.Millisecond
	}
	if report := h.doctor(ctx, body, limits); report.Outcome != want || report.Isolation.Abandoned {
		return fmt.Errorf("expected %s: %s", want, report)
	}
	return nil
}

// doctor runs our own code with the tools that the probes use. Without a timeout it has time on
// a machine that is busy.
func (h *host) doctor(ctx context.Context, body string, limits runtime.Limits) *runtime.Report {
	limits.Timeout = cmp.Or(limits.Timeout, 2*time.Minute)
	return h.runner.Run(ctx, runtime.Request{
		Tool: "doctor", Source: &runtime.Source{Name: "doctor", Body: []byte(body), FunctionBody: true}, Limits: limits,
		Allow: []hostapi.Rule{{Tool: "ls"}, {Tool: "bash"}},
	})
}
