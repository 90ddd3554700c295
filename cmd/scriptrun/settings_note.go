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

// note says in one line what of the projects' files is not in force, and how
// to allow it; empty for nothing.
func (h *host) note() string {
	var parts []string
	for _, p := range h.settings.Projects {
		parts = append(parts, notesOf(p)...)
	}
	for _, name := range h.settings.Taken {
		parts = append(parts, name+" does not count: the name is taken by your settings")
	}
	for _, path := range h.settings.Sandbox.Write {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			parts = append(parts, fmt.Sprintf("sandbox.write: %s does not exist, so that no command can write there; make it, or take it out", path))
		}
	}
	return plain.Line(strings.Join(parts, "; "))
}

// maxNamed is how many things the note names, and maxName how long each may
// be.
const maxNamed, maxName = 4, 60

// notesOf says what of one file is held back, and what is never in effect.
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
		because = "for it has changed since you trusted it"
	}
	return append([]string{fmt.Sprintf("%s: held back %s: %s; see and allow it with: scriptrun trust%s",
		p.Path, because, strings.Join(names, ", ")+more, argumentOf(p))}, notes...)
}

// argumentOf is what scriptrun trust is to be given, after a blank.
func argumentOf(p *settings.Project) string {
	if p.Path == settings.ProjectFile {
		return ""
	}
	return " " + quoted(p.Path)
}

// allowed is what lets a server be started; empty where nothing is missing.
func allowed(s settings.Server) string {
	switch {
	case s.Waits == nil:
		return ""
	case filepath.Ext(s.File) == ".toml":
		return "scriptrun trust" + argumentOf(s.Waits)
	}
	return "scriptrun trust " + quoted(s.File) + ", or --mcp-files"
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
