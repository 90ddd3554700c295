package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// gitPage is the part of a list of commits that a call gets.
type gitPage struct {
	ordered bool  // the list is one that pages lead through
	skipped int64 // commits before the page
	most    int64 // commits of the page; 0 for all that fit
}

// shownCommits is how many commits command log shows without limit, as in A3S.
const shownCommits = 10

// turn adds the options that lead to a page of log. It asks for one commit more than the page
// has, which tells whether the list goes on.
func (a *gitArguments) turn() error {
	a.page = gitPage{ordered: hasPages(a.Args), most: min(a.Limit, math.MaxInt32-1)}
	if a.Command == "log" && a.Limit == 0 {
		a.page.most = shownCommits
	}
	var options []string
	if a.Cursor != "" {
		skipped, err := strconv.ParseInt(a.Cursor, 10, 32)
		if err != nil || skipped < 1 {
			return fmt.Errorf("cursor %q is none that git gave; take metadata.next of the call that this one goes on after", a.Cursor)
		}
		a.page.skipped = skipped
		options = append(options, fmt.Sprintf("--skip=%d", skipped))
	}
	if a.page.most > 0 {
		options = append(options, "-n", strconv.FormatInt(a.page.most+1, 10))
	}
	if len(options) > 0 && !a.page.ordered {
		return errors.New("limit and cursor are for log, without options for its format, a count, --reverse, --skip, --follow, -S, -G and -L")
	}
	a.Args = slices.Insert(slices.Clone(a.Args), 1, options...)
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

// shown is the answer of log: whole commits, as many as the page has and a result holds, and
// where the list goes on. Its truncation is that of git's text, until here.
func (a *gitArguments) shown(answer hostapi.Result, commits []commit, resultBytes int64) hostapi.Result {
	more := answer.Truncated
	if most := a.page.most; most > 0 && int64(len(commits)) >= most {
		more = more || int64(len(commits)) > most
		commits, answer.Truncated = commits[:most], false
	}
	answer = answer.WithData(commits)
	if fit := fitting(answer.Data, resultBytes); fit < len(commits) {
		commits, answer.Truncated, more = commits[:fit], true, true
		answer = answer.WithData(commits)
	}
	answer.Output = linesOf(commits)
	about, goOn := map[string]any{"more": more}, "name a smaller path, or ask for fewer"
	if more && a.page.ordered && len(commits) > 0 {
		about["next"] = strconv.FormatInt(a.page.skipped+int64(len(commits)), 10)
		goOn = "go on with cursor, or ask for fewer"
	}
	answer.Metadata = saying(answer.Metadata, about)
	switch {
	case a.Command == "log" && a.Limit == 0 && more && len(commits) == shownCommits:
		answer.Notes = []string{fmt.Sprintf("log shows %d commits, as limit is left out; there are more: limit is how many, and cursor goes on", shownCommits)}
	case a.page.skipped > 0 && len(commits) == 0 && !more:
		answer.Notes = []string{fmt.Sprintf("nothing comes after cursor %q: log has no more than %s commits", a.Cursor, a.Cursor)}
	}
	return cutShort(answer, len(commits), goOn, resultBytes)
}

// cutShort says of an answer that is cut how much there is of it, and how to get the rest.
func cutShort(answer hostapi.Result, entries int, goOn string, resultBytes int64) hostapi.Result {
	if !answer.Truncated {
		return answer
	}
	answer.Metadata = saying(answer.Metadata, map[string]any{"more": true})
	answer.Cut = fmt.Sprintf("%s (a result holds %s=%d)", goOn, hostapi.LimitResultBytes, resultBytes)
	mark := fmt.Sprintf("\n… the first %d entries; the rest of %d bytes is left out; %s …", entries, answer.Bytes, goOn)
	if resultBytes <= 0 || int64(len(answer.Output)+len(mark)) <= resultBytes {
		answer.Output += mark
	}
	return answer
}

// saying adds to metadata, which is an object of JSON or nothing.
func saying(metadata json.RawMessage, about map[string]any) json.RawMessage {
	all := map[string]any{}
	if len(metadata) > 0 && json.Unmarshal(metadata, &all) != nil {
		return metadata
	}
	maps.Copy(all, about)
	raw, err := json.Marshal(all)
	if err != nil {
		return metadata
	}
	return raw
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
