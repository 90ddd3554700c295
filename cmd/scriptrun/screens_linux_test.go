package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var updateScreens = flag.Bool("update-screens", false, "rewrite testdata/screens/*.golden where a screen has changed")

// TestScreens: what a person sees on a terminal of 80 and of 30 columns, with colours and
// without, is as it was looked at. No row is wider than the terminal.
func TestScreens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, typed string }{
		"list":            {"list", ""},
		"list-host":       {"list --host", ""},
		"describe":        {"describe orders", ""},
		"describe-host":   {"describe grep", ""},
		"check":           {"check", ""},
		"check-findings":  {"check tools broken/keys.js broken/waits.js", ""},
		"doctor":          {"doctor", ""},
		"explain":         {"explain --allow bash(git_log_*) git_log_-3|head_-n_1_>_$(out)", ""},
		"run":             {"run orders path=open.json", ""},
		"run-fails":       {"run orders path=wrong.json oldest=3", ""},
		"run-help":        {"run orders --help", ""},
		"run-input":       {"run orders", ""},
		"prompt":          {"run release-to-production --config settings.toml", "n for no: \t\"y\"\nn for no: \t\"n\""},
		"unknown-command": {"lsit", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden := filepath.Join("testdata", "screens", name+".golden")
			old, err := txtar.ParseFile(golden)
			if err != nil && !*updateScreens {
				t.Fatal(err)
			}
			drawn := &txtar.Archive{}
			for _, columns := range []int{80, 30} {
				for _, coloured := range []bool{false, true} {
					view := fmt.Sprintf("%d columns", columns)
					if coloured {
						view += " with colours"
					}
					text := screenOf(t, c.line, c.typed, columns, coloured)
					was := ""
					if old != nil && len(old.Files) > len(drawn.Files) {
						was = string(old.Files[len(drawn.Files)].Data)
					}
					if steady(text) == steady(was) {
						text = was
					} else if !*updateScreens {
						t.Errorf("%s: the screen is\n%s\nand not\n%s", view, text, was)
					}
					drawn.Files = append(drawn.Files, txtar.File{Name: view, Data: []byte(text)})
				}
			}
			if t.Failed() {
				t.Error("if that is meant, look at it, and run go test ./cmd/scriptrun -run TestScreens -update-screens")
			}
			if *updateScreens {
				if err := os.WriteFile(golden, txtar.Format(drawn), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// screenOf is what a terminal shows in the end. A blank in an argument is written as _.
func screenOf(t *testing.T, line, typed string, columns int, coloured bool) string {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "screens", "project"))); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(line)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "_", " ")
	}
	path, err := lookIn(os.Getenv("PATH"), "scriptrun")
	if err != nil {
		t.Fatal(err)
	}
	programs := os.Getenv("PATH")
	if line == "doctor" {
		programs = plainPrograms(t)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + programs, "HOME=" + home, "TERM=xterm"}
	if !coloured {
		cmd.Env = append(cmd.Env, "NO_COLOR=1")
	}
	written, err := onPseudoTerminal(cmd, uint16(columns), typed)
	if err != nil {
		t.Fatal(err)
	}
	s := screenRows{columns: columns, wraps: true}
	s.write(written)
	for _, flaw := range s.flaws {
		t.Errorf("%s at %d columns: %s; all that was written is\n%q", line, columns, flaw, written)
	}
	return replaced(s.String())
}

// volatile are parts that differ from run to run, and from machine to machine.
var volatile = []struct{ pattern, instead string }{
	{`\b\d+(\.\d+)?(ms|µs|s|m\d+(\.\d+)?s)\b`, "TIME"},
	{`\b\d+ bytes\b`, "N bytes"},
	{`^((\\e\[1m)?scriptrun )[^\n]*,(\\e\[0m)?\s(\\e\[1m)?linux/\w+`, "${1}VERSION"},
	{`(?m)^  \|   in /\S+(\n  \| \S+)*$`, "  |   in FOLDER"},
	{`(?ms)^[^\n]*\bworker\b.*?\n\n`, "WORKER AND SANDBOX\n\n"},
	{`(?ms)^([^\n]*What the system.*?commands:[^\n]*\n).*?\n\n`, "${1}MEASURES\n\n"},
	{`(?ms)^([^\n]*Tools that commands.*?sandbox:[^\n]*\n).*?\n\n`, "${1}TOOLS\n\n"},
	{`(?m)^([^\n]*(?:\b|m)git(\\e\[0m)? *)(\n? */\S+(?:\n +\S+)*)$`, "${1}PROGRAM"},
}

