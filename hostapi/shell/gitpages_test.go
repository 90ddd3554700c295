package shell_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestLogGoesOnAfterACut: the pages of log have each commit once, in the order of git.
func TestLogGoesOnAfterACut(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	commitMore(t, dir, 30)
	out, err := exec.Command("git", "-C", dir, "log", "--format=%s").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(string(out))
	for _, c := range []string{`"args":["log"]`, `"args":["log"],"limit":7`, `"command":"log","limit":20`, `"args":["log","HEAD","--"]`} {
		var subjects []string
		pages := 0
		for next := ""; pages < 100; pages++ {
			cursor := ""
			if next != "" {
				cursor = fmt.Sprintf(`,"cursor":%q`, next)
			}
			result, err := askGitWithin(t, hostapi.Quota{MaxResultBytes: 1000}, dir, []string{"git"}, "{"+c+cursor+"}")
			var commits []struct{ Subject string }
			var about struct {
				More bool
				Next string
			}
			if err := errors.Join(err, json.Unmarshal(result.Data, &commits), json.Unmarshal(result.Metadata, &about)); err != nil || len(commits) == 0 {
				t.Fatalf("%s: %+v, %v", c, result, err)
			}
			for _, commit := range commits {
				subjects = append(subjects, commit.Subject)
			}
			if about.More != (about.Next != "") || result.Truncated && !about.More || result.Truncated != strings.Contains(result.Cut, "go on with cursor") {
				t.Fatalf("%s: %+v, %s", c, result, result.Metadata)
			}
			if next = about.Next; next == "" {
				break
			}
		}
		if got := strings.Join(subjects, "\n"); got != want || pages < 3 {
			t.Errorf("%s: in %d pages\n%s", c, pages, got)
		}
	}
	// Where a number of commits leads elsewhere, nothing says to go on with it.
	for _, args := range []string{`["log","--reverse"]`, `["log","--skip=1"]`, `["log","-20"]`, `["log","-n","20"]`, `["log","-n20"]`, `["log","--max-count=20"]`} {
		result, err := askGitWithin(t, hostapi.Quota{MaxResultBytes: 1000}, dir, []string{"git"}, `{"args":`+args+`}`)
		if err != nil || !result.Truncated || strings.Contains(result.Cut, "cursor") || !strings.Contains(result.Cut, "ask for fewer") {
			t.Errorf("%s: %+v, %v", args, result, err)
		}
	}
	for _, c := range []string{`"args":["log","--reverse"],"cursor":"5"`, `"args":["log","--follow","--","f1"],"cursor":"5"`, `"args":["log","-S1"],"cursor":"5"`, `"args":["log","-G1"],"cursor":"5"`, `"args":["log","-5"],"cursor":"5"`, `"args":["status"],"cursor":"5"`, `"args":["log","--oneline"],"cursor":"5"`, `"args":["log"],"cursor":"x"`, `"args":["log"],"cursor":"-1"`} {
		if result, err := askGit(t, dir, []string{"git"}, "{"+c+"}"); err == nil && (result.ExitCode == 0 || !strings.Contains(result.Output, "cursor")) {
			t.Errorf("%s: %+v", c, result)
		}
	}
}

// TestLogIsReadByItsPages: limit is how many commits a page has, as of the other lists, and cursor
// goes on, with any limit, until more is false.
func TestLogIsReadByItsPages(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	commitMore(t, dir, 24)
	type about struct {
		More *bool
		Next string
	}
	for _, c := range []struct {
		args   string
		next   string // empty where nothing follows
		count  int
		noted  string
		failed string
	}{
		{args: `"command":"log","limit":3`, count: 3, next: "3"},
		{args: `"command":"log","limit":3,"cursor":"3"`, count: 3, next: "6"},
		{args: `"command":"log","limit":25`, count: 25},
		{args: `"command":"log","limit":24`, count: 24, next: "24"},
		{args: `"command":"log","limit":99999999999`, count: 25},
		{args: `"command":"log"`, count: 10, next: "10", noted: "as limit is left out; there are more"},
		{args: `"command":"log","cursor":"10"`, count: 10, next: "20", noted: "as limit is left out; there are more"},
		{args: `"command":"log","cursor":"20"`, count: 5},
		{args: `"command":"log","cursor":"15"`, count: 10},
		{args: `"command":"log","cursor":"25"`, noted: "no more than 25 commits"},
		{args: `"args":["log"],"cursor":"99999"`, noted: "no more than 99999 commits"},
		{args: `"args":["log","--","a.txt"],"limit":1`, count: 1},
		{args: `"args":["log","--author=Ann","HEAD"],"limit":4,"cursor":"20"`, count: 4, next: "24"},
		{args: `"args":["log"],"cursor":"99999999999"`, failed: "cursor"},
		{args: `"args":["log","--oneline"],"limit":4`, failed: "limit and cursor are for log"},
		{args: `"args":["ls-files"],"limit":4`, failed: "limit and cursor are for log"},
	} {
		result, err := askGit(t, dir, []string{"git"}, "{"+c.args+"}")
		if c.failed != "" {
			if err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%s: %+v, %v", c.args, result, err)
			}
			continue
		}
		var commits []commitShown
		var got about
		if err := errors.Join(err, json.Unmarshal(result.Data, &commits), json.Unmarshal(result.Metadata, &got)); err != nil || result.ExitCode != 0 {
			t.Errorf("%s: %+v, %v", c.args, result, err)
			continue
		}
		lines := strings.FieldsFunc(result.Output, func(r rune) bool { return r == '\n' })
		if len(commits) != c.count || len(lines) != c.count || got.More == nil || *got.More != (c.next != "") || got.Next != c.next || result.Truncated {
			t.Errorf("%s: %d commits, %d lines, %s", c.args, len(commits), len(lines), result.Metadata)
		}
		if notes := strings.Join(result.Notes, " "); (notes == "") != (c.noted == "") || !strings.Contains(notes, c.noted) {
			t.Errorf("%s: %q", c.args, notes)
		}
	}
}

// commitMore adds commits, the first of which is "commit 0".
func commitMore(t *testing.T, dir string, n int) {
	t.Helper()
	var stream strings.Builder
	for i := range n {
		from := ""
		if i == 0 {
			from = "from refs/heads/main^0\n"
		}
		message := fmt.Sprint("commit ", i)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter Ann <a@b> %d +0000\ndata %d\n%s\n%s\n", 1_800_000_000+i, len(message), message, from)
	}
	head, err := exec.Command("git", "-C", dir, "symbolic-ref", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	git := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	git.Stdin = strings.NewReader(strings.ReplaceAll(stream.String(), "refs/heads/main", strings.TrimSpace(string(head))))
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

type commitShown struct{ Subject string }

// TestLogWhoseDataIsLonger than its text goes on after the data.
func TestLogWhoseDataIsLonger(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	commitMore(t, dir, 8)
	whole, err := askGit(t, dir, []string{"git"}, `{"args":["log"]}`)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(len(whole.Data) - 10)
	result, err := askGitWithin(t, hostapi.Quota{MaxResultBytes: most}, dir, []string{"git"}, `{"args":["log"]}`)
	var about struct {
		More bool
		Next string
	}
	var commits []any
	if err := errors.Join(err, json.Unmarshal(result.Data, &commits), json.Unmarshal(result.Metadata, &about)); err != nil {
		t.Fatal(err)
	}
	if !result.Truncated || !about.More || about.Next != fmt.Sprint(len(commits)) || int64(len(result.Data)) > most {
		t.Errorf("%d commits, %+v, truncated %t", len(commits), about, result.Truncated)
	}
}
