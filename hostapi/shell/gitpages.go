package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
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
		return errors.New("cursor is for log, without options for its format, --reverse and --skip")
	}
	a.Args = slices.Insert(slices.Clone(a.Args), 1, fmt.Sprintf("--skip=%d", skipped))
	a.skipped = skipped
	return nil
}

// hasPages reports whether a command lists commits from the newest one on, without a place that
// it chose.
func hasPages(args []string) bool {
	if _, read := machineFormat(args); args[0] != "log" || read == nil {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return name == "--reverse" || name == "--skip"
	})
}

// goOn says of an answer that is cut how to get the rest of it.
func (a *gitArguments) goOn(answer *hostapi.Result, entries int) (what string) {
	first := slices.Clone(a.Args)
	if a.skipped > 0 {
		first = slices.Delete(first, 1, 2)
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
