package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

// evalName names the source in errors and call sites.
const evalName = "eval"

func newEval(e env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "eval SOURCE [key=value …]",
		Short: "Run code that has no file; it may call only what --allow grants",
		Long: `Run the body of an async function of ctx and inputs; return gives the value.
It may call only the host tools that --allow grants.
A SOURCE of - is read from stdin; key=value arguments are text.`,
		Example: "  scriptrun eval 'return await ctx.grep(\"func main\")' --allow grep",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("eval needs the source, such as 'return 1 + 1', or - for stdin")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			return f.session(e, evalName, purpose{tools: ruleTools(f.allow)}, func(s *session) *runtime.Report { return f.runSource(s, args[0], args[1:]) })
		},
	}
	f.add(cmd, "rule that grants a host tool, such as grep or 'bash(git log *)'; may be repeated",
		"how long the code may run (default 30s)")
	return cmd
}

func (f *runFlags) runSource(s *session, source string, args []string) *runtime.Report {
	refuse := func(err error) *runtime.Report { return s.refuse(evalName, evalName, err) }
	if source == "-" {
		if f.input == "-" {
			return refuse(errors.New("stdin can be the source or the inputs, not both"))
		}
		raw, err := s.read(func() ([]byte, error) { return readCapped(s.env.stdin) })
		if err != nil {
			return refuse(fmt.Errorf("stdin: %w", err))
		}
		source = string(raw)
	}
	rules, err := parseRules(f.allow)
	if err != nil {
		return refuse(err)
	}
	for _, rule := range rules {
		if err := s.host.runner.Registry().CheckRule(rule); err != nil {
			return refuse(fmt.Errorf("--allow %s: %w", rule, err))
		}
	}
	limits := runtime.Limits{Timeout: f.timeout}
	if err := f.checkTimeout(limits); err != nil {
		return refuse(err)
	}
	inputs, err := f.inputs(s, args, textArguments)
	if err != nil {
		return refuse(err)
	}
	s.began(evalName)
	return s.host.runner.Run(s.ctx, runtime.Request{
		Tool: evalName, Source: &runtime.Source{Name: evalName, Body: []byte(source), FunctionBody: true}, Inputs: inputs, Allow: rules, Limits: limits, MoreTime: "--timeout",
		Began: time.Now().Add(-s.host.waited),
	})
}

// textArguments reads key=value arguments as text.
func textArguments(args []string) (json.RawMessage, error) {
	return scripttools.ParseArguments(&scripttools.ScriptToolSpec{Name: evalName}, args)
}
