package main

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
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
		RunE: func(*cobra.Command, []string) error {
			h, err := f.open(runtime.Observer{})
			if err != nil {
				return err
			}
			defer h.close()
			ctx, stop := e.interrupted()
			defer stop()
			fmt.Fprintf(e.stdout, "scriptrun %s, %s/%s\n", version(), goruntime.GOOS, goruntime.GOARCH)
			failed := false
			for _, probe := range probes {
				says, err := probe.try(ctx, h)
				word := "ok"
				switch {
				case err != nil:
					word, says, failed = "FAILED", err.Error(), true
				case probe.absent:
					word = "absent"
				}
				fmt.Fprintf(e.stdout, "%-7s %-12s %s\n", word, probe.name, says)
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

// probe tries one promise. One that is absent has nothing to try, and says so.
type probe struct {
	name   string
	absent bool
	try    func(context.Context, *host) (string, error)
}

var probes = []probe{
	{"scripts", false, func(ctx context.Context, h *host) (string, error) {
		return "a script runs in process and returns its value", expect(ctx, h, "return 1", runtime.OutcomeOK)
	}},
	{"deadline", false, func(ctx context.Context, h *host) (string, error) {
		return "an endless loop is stopped at its deadline", expect(ctx, h, "for (;;) {}", runtime.OutcomeTimeout)
	}},
	{"stack", false, func(ctx context.Context, h *host) (string, error) {
		return "endless recursion is stopped", expect(ctx, h, "const f = () => f(); f()", runtime.OutcomeLimit)
	}},
	{"files", false, func(ctx context.Context, h *host) (string, error) {
		return "file tools stay below the workspace", expect(ctx, h, "await ctx.ls('.')", runtime.OutcomeOK)
	}},
	{"shell", false, func(ctx context.Context, h *host) (string, error) {
		return "commands run with a cleared environment, and their processes end with the run",
			expect(ctx, h, "await ctx.bash('sleep 60 & sleep 60')", runtime.OutcomeTimeout)
	}},
	{"git", false, func(ctx context.Context, h *host) (string, error) {
		report, err := h.doctor(ctx, "return (await ctx.shell.run('command -v git')).stdout.trim() || 'not found; tools that call it will fail'", 0)
		return report.Text, err
	}},
	{"memory", true, func(context.Context, *host) (string, error) {
		return "watched for the whole process and by samples; one native call can exceed it", nil
	}},
	{"worker", true, func(context.Context, *host) (string, error) {
		return "scripts run inside this process; a script stuck in native code is abandoned, not killed", nil
	}},
	{"sandbox", true, func(context.Context, *host) (string, error) {
		return "commands are not confined by the operating system; allow only what you would type", nil
	}},
}

// expect runs a body that must end in a certain way.
func expect(ctx context.Context, h *host, body string, want runtime.Outcome) error {
	timeout := time.Duration(0)
	if want == runtime.OutcomeTimeout {
		timeout = 200 * time.Millisecond
	}
	report, err := h.doctor(ctx, body, timeout)
	if err == nil && (report.Outcome != want || report.Isolation.Abandoned || report.Isolation.UnsettledTools) {
		err = fmt.Errorf("expected %s: %s", want, report)
	}
	return err
}

// doctor runs a body of ours with the tools that the probes use.
func (h *host) doctor(ctx context.Context, body string, timeout time.Duration) (*runtime.Report, error) {
	program, err := h.runner.Compile(runtime.Source{Name: "doctor", Body: []byte(body), Form: runtime.FormBody})
	if err != nil {
		return &runtime.Report{}, err
	}
	return h.runner.Run(ctx, runtime.Request{
		Tool: "doctor", Program: program, Limits: runtime.Limits{Timeout: timeout},
		Allow: []hostapi.Rule{{Tool: "ls"}, {Tool: "bash"}},
	}), nil
}
