package main

import (
	"fmt"
	"io"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// printSettings shows the settings files, the keys in them that are not in force, and
// the MCP servers that they declare. It starts none of these.
func printSettings(w io.Writer, s *settings.Settings) {
	fmt.Fprintln(w, "\nSettings:")
	if len(s.Files) == 0 {
		fmt.Fprintln(w, "none    neither you nor the project has a settings file")
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
		says := "runs are recorded there if it can be written"
		if s.RequireAudit {
			says = "a run that cannot be recorded there is refused"
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
