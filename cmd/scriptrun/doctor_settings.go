package main

import (
	"fmt"
	"io"
)

// printSettings shows where the settings are from, what of them is not in
// force, and the MCP servers that they declare, none of which runs.
func printSettings(w io.Writer, s *settings) {
	fmt.Fprintln(w, "\nSettings:")
	if len(s.files) == 0 {
		fmt.Fprintln(w, "none    there is neither a file of yours nor one of the project")
	}
	waits := map[string]bool{}
	for _, p := range s.projects {
		for _, note := range p.notes() {
			waits[p.file.path] = true
			fmt.Fprintf(w, "%-7s %s\n", "PARTLY", plain(note))
		}
	}
	for _, path := range s.files {
		if !waits[path] {
			fmt.Fprintf(w, "%-7s %s\n", "whole", plain(path))
		}
	}
	if s.audit.file != "" {
		says := "what runs is recorded there as far as it can be written"
		if s.audit.require {
			says = "nothing runs that is not recorded there"
		}
		fmt.Fprintf(w, "%-7s %s: %s\n", "audit", plain(s.audit.file), says)
	}
	for _, name := range s.taken {
		fmt.Fprintf(w, "%-7s %s: the name is taken by your settings\n", "NOT", plain(name))
	}
	for _, d := range s.servers {
		word, says := "known", "started by the runs that need it"
		switch {
		case d.flaw != nil:
			word, says = "broken", "left out; scriptrun check says why"
		case d.allow != "":
			word, says = "waits", "for: "+d.allow
		}
		fmt.Fprintf(w, "%-7s MCP server %q of %s: %s\n", word, d.Name, plain(d.place), plain(says))
	}
}
