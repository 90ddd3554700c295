package main

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
)

func newList(e env) *cobra.Command {
	var f hostFlags
	var asJSON, ofHost bool
	cmd := &cobra.Command{
		Use:               "list",
		Short:             "List the tools of the tools directory",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{look: []string{f.toolsDir().Path}})
			if err != nil {
				return err
			}
			defer h.close()
			if ofHost {
				return listHostTools(e, h.runner.Registry(), asJSON)
			}
			catalog, err := f.catalog(cmd.Context(), h)
			if err != nil {
				return refusal(e, asJSON, err)
			}
			if asJSON {
				all := []scripttools.Description{}
				for spec := range catalog.All() {
					all = append(all, spec.Describe())
				}
				return printJSON(e.stdout, all)
			}
			if catalog.Len() == 0 {
				fmt.Fprintln(e.stderr, "there are no tools here; put tool files into a directory called tools, or name one with --tools")
				return nil
			}
			page, rows := e.page(), [][]string{}
			for spec := range catalog.All() {
				rows = append(rows, []string{spec.Name, page.summary(spec.Description)})
			}
			return page.table(rows, strong)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an array of descriptions, or a report of what is wrong with a file")
	cmd.Flags().BoolVar(&ofHost, "host", false, "list the host tools, which scripts call, in their place")
	return cmd
}

// listHostTools lists what scripts can be allowed to call.
func listHostTools(e env, registry *hostapi.Registry, asJSON bool) error {
	all := []hostToolJSON{}
	for _, name := range registry.Names() {
		all = append(all, hostToolOf(registry, name))
	}
	if asJSON {
		return printJSON(e.stdout, all)
	}
	page, rows := e.page(), [][]string{}
	for _, t := range all {
		rows = append(rows, []string{t.Name, t.Effect, page.summary(t.Description)})
	}
	return page.table(rows, strong, faint)
}

// refusal prints an error of a command that runs nothing.
func refusal(e env, asJSON bool, err error) error {
	if asJSON {
		if err := printJSON(e.stdout, runtime.Refuse("", "", err)); err != nil {
			return err
		}
		return exit(exitUsage)
	}
	return complain(e.stderr, err)
}
