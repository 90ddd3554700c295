package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/cases"
	"github.com/spf13/cobra"
)

// testFlags are those of test.
type testFlags struct {
	hostFlags
	record, asJSON, verbose bool
	only, junit             string
}

func newTest(e env) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [PATH|NAME …]",
		Short: "Run the cases of tool files, with recorded results and no host touched",
		Long: `Run the cases of tool files. The cases of tools/x.js are in tools/x.test.json: inputs,
the host calls that the script makes with their results, and the value that it returns.
A path is a tool file, its cases, or a directory of tools; a name is that of a tool in
the tools directory; without any, the whole tools directory is tested.

A replay touches no host: calls get their recorded results. One that was not recorded
fails the case, and so does a recorded one that is not made. The tool's allowed_tools and
the policy decide as in any run.

--record runs cases for real, and writes what they called and what came of it.
The exit code is 1 if a case fails, and 2 if none could run.`,
		Example:           "  scriptrun test\n  scriptrun test todo-report --case author -v",
		ValidArgsFunction: f.completeNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := e.interrupted()
			defer stop()
			return f.run(ctx, stop, e, args)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.record, "record", false, "run the cases for real, and write their calls, results and values")
	cmd.Flags().StringVar(&f.only, "case", "", "only cases whose name matches this regular expression")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the cases and the findings as one JSON document")
	cmd.Flags().StringVar(&f.junit, "junit", "", "write a report in JUnit's format to this file, too")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print each case, with what its script logs")
	return cmd
}

// run tests, prints and returns the exit code.
func (f *testFlags) run(ctx context.Context, stop context.CancelFunc, e env, args []string) error {
	only, err := regexp.Compile(f.only)
	if err != nil {
		return fmt.Errorf("--case: %w", err)
	}
	if len(args) == 0 {
		args = []string{f.toolsDir().Path}
	}
	p, live := purpose{look: f.looked(args), tells: true}, (*liveLine)(nil)
	if f.record {
		live = newLiveLine(e)
		p = purpose{tools: namedTools(f.looked(args), f.workspace), runs: true, approver: e.approver(live, stop)}
	}
	h, err := f.open(ctx, e, live.observer(), p)
	if err != nil {
		return err
	}
	defer h.close()
	t := &tests{host: h, live: live, approver: p.approver, flags: f, only: only, out: tested{Tools: []testedTool{}, Findings: []finding{}}}
	if !f.record {
		closed, err := t.standIns()
		if err != nil {
			return err
		}
		defer closed()
	}
	for _, arg := range args {
		t.find(ctx, arg)
	}
	began := time.Now()
	for i := range t.out.Tools {
		t.test(ctx, &t.out.Tools[i])
	}
	t.out.took = time.Since(began)
	live.stop()
	if err := t.out.print(e, f); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return exit(exitCancelled)
	case t.out.Passed+t.out.Failed+t.out.Recorded == 0:
		return exit(exitUsage)
	case t.out.Failed > 0 || t.out.broken() > 0:
		return exit(exitFailed)
	}
	return nil
}

