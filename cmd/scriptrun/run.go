package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

// runFlags are those of run and eval.
type runFlags struct {
	hostFlags
	input   string
	json    bool
	timeout time.Duration
	given   func(flag string) bool
	allow   []string
	limits  []string // of eval
	watching
}

func (f *runFlags) add(cmd *cobra.Command, allow, timeout string) {
	f.hostFlags.add(cmd)
	f.given = cmd.Flags().Changed
	cmd.Flags().StringVar(&f.input, "input", "", "inputs as JSON, @file, or - for stdin")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as one JSON document")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 0, timeout)
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil, allow)
	cmd.Flags().BoolVar(&f.inProcess, "in-process", false, "run the script inside this process, for scripts that you wrote: nothing keeps it from ending the process")
}

func newRun(e env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE|NAME [key=value …]",
		Short: "Run a tool file, or a tool of the tools directory",
		Long: `Run a tool: a file (.js, .mjs, .ts, .mts, .md), or a name from the tools directory.

key=value arguments take their types from the tool's input_schema; repeat a key
to give a list its elements. a.b=value sets a part, key:=json a value as JSON,
key=@file what is in a file. Arguments come on top of --input. See what a tool takes
with scriptrun run NAME --help. --timeout and --allow can only narrow what the file
declares.`,
		Example: "  scriptrun run tools/todo-report.js path=src\n  scriptrun run todo-report --input '{\"path\":\"src\"}' --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("run needs a tool: a file such as tools/x.js, or a name from the tools directory; see scriptrun list")
			}
			return nil
		},
		ValidArgsFunction: f.completeArguments(),
		RunE: func(_ *cobra.Command, args []string) error {
			once := func(e env) error {
				return f.session(e, args[0], purpose{run: args[0]}, func(s *session) *runtime.Report { return f.runTool(s, args[0], args[1:]) })
			}
			if f.watch {
				return f.watched(e, args[0], once)
			}
			return once(e)
		},
	}
	f.add(cmd, "rule that narrows the file's allowed_tools; may be repeated",
		"shorten the time the file allows, such as 5s")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "run again each time the tool's files change, until Ctrl-C; with --json, a report a line")
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if tool, ok := f.header(args); ok {
			helpFor(e.page(), tool)
			return
		}
		help(cmd, args)
	})
	return cmd
}

// runTool loads a tool and runs it once.
func (f *runFlags) runTool(s *session, name string, args []string) *runtime.Report {
	path := ""
	if isFile(name) {
		path = name
	}
	refuse := func(err error) *runtime.Report { return s.refuse(name, path, err) }
	ctx, options := s.ctx, scripttools.RunOptions{Limits: runtime.Limits{Timeout: f.timeout}, LimitsFrom: "--timeout"}
	if err := f.checkTimeout(options.Limits); err != nil {
		return refuse(err)
	}
	began := time.Now()
	if f.timeout > 0 { // checking the file is part of the run
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.timeout)
		defer stop()
	}
	spec, err := f.spec(ctx, s.host, name)
	if err != nil {
		return refuse(err)
	}
	loading := time.Since(began)
	f.loaded(spec)
	name, path = spec.Name, spec.Path
	inputs, err := f.inputs(s, args, func(args []string) (json.RawMessage, error) {
		return scripttools.ParseArguments(spec, args)
	})
	if err != nil {
		return refuse(err)
	}
	if len(f.allow) > 0 {
		rules, err := parseRules(f.allow)
		if err != nil {
			return refuse(err)
		}
		options.Policies = []hostapi.Policy{hostapi.AllowList(rules)}
	}
	options.Began = time.Now().Add(-loading - s.host.waited) // reading the inputs is the caller's time
	s.began(spec.Name)
	return scripttools.RunSpec(s.ctx, s.host.runner, spec, inputs, options)
}

// checkTimeout refuses a time out of range. Limits take zero for no time given; here it
// was given.
func (f *runFlags) checkTimeout(limits runtime.Limits) error {
	if f.given("timeout") && f.timeout <= 0 {
		return fmt.Errorf("--timeout is %v; it must be positive", f.timeout)
	}
	if err := limits.Check(); err != nil {
		return fmt.Errorf("--timeout: %w", err)
	}
	return nil
}
