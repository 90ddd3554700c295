package shell

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// gitOutput is the output of a git command that ends each entry with a NUL. Of a result that
// is cut it has the first entries.
func gitOutput(result hostapi.Result) (string, error) {
	var streams data
	if err := json.Unmarshal(result.Data, &streams); err != nil {
		return "", err
	}
	output := streams.Stdout
	if streams.StdoutEncoding == "base64" { // a name or a message that is not UTF-8
		raw, err := base64.StdEncoding.DecodeString(output)
		if err != nil {
			return "", err
		}
		output = strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	if !result.Truncated {
		return output, nil
	}
	// The line that stands for what a cut result does not have.
	leftOut := regexp.MustCompile(`\n… (?:\d+ of \d+ bytes dropped here|the output is longer by an unknown number)[^\n]* …\n`)
	if lines := leftOut.FindAllStringIndex(output, -1); len(lines) > 0 {
		output = output[:lines[len(lines)-1][0]]
	}
	return output[:strings.LastIndexByte(output, 0)+1], nil
}

// machineFormat adds options for output that read can parse, where git has them. It
// leaves calls alone that choose a format.
func machineFormat(args []string) (words []string, read func(stdout string) (text string, data any)) {
	own := func(options ...string) bool {
		return slices.ContainsFunc(args[1:], func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return slices.Contains(options, name) || len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && slices.Contains(options, arg[:2])
		})
	}
	head, rest := args[:1], args[1:]
	switch args[0] {
	case "status":
		if !own("--porcelain", "--long", "-v", "--verbose", "-z", "--column") {
			return slices.Concat(head, []string{"--porcelain=v1", "-z"}, rest), readStatus
		}
	case "ls-files":
		if !own("-s", "--stage", "-u", "--unmerged", "-t", "-v", "-f", "--debug", "--eol", "--format", "-z", "--resolve-undo") {
			return slices.Concat(head, []string{"-z"}, rest), readNames
		}
	case "log":
		if !own("--format", "--pretty", "--oneline", "-p", "-u", "--patch", "--stat", "--numstat", "--shortstat", "--name-only", "--name-status",
			"--graph", "--raw", "-z", "-L", "--summary", "--dirstat", "--cc", "-c", "-g", "--walk-reflogs", "--show-notes", "--notes", "-U", "-W") {
			return slices.Concat(head, []string{"-z", "--format=%H%x1f%an%x1f%ae%x1f%aI%x1f%s%x1f%b"}, rest), readLog
		}
	}
	return args, nil
}

func fieldsOf(stdout string) []string {
	parts := strings.Split(stdout, "\x00")
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

func readNames(stdout string) (string, any) {
	names := fieldsOf(stdout)
	return strings.Join(names, "\n"), names
}

// change is an entry of git status.
type change struct {
	Status string `json:"status"` // the two letters
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // where it was renamed or copied from
}

func readStatus(stdout string) (string, any) {
	changes, lines := []change{}, []string{}
	parts := fieldsOf(stdout)
	for i := 0; i < len(parts); i++ {
		if len(parts[i]) < 4 {
			continue
		}
		c := change{Status: parts[i][:2], Path: parts[i][3:]}
		if strings.ContainsAny(c.Status, "RC") && i+1 < len(parts) {
			i++
			c.From = parts[i]
		}
		changes = append(changes, c)
		line := c.Status + " " + c.Path
		if c.From != "" {
			line = c.Status + " " + c.From + " -> " + c.Path
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), changes
}

// commit is an entry of git log.
type commit struct {
	Hash    string `json:"hash"`
	Author  string `json:"author"`
	Email   string `json:"email"`
	Date    string `json:"date"`
	Subject string `json:"subject"`
	Body    string `json:"body,omitempty"`
}

func readLog(stdout string) (string, any) {
	commits := []commit{}
	for _, entry := range fieldsOf(stdout) {
		f := strings.SplitN(entry, "\x1f", 6)
		if len(f) < 6 {
			continue
		}
		commits = append(commits, commit{Hash: f[0], Author: f[1], Email: f[2], Date: f[3], Subject: f[4], Body: strings.TrimSpace(f[5])})
	}
	return linesOf(commits), commits
}

// linesOf is a list of commits as text.
func linesOf(commits []commit) string {
	lines := make([]string, len(commits))
	for i, c := range commits {
		lines[i] = c.Hash[:min(12, len(c.Hash))] + " " + c.Date + " " + c.Author + ": " + c.Subject
	}
	return strings.Join(lines, "\n")
}