// looked are the files and directories that arguments name.
func (f *testFlags) looked(args []string) []string {
	var all []string
	for _, arg := range args {
		switch {
		case strings.HasSuffix(arg, cases.Suffix):
			all = append(all, toolBeside(arg))
		case isFile(arg) || isFolder(arg):
			all = append(all, arg)
		default:
			all = append(all, f.toolsDir().Path)
		}
	}
	return all
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// namedTools are the host tools that tool files name.
func namedTools(paths []string, workspace string) (all []string) {
	for _, path := range paths {
		for _, header := range scripttools.Headers(scripttools.Dir{Path: path, Workspace: workspace}) {
			all = append(all, header.Tools...)
		}
	}
	return all
}

// toolExtensions are those that a tool file can have.
var toolExtensions = []string{".js", ".mjs", ".md", ".ts", ".mts"}

// toolBeside is the tool file that a file of cases is about; a .js file if there is none.
func toolBeside(path string) string {
	stem := strings.TrimSuffix(path, cases.Suffix)
	for _, extension := range toolExtensions {
		if _, err := os.Stat(stem + extension); err == nil {
			return stem + extension
		}
	}
	return stem + ".js"
}

// tests are the cases of one command.
type tests struct {
	host     *host
	live     *liveLine // nil unless cases are recorded at a terminal
	approver hostapi.Approver
	flags    *testFlags
	only     *regexp.Regexp
	tools    *hostapi.Registry // stand-ins; nil if cases are recorded
	out      tested
}

// standIns makes the tools of a replay. They know an empty folder, and not the workspace.
func (t *tests) standIns() (closed func(), err error) {
	dir, err := os.MkdirTemp("", "scriptrun-test-")
	if err != nil {
		return nil, err
	}
	protected := t.host.protectedOutside()
	workspace, err := files.OpenProtecting(dir, protected)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	commands, err := t.host.shellOf(dir, t.flags.environment, protected)
	if err != nil {
		return nil, errors.Join(err, workspace.Close(), os.RemoveAll(dir))
	}
	closed = func() { _ = errors.Join(commands.Close(), workspace.Close(), os.RemoveAll(dir)) } // nobody could read the error
	if t.tools, err = hostapi.NewRegistry(cases.StandIns(t.host.tools(workspace, commands)...)...); err != nil {
		closed()
		return nil, err
	}
	return closed, nil
}

// find adds the tools that an argument names.
func (t *tests) find(ctx context.Context, arg string) {
	f := t.flags
	switch {
	case strings.HasSuffix(arg, cases.Suffix):
		arg = toolBeside(arg)
	case isFolder(arg) || !isFile(arg) && arg == f.toolsDir().Path:
		t.findAll(ctx, arg)
		return
	}
	spec, err := f.spec(ctx, t.host, arg)
	if err != nil {
		t.out.Findings = append(t.out.Findings, findingsOf(err)...)
		return
	}
	t.add(spec, true)
}

// findAll adds the tools of a directory.
func (t *tests) findAll(ctx context.Context, path string) {
	catalog, err := scripttools.Reload(ctx, t.host.runner, t.flags.acceptableIn(t.host, path), nil)
	if err != nil && !t.host.knowsAll(err) {
		t.out.Findings = append(t.out.Findings, findingsOf(err)...)
	}
	known := map[string]bool{}
	for spec := range catalog.All() {
		known[cases.PathOf(filepath.FromSlash(spec.Path))] = true
		t.add(spec, false)
	}
	entries, _ := os.ReadDir(path) // loading has reported an error
	for _, entry := range entries {
		file := filepath.Join(path, entry.Name())
		if _, err := os.Stat(toolBeside(file)); !known[file] && strings.HasSuffix(file, cases.Suffix) && err != nil {
			t.out.Findings = append(t.out.Findings, noted("error", filepath.ToSlash(file), "there is no tool file beside it with its name"))
		}
	}
}

// add reads the cases of a tool. Where the tool was named, it must have some.
func (t *tests) add(spec *scripttools.ScriptToolSpec, named bool) {
	path := cases.PathOf(filepath.FromSlash(spec.Path))
	tool := testedTool{Name: spec.Name, Path: spec.Path, Cases: []testedCase{}, spec: spec, file: path}
	if slices.ContainsFunc(t.out.Tools, func(other testedTool) bool { return other.file == path }) {
		return
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if named {
			t.out.Findings = append(t.out.Findings, noted("error", filepath.ToSlash(path), fmt.Sprintf(
				`there is no such file, so %s has no cases; write {"cases": [{"name": "first", "inputs": {}}]} into it, and then scriptrun test %s --record`, spec.Name, spec.Name)))
			return
		}
	} else if tool.cases, err = cases.Load(path); err != nil {
		t.out.Findings = append(t.out.Findings, findingsOf(err)...)
		return
	}
	t.out.Tools = append(t.out.Tools, tool)
}

// test runs the cases of a tool, or records them.
func (t *tests) test(ctx context.Context, tool *testedTool) {
	if tool.cases == nil {
		return
	}
	for _, c := range tool.cases.Cases {
		if !t.only.MatchString(c.Name) || ctx.Err() != nil {
			continue
		}
		one := testedCase{Name: c.Name}
		var report *runtime.Report
		if t.flags.record {
			t.live.start(tool.Name)
			report = cases.Record(ctx, t.host.runner, tool.spec, c, scripttools.RunOptions{Approver: t.approver})
			t.recorded(&one, report)
		} else {
			verdict := cases.Replay(ctx, t.host.runner, t.tools, tool.spec, c)
			report, one.Failures, one.OK = verdict.Report, verdict.Failures, verdict.OK()
		}
		if ctx.Err() != nil && !one.OK {
			break // it was cut off
		}
		one.took, one.Millis, one.logs = report.Usage.Wall, float64(report.Usage.Wall.Microseconds())/1000, report.Logs
		tool.Cases = append(tool.Cases, one)
		switch {
		case t.flags.record && one.OK:
			t.out.Recorded++
			tool.changed = true
		case one.OK:
			t.out.Passed++
		default:
			t.out.Failed++
		}
	}
	if tool.changed {
		if err := tool.cases.Write(tool.file); err != nil {
			t.out.Findings = append(t.out.Findings, noted("error", filepath.ToSlash(tool.file), err.Error()))
		}
	}
}

// recorded says whether a run could be recorded.
func (t *tests) recorded(one *testedCase, report *runtime.Report) {
	one.OK = report.Outcome != runtime.OutcomeCancelled && report.Outcome != runtime.OutcomeCrashed
	one.calls, one.outcome = len(report.Calls), report.Outcome
	if !one.OK {
		one.Failures = []cases.Failure{{Kind: cases.KindOutcome, Message: report.String()}}
	}
}
