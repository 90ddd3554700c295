package main

import (
	"fmt"

	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// printSettings shows the settings files, the keys in them that are not in force, and
// the MCP servers that they declare. It starts none of these.
func printSettings(p *page, s *settings.Settings) {
	p.say("")
	p.heading("Settings:")
	if len(s.Files) == 0 {
		p.verdict("none", "", "neither you nor the project has a settings file")
	}
	waits := map[string]bool{}
	for _, project := range s.Projects {
		for _, note := range notesOf(project) {
			waits[project.Path] = true
			p.verdict("PARTLY", "", note)
		}
	}
	for _, path := range s.Files {
		if !waits[path] {
			p.verdict("whole", "", path)
		}
	}
	if s.AuditFile != "" {
		says := "runs are recorded there if it can be written"
		if s.RequireAudit {
			says = "a run that cannot be recorded there is refused"
		}
		p.verdict("audit", "", s.AuditFile+": "+says)
	}
	for _, name := range s.Taken {
		p.verdict("NOT", "", name+": the name is taken by your settings")
	}
	for _, d := range s.Servers {
		word, says := "known", "started by the runs that need it"
		switch {
		case d.Flaw != nil:
			word, says = "broken", "left out; scriptrun check says why"
		case d.Waits != nil:
			word, says = "waits", "for: "+allowed(d)
		}
		p.verdict(word, "", fmt.Sprintf("MCP server %q of %s: %s", d.Name, d.File, says))
	}
}
