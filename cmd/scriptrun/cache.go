package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
	"github.com/spf13/cobra"
)

// homesFolder keeps the homes of workspaces, below the user's caches, because commands
// can make their contents again. Its path is empty if the user has no home.
func homesFolder() homes.Folder {
	return homes.Folder{Path: userFolder("XDG_CACHE_HOME", ".cache", "homes")}
}

func newCache(e env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show the home folders that commands have, with the caches in them",
		Long: `The commands of each workspace have a home folder of their own. The next run finds
the caches that compilers and package managers keep there, and your own caches are
never written. This lists the home folders; clear removes them, and commands make
their contents again.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listHomes(e) },
	}
	var all bool
	remove := &cobra.Command{
		Use:   "clear [WORKSPACE]",
		Short: "Remove the home folder of a workspace (default: the current directory), or all of them",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return errors.New("--all means every workspace; do not name one as well")
			case all:
				return clearHomes(e, "")
			case len(args) > 0:
				return clearHomes(e, args[0])
			}
			return clearHomes(e, ".")
		},
	}
	remove.Flags().BoolVar(&all, "all", false, "remove those of all workspaces")
	cmd.AddCommand(remove)
	return cmd
}

// errNoHomes says that there is no folder for homes.
var errNoHomes = errors.New("there is no folder for caches: set HOME, or XDG_CACHE_HOME")

// listHomes prints the homes with their sizes.
func listHomes(e env) error {
	folder := homesFolder()
	if folder.Path == "" {
		return errNoHomes
	}
	all, err := folder.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(e.stdout, "nothing is kept")
		return nil
	}
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SIZE\tUSED\tWORKSPACE\tHOME")
	var sum int64
	for _, home := range all {
		sum += home.Bytes
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", megabytes(home.Bytes), home.Used.Format(time.DateOnly), plain.Line(home.Workspace), plain.Line(home.Path))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s in all; scriptrun cache clear [WORKSPACE|--all] removes them\n", megabytes(sum))
	return nil
}

// megabytes renders a size for people.
func megabytes(bytes int64) string {
	if bytes > 0 && bytes < 1e5 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// clearHomes removes the home of a workspace, or all homes if none is named.
func clearHomes(e env, workspace string) error {
	folder := homesFolder()
	if folder.Path == "" {
		return errNoHomes
	}
	kept, err := folder.List()
	if err != nil {
		return err
	}
	if workspace != "" {
		place, err := filepath.Abs(workspace)
		if err != nil {
			return err
		}
		if workspace, err = filepath.EvalSymlinks(place); err != nil {
			workspace = place // a removed workspace may still have a home
		}
	}
	var bytes int64
	count := 0
	for _, home := range kept {
		if workspace != "" && home.Workspace != workspace {
			continue
		}
		if err := folder.Remove(home.Workspace); err != nil {
			return err
		}
		bytes, count = bytes+home.Bytes, count+1
	}
	if count == 0 {
		fmt.Fprintln(e.stdout, "nothing was kept")
		return nil
	}
	fmt.Fprintf(e.stdout, "removed %d, %s\n", count, megabytes(bytes))
	return nil
}
