package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
	"github.com/spf13/cobra"
)

// The reasons why trust cannot be recorded.
var (
	errNoTrustFolder = errors.New("there is no folder to record trust in: set HOME, or XDG_STATE_HOME")
	errTrustInReach  = errors.New("trust would be recorded in the workspace, where tools write; run scriptrun in a folder further down, or set XDG_STATE_HOME to one outside")
)

// trustFlags are those of trust.
type trustFlags struct {
	workspace         string
	yes, revoke, list bool
}

func newTrust(e env) *cobra.Command {
	var f trustFlags
	cmd := &cobra.Command{
		Use:   "trust [FILE]",
		Short: "Let a project's settings, or a file of kind: mcp, give more than your own settings do",
		Long: `Show what a file wants beyond your own settings, and ask whether to trust it. FILE is
a project's scriptrun.toml, that of the workspace if none is named, or a tool
file of kind: mcp. Nothing is started.

The answer holds for this place and these bytes: a file that changes is asked
about again. Trust does not cover the contents of programs that the file names.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.list {
				if len(args) > 0 {
					return errors.New("--list takes no file")
				}
				return listTrusted(e)
			}
			path := filepath.Join(f.workspace, settings.ProjectFile)
			if len(args) > 0 {
				path = args[0]
			}
			if f.revoke {
				return revoke(e, path)
			}
			return f.trust(e, path)
		},
	}
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "whose scriptrun.toml is meant (default: the current directory)")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "trust what is shown without asking; for scripts that know the file")
	cmd.Flags().BoolVar(&f.revoke, "revoke", false, "trust the file no longer")
	cmd.Flags().BoolVar(&f.list, "list", false, "list the files that are trusted")
	cmd.MarkFlagsMutuallyExclusive("yes", "revoke", "list")
	return cmd
}

// trust shows what a file wants, asks, and records trust in the bytes that were shown.
func (f *trustFlags) trust(e env, path string) error {
	workspace, p, err := findProject(path)
	if err != nil {
		return err
	}
	store := trustFolder()
	switch {
	case store == "":
		return errNoTrustFolder
	case !store.Usable(workspace):
		return errTrustInReach
	case p.State == settings.TrustNeedless:
		fmt.Fprintf(e.stdout, "%s gives nothing beyond your settings; there is nothing to trust\n", plain.Line(p.Place))
		return nil
	case p.State == settings.TrustGiven:
		fmt.Fprintf(e.stdout, "%s is trusted as it is\n", plain.Line(p.Place))
		return nil
	}
	showGrants(e, p)
	if !f.yes {
		if !e.terminalIn {
			return errors.New("there is nobody to ask: stdin is no terminal; to trust it without a question, run scriptrun trust --yes")
		}
		fmt.Fprint(e.stderr, "Trust it? [y/N] ")
		answer, _ := bufio.NewReader(e.stdin).ReadString('\n') // no answer means no
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			fmt.Fprintln(e.stderr, "not trusted")
			return exit(exitFailed)
		}
	}
	if err := store.Trust(p); err != nil {
		return fmt.Errorf("trust cannot be recorded: %w", err)
	}
	fmt.Fprintln(e.stdout, "trusted, as long as it does not change")
	return nil
}

// showGrants prints all that trust would give.
func showGrants(e env, p *settings.Project) {
	fmt.Fprintf(e.stdout, "%s (sha256 %s)", plain.Line(p.Place), p.Digest)
	if p.State == settings.TrustChanged {
		fmt.Fprint(e.stdout, ", which has changed since you trusted it,")
	}
	fmt.Fprintln(e.stdout, " wants:")
	for _, g := range p.Grants {
		if g.Never != "" {
			continue
		}
		fmt.Fprintf(e.stdout, "\n  %s\n", g.Name)
		for _, line := range g.Lines {
			fmt.Fprintf(e.stdout, "      %s\n", line)
		}
	}
	fmt.Fprintln(e.stdout)
}

// findProject reads a file that somebody may trust, with what it wants and its
// workspace.
func findProject(path string) (workspace string, p *settings.Project, err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no file %s; name a %s or a tool file of kind: mcp", path, settings.ProjectFile)
	case err != nil:
		return "", nil, err
	case info.IsDir():
		return "", nil, fmt.Errorf("%s is a directory; name the file, %s, or the workspace with --workspace", path, filepath.Join(path, settings.ProjectFile))
	}
	if filepath.Ext(path) != ".toml" {
		return findServer(path)
	}
	workspace = filepath.Dir(path)
	s, err := (&hostFlags{workspace: workspace}).loadSettings()
	if err != nil {
		return "", nil, err
	}
	if p := s.Project(path); p != nil {
		return workspace, p, nil
	}
	return "", nil, fmt.Errorf("%s is not a project's %s: your own settings, and the file that --config names, need no trust", path, settings.ProjectFile)
}

// findServer is findProject for a file of kind: mcp.
func findServer(path string) (workspace string, p *settings.Project, err error) {
	specs, err := scripttools.LoadServers(scripttools.Dir{Path: path})
	if err != nil {
		return "", nil, err
	}
	if len(specs) != 1 {
		return "", nil, fmt.Errorf("%s: expected a %s, or a tool file of kind: mcp", path, settings.ProjectFile)
	}
	if err := specs[0].Err; err != nil {
		return "", nil, err
	}
	workspace = scripttools.WorkspaceOf(path)
	p, err = trustFolder().ServerFile(workspace, specs[0])
	return workspace, p, err
}

// revoke removes the record of a file, which may no longer exist.
func revoke(e env, path string) error {
	store := trustFolder()
	if store == "" {
		return errNoTrustFolder
	}
	place, err := store.Forget(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not trusted; see scriptrun trust --list", place)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s is trusted no longer\n", plain.Line(place))
	return nil
}

// listTrusted prints the trusted files, and whether each still has the trusted bytes.
func listTrusted(e env) error {
	store := trustFolder()
	if store == "" {
		return errNoTrustFolder
	}
	all, err := store.Records()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, r := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", plain.Line(r.Path), r.Time.Format(time.DateOnly), r.State(), plain.Line(strings.Join(r.Granted, ", ")))
	}
	return table.Flush()
}
