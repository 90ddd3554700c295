package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/scripttools/clients"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// checkAsClient says what clients make of the server's tools: a row for each tool, and below it
// what is done to it.
func (f *serveFlags) checkAsClient(ctx context.Context, e env, server *serve.Server) error {
	defer server.Close()
	seen, err := server.See(ctx)
	if err != nil {
		fmt.Fprintf(e.stderr, "scriptrun: a client cannot use the server: %s\n", told(err))
		return exit(exitFailed)
	}
	findings := clients.Check(seen.Tools, clients.ServerName)
	if f.client != "" {
		findings = slices.DeleteFunc(findings, func(found clients.Finding) bool { return found.Client != f.client })
	}
	page := e.page()
	page.heading(fmt.Sprintf("%s, %s bytes of definitions, protocol %s", counted(len(seen.Tools), "tool"), thousands(clients.Size(seen.Tools)), seen.Protocol))
	refused := tellFindings(page, "", "", findings)
	for _, tool := range seen.Tools {
		kind := "it may write; a client may ask before it runs"
		if slices.Contains(seen.ReadOnly, tool.Name) {
			kind = "it only reads"
		}
		kind += fmt.Sprintf("; %s bytes", thousands(clients.Size([]clients.Tool{tool})))
		refused = tellFindings(page, tool.Name, kind, findings) || refused
	}
	if refused {
		return exit(exitFailed)
	}
	return nil
}

// tellFindings writes a row for a tool, or for all of them, and one for each finding about it.
func tellFindings(page *page, tool, kind string, findings []clients.Finding) (refused bool) {
	about := slices.DeleteFunc(slices.Clone(findings), func(found clients.Finding) bool { return found.Tool != tool })
	word := "ok"
	for _, found := range about {
		switch found.Verb {
		case clients.Refuses:
			word, refused = "FAILED", true
		case clients.Cuts:
			if word == "ok" {
				word = "PARTLY"
			}
		case clients.Drops: // the descriptions say it too
		}
	}
	if tool != "" {
		page.verdict(word, tool, kind)
	}
	for _, found := range about {
		page.verdict("", found.Client, fmt.Sprintf("%s %s", found.Verb, found.Says))
	}
	return refused
}

// thousands writes a number in groups of three digits.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = strings.Join([]string{text[:at], text[at:]}, ",")
	}
	return text
}
