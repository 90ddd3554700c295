package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
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
	cmd.Flags().StringArrayVar(&f.limits, "limit", nil, "another limit of the code, as in a tool file, such as maxToolCalls=100; may be repeated")
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
	if err := f.checkTimeout(runtime.Limits{Timeout: f.timeout}); err != nil {
		return refuse(err)
	}
	limits, err := parseLimits(f.limits)
	if err != nil {
		return refuse(err)
	}
	limits.Timeout = f.timeout
	inputs, err := f.inputs(s, args, textArguments)
	if err != nil {
		return refuse(err)
	}
	s.began(evalName)
	return s.host.runner.Run(s.ctx, runtime.Request{
		Tool: evalName, Source: &runtime.Source{Name: evalName, Body: []byte(source), FunctionBody: true}, Inputs: inputs, Allow: rules, Limits: limits, Raise: raiseOfEval,
		Began: time.Now().Add(-s.host.waited),
	})
}

// textArguments reads key=value arguments as text.
func textArguments(args []string) (json.RawMessage, error) {
	return scripttools.ParseArguments(&scripttools.ScriptToolSpec{Name: evalName}, args)
}

// evalLimits are the limits that --limit sets. --timeout has the time.
var evalLimits = map[string]func(*runtime.Limits, int64){
	hostapi.LimitToolCalls:   func(l *runtime.Limits, n int64) { l.MaxToolCalls = int(min(n, math.MaxInt32)) },
	hostapi.LimitResultBytes: func(l *runtime.Limits, n int64) { l.MaxResultBytes = n },
	"maxOutputBytes":         func(l *runtime.Limits, n int64) { l.MaxOutputBytes = n },
	"maxMemoryBytes":         func(l *runtime.Limits, n int64) { l.MaxMemoryBytes = n },
}

// parseLimits reads limits as --limit has them: maxToolCalls=100.
func parseLimits(texts []string) (limits runtime.Limits, err error) {
	for _, text := range texts {
		name, value, _ := strings.Cut(text, "=")
		set, ok := evalLimits[name]
		if !ok {
			names := slices.Sorted(maps.Keys(evalLimits))
			if name == "timeoutMs" {
				return limits, fmt.Errorf("--limit %s: the time is set by --timeout", text)
			}
			if near := spelling.Nearest(name, names); near != "" {
				return limits, fmt.Errorf("--limit %s: there is no limit %q; did you mean %s?", text, name, near)
			}
			return limits, fmt.Errorf("--limit %s: there is no limit %q; there are %s", text, name, strings.Join(names, ", "))
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n <= 0 {
			return limits, fmt.Errorf("--limit %s: expected %s=N, with a whole number above 0", text, name)
		}
		set(&limits, n)
		if err := limits.Check(); err != nil {
			return limits, fmt.Errorf("--limit %s: %w", text, err)
		}
	}
	return limits, nil
}

// raiseOfEval names the flag that raises a limit of eval.
func raiseOfEval(limit string) string {
	if limit == "timeoutMs" {
		return "--timeout"
	}
	return "--limit " + limit
}