// steady is a screen whose lines with a time are one row each, however many the time made of
// them.
func steady(text string) string {
	var rows []string
	begins := regexp.MustCompile(`^( +\d+ \S+ |\S+ )(\\e\[\d+m)?(ok|script_error|failed|denied|invalid_input)(\\e\[0m)? .*`)
	hang := ""
	for row := range strings.SplitSeq(text, "\n") {
		switch {
		case begins.MatchString(row):
			hang = "    "
			if strings.HasPrefix(row, " ") {
				hang = "      "
			}
		case hang != "" && strings.HasPrefix(row, hang) && strings.TrimLeft(row, " ") == row[len(hang):]:
			rows[len(rows)-1] += " " + row[len(hang):]
			continue
		default:
			hang = ""
		}
		rows = append(rows, row)
	}
	return replaced(strings.Join(rows, "\n"))
}

// replaced is a screen without its volatile parts.
func replaced(text string) string {
	for _, v := range volatile {
		text = regexp.MustCompile(v.pattern).ReplaceAllString(text, v.instead)
	}
	return text
}

// screenRows are the rows of a terminal that understands what scriptrun writes to one.
type screenRows struct {
	columns int
	rows    [][]screenCell
	at      int // column in the last row
	style   string
	wraps   bool
	flaws   []string
}

// screenCell is a character in its style.
type screenCell struct {
	text  rune // 0 behind a wide one
	style string
}

func (s *screenRows) write(text string) {
	s.rows = append(s.rows, nil)
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			s.control(rest[:end+1])
			text = rest[end+1:]
			continue
		}
		r := []rune(text[:min(len(text), 4)])[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			s.at = 0
		case '\n':
			s.rows = append(s.rows, nil)
		default:
			s.put(r)
		}
	}
}

// put writes a character into the last row.
func (s *screenRows) put(r rune) {
	last := &s.rows[len(s.rows)-1]
	wide := columnsOf(r)
	if s.at+wide > s.columns {
		if !s.wraps {
			return
		}
		s.flaws = append(s.flaws, fmt.Sprintf("the row %q is wider", s.row(*last)))
		s.rows, s.at = append(s.rows, nil), 0
		last = &s.rows[len(s.rows)-1]
	}
	if r < ' ' {
		s.flaws = append(s.flaws, fmt.Sprintf("%q is no character", r))
	}
	for len(*last) < s.at+wide {
		*last = append(*last, screenCell{text: ' '})
	}
	for i := range wide {
		(*last)[s.at+i] = screenCell{style: s.style}
	}
	(*last)[s.at].text = r
	s.at += wide
}

// control does what an escape sequence says.
func (s *screenRows) control(sequence string) {
	switch sequence {
	case "K":
		last := &s.rows[len(s.rows)-1]
		*last = (*last)[:min(s.at, len(*last))]
	case "?7l", "?7h":
		s.wraps = sequence == "?7h"
	case "0m":
		s.style = ""
	case string(good) + "m", string(bad) + "m", string(caution) + "m", string(strong) + "m", string(faint) + "m":
		s.style = sequence
	default:
		s.flaws = append(s.flaws, fmt.Sprintf("there is a sequence %q", sequence))
	}
}

// row is one row as text, with its escapes made visible.
func (s *screenRows) row(cells []screenCell) string {
	var b bytes.Buffer
	style := ""
	for _, c := range append(cells, screenCell{}) {
		if c.style != style {
			if style != "" {
				b.WriteString(`\e[0m`)
			}
			if style = c.style; style != "" {
				b.WriteString(`\e[` + style)
			}
		}
		if c.text != 0 {
			b.WriteRune(c.text)
		}
	}
	return b.String()
}

// String is the screen, without blanks that nobody sees.
func (s *screenRows) String() string {
	var b strings.Builder
	for _, cells := range s.rows {
		b.WriteString(strings.TrimRight(s.row(cells), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
