package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// note says in one line what of the projects' files is not in force, and how
// to allow it; empty for nothing.
func (s *settings) note() string {
	var parts []string
	for _, p := range s.projects {
		parts = append(parts, p.notes()...)
	}
	for _, name := range s.taken {
		parts = append(parts, name+" does not count: the name is taken by your settings")
	}
	for _, path := range s.sandbox.Write {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			parts = append(parts, fmt.Sprintf("sandbox.write: %s does not exist, so that no command can write there; make it, or take it out", path))
		}
	}
	return plain(strings.Join(parts, "; "))
}

// maxNamed is how many things the note names, and maxName how long each may
// be.
const maxNamed, maxName = 4, 60

// notes says what of one file is held back, and what is never in effect.
func (p project) notes() (notes []string) {
	var names []string
	for _, g := range p.grants {
		name := g.name
		if runes := []rune(name); len(runes) > maxName {
			name = string(runes[:maxName]) + "…"
		}
		switch {
		case g.never:
			notes = append(notes, fmt.Sprintf("%s: %s has no effect in a project's file: %s", p.file.path, name, ruleOf(g.name).does))
		case p.state != trustGiven:
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
	if p.state == trustChanged {
		because = "for it has changed since you trusted it"
	}
	return append([]string{fmt.Sprintf("%s: held back %s: %s; see and allow it with: scriptrun trust%s",
		p.file.path, because, strings.Join(names, ", ")+more, p.argument())}, notes...)
}

// argument is what scriptrun trust is to be given, after a blank.
func (p project) argument() string {
	if p.file.path == projectFile {
		return ""
	}
	return " " + quoted(p.file.path)
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
