package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exit is the error of a command that has already printed everything.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run executes one command line and returns its exit code.
func run(e env) int {
	e = e.guarded()
	root := newRoot(e)
	err := root.ExecuteContext(context.Background())
	var code exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	}
	// All other errors are of usage: nothing ran.
	if slices.Contains(e.args, "--json") {
		_ = printJSON(e.stdout, runtime.Refuse("", "", err))
	} else {
		fmt.Fprintf(e.stderr, "scriptrun: %s\n", plain.Quote(err.Error()))
	}
	return exitUsage
}

func newRoot(e env) *cobra.Command {
	root := &cobra.Command{
		Use:   "scriptrun",
		Short: "Run JavaScript files as tools, within limits, with a receipt of every run",
		Long: `scriptrun runs JavaScript files as tools. A file says in its header which host
tools it may call; it can reach nothing else.

The value goes to stdout; logs, progress and errors go to stderr.

Exit codes:
` + exitCodeLines(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetArgs(e.args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w%s\nsee %s --help", err, nearestFlag(cmd, err), cmd.CommandPath())
	})
	root.PersistentFlags().Var(e.wanted, "color", "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(newRun(e), newEval(e), newList(e), newDescribe(e), newCheck(e), newTest(e), newNew(e), newTypes(e), newExplain(e), newDoctor(e), newServe(e), newConnect(e), newTrust(e), newCache(e))
	return root
}

// knownCommand refuses a first word that is no command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, command := range root.Commands() {
		names = append(names, command.Name())
	}
	if near := spelling.Nearest(args[0], names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean scriptrun %s?", args[0], near)
	}
	return fmt.Errorf("unknown command %q; the commands are %s", args[0], strings.Join(names, ", "))
}

// nearestFlag is which flag an unknown one was meant to be.
func nearestFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return "; did you mean --" + near + "?"
	}
	return ""
}

// complain prints an error after which nothing ran.
func complain(w io.Writer, err error) error {
	fmt.Fprintln(w, told(err))
	return exit(exitUsage)
}

// told renders an error for people. Problems of files begin with their places, and
// their further lines are indented already.
func told(err error) string {
	var load *scripttools.LoadError
	if errors.As(err, &load) {
		return err.Error()
	}
	return plain.Quote(err.Error())
}
