package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/scriptrun/scriptrun/runtime"
)

// printJSON writes one indented document.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// printReport writes the value to stdout and everything else to stderr. What
// came from a script cannot move the cursor of a terminal. The error is that of
// stdout.
func printReport(e env, r *runtime.Report) error {
	for _, entry := range r.Logs {
		fmt.Fprintf(e.stderr, "%s: %s\n", entry.Level, plain(entry.Text))
	}
	if r.Outcome == runtime.OutcomeOK {
		text := strings.TrimSuffix(r.Text, "\n")
		if e.terminalOut {
			text = plain(text)
		}
		if _, err := fmt.Fprintln(e.stdout, text); err != nil {
			return err
		}
		if e.terminal {
			fmt.Fprintln(e.stderr, plain(r.Headline()))
		}
		return nil
	}
	fmt.Fprintln(e.stderr, plain(r.String()))
	return nil
}

// plain replaces control characters other than tab and newline.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c >= 0x20 && c != 0x7f && (c < 0x80 || c > 0x9f) {
			return c
		}
		return '\uFFFD'
	}, s)
}
