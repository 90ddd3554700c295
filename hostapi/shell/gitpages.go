package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// turn adds the option that leads to a page of log.
func (a *gitArguments) turn() error {
	if a.Cursor == "" {
		return nil
	}
	skipped, err := strconv.ParseInt(a.Cursor, 10, 64)
	switch {
	case err != nil || skipped < 1:
		return fmt.Errorf("cursor %q is none that git gave; take metadata.next of the call that this one goes on after", a.Cursor)
	case !hasPages(a.Args):
		return errors.New("cursor is for log, without options for its format, a count, --reverse, --skip, --follow, -S, -G and -L")
	}
	a.Args = slices.Insert(slices.Clone(a.Args), 1, fmt.Sprintf("--skip=%d", skipped))
	a.skipped = skipped
	return nil
}

// hasPages reports whether a command lists commits from the newest one on, to the last one. --skip,
// which leads to a page, counts commits before git looks for some options in their changes, and
// beside a count of commits.
func hasPages(args []string) bool {
	if _, read := machineFormat(args); args[0] != "log" || read == nil {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(pageless, name) || isCount(arg) ||
			len(arg) > 1 && arg[0] == '-' && strings.ContainsRune("SGLn", rune(arg[1]))
	})
}

// pageless are options of log with which --skip leads elsewhere.
var pageless = []string{"--reverse", "--skip", "--follow", "--max-count", "--diff-filter", "--find-object", "--pickaxe-all", "--pickaxe-regex"}

// isCount reports whether an argument is a count of commits, as -5.
func isCount(arg string) bool {
	digits, ok := strings.CutPrefix(arg, "-")
	_, err := strconv.ParseUint(digits, 10, 64)
	return ok && err == nil
}

// goOn says of an answer that is cut how to get the rest of it.
func (a *gitArguments) goOn(answer *hostapi.Result, entries int) (what string) {
	first := slices.Clone(a.Args)
	if a.skipped > 0 {
		first = slices.Delete(first, 1, 2)
	}
	if a.Command == "log" {
		first = first[:1] // without the count, which each page makes less
	}
	if entries == 0 || !hasPages(first) {
		return "name a smaller path, or ask for fewer"
	}
	about := map[string]json.RawMessage{}
	if len(answer.Metadata) > 0 && json.Unmarshal(answer.Metadata, &about) != nil {
		return "ask for fewer"
	}
	about["more"] = json.RawMessage("true")
	about["next"] = json.RawMessage(strconv.Quote(strconv.FormatInt(a.skipped+int64(entries), 10)))
	if raw, err := json.Marshal(about); err == nil {
		answer.Metadata = raw
	}
	return "go on with cursor, or ask for fewer"
}

// fitting is how many entries of data a result of at most so many bytes holds; 0 is no bound.
func fitting(data json.RawMessage, most int64) int {
	if most > 0 {
		data = clip.Entries(data, most)
	}
	var entries []json.RawMessage
	if json.Unmarshal(data, &entries) != nil {
		return 0
	}
	return len(entries)
}
