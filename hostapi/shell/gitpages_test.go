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
	const more = 30
	for n := range more {
		if out, err := exec.Command("git", "-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", n)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	out, err := exec.Command("git", "-C", dir, "log", "--format=%s").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(string(out))
	short := strings.Join(strings.Split(want, "\n")[:20], "\n")
	for _, c := range []string{`"args":["log"]`, `"command":"log","limit":20`, `"args":["log","HEAD","--"]`, `"command":"log","limit":1000`} {
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
			if about.More != result.Truncated || about.More != (about.Next != "") || about.More != strings.Contains(result.Cut, "go on with cursor") {
				t.Fatalf("%s: %+v, %s", c, result, result.Metadata)
			}
			if next = about.Next; next == "" {
				break
			}
		}
		want := want
		if strings.Contains(c, ":20") {
			want = short
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

// TestLogWhoseDataIsLonger than its text goes on after the data.
func TestLogWhoseDataIsLonger(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for n := range 8 {
		if out, err := exec.Command("git", "-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", n)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
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
