package main

import (
	"fmt"
	"io"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// printSettings shows where the settings are from, what of them is not in
// force, and the MCP servers that they declare, none of which runs.
func printSettings(w io.Writer, s *settings.Settings) {
	fmt.Fprintln(w, "\nSettings:")
	if len(s.Files) == 0 {
		fmt.Fprintln(w, "none    there is neither a file of yours nor one of the project")
	}
	waits := map[string]bool{}
	for _, p := range s.Projects {
		for _, note := range notesOf(p) {
			waits[p.Path] = true
			fmt.Fprintf(w, "%-7s %s\n", "PARTLY", plain.Line(note))
		}
	}
	for _, path := range s.Files {
		if !waits[path] {
			fmt.Fprintf(w, "%-7s %s\n", "whole", plain.Line(path))
		}
	}
	if s.AuditFile != "" {
		says := "what runs is recorded there as far as it can be written"
		if s.RequireAudit {
			says = "nothing runs that is not recorded there"
		}
		fmt.Fprintf(w, "%-7s %s: %s\n", "audit", plain.Line(s.AuditFile), says)
	}
	for _, name := range s.Taken {
		fmt.Fprintf(w, "%-7s %s: the name is taken by your settings\n", "NOT", plain.Line(name))
	}
	for _, d := range s.Servers {
		word, says := "known", "started by the runs that need it"
		switch {
		case d.Flaw != nil:
			word, says = "broken", "left out; scriptrun check says why"
		case d.Waits != nil:
			word, says = "waits", "for: "+allowed(d)
		}
		fmt.Fprintf(w, "%-7s MCP server %q of %s: %s\n", word, d.Name, plain.Line(d.File), plain.Line(says))
	}
}
