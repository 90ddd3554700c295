package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// note says in one line which parts of the projects' files are not in force, and how to
// allow them; empty for none.
func (h *host) note() string {
	var parts []string
	for _, p := range h.settings.Projects {
		parts = append(parts, notesOf(p)...)
	}
	for _, name := range h.settings.Taken {
		parts = append(parts, name+" has no effect: your settings use that name already")
	}
	for _, path := range h.settings.Sandbox.Write {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			parts = append(parts, fmt.Sprintf("sandbox.write: %s does not exist, so no command can write there; create it, or remove the entry", path))
		}
	}
	return plain.Line(strings.Join(parts, "; "))
}

// maxNamed is how many things the note names, and maxName how long each name may be.
const maxNamed, maxName = 4, 60

// notesOf says which parts of one file are held back, and which are never in force.
func notesOf(p *settings.Project) (notes []string) {
	var names []string
	for _, g := range p.Grants {
		name := g.Name
		if runes := []rune(name); len(runes) > maxName {
			name = string(runes[:maxName]) + "…"
		}
		switch {
		case g.Never != "":
			notes = append(notes, fmt.Sprintf("%s: %s has no effect in a project's file: %s", p.Path, name, g.Never))
		case p.State != settings.TrustGiven:
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return notes
	}
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	because := "until you trust it"
	if p.State == settings.TrustChanged {
		because = "because it has changed since you trusted it"
	}
	return append([]string{fmt.Sprintf("%s: held back %s: %s; see and allow it with: scriptrun trust%s",
		p.Path, because, strings.Join(names, ", ")+more, argumentOf(p))}, notes...)
}

// argumentOf is the argument of scriptrun trust for a file, after a blank.
func argumentOf(p *settings.Project) string {
	if p.Path == settings.ProjectFile {
		return ""
	}
	return " " + quoted(p.Path)
}

// allowed is the command that lets a server start; empty if it may.
func allowed(s settings.Server) string {
	switch {
	case s.Waits == nil:
		return ""
	case filepath.Ext(s.File) == ".toml":
		return "scriptrun trust" + argumentOf(s.Waits)
	}
	return "scriptrun trust " + quoted(s.File) + ", or --mcp-files"
}

// quoted is a path as a word of a shell.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
