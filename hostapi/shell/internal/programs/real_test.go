//go:build unix

package programs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// reals are programs of the table that are on most machines, with what their
// operands may be.
var reals = map[string][]string{
	"sed":  {"p", "1,2p", "s/a/b/g", "s/a/touch PWNED/e", "w PWNED", "1e touch PWNED", "s/a/b/w PWNED", "a.txt", "d/b.txt", "e"},
	"awk":  {"{print}", "{print $1}", "BEGIN{system(\"touch PWNED\")}", "{print>\"PWNED\"}", "{print|\"touch PWNED\"}", "/a/", "a.txt", "x=1"},
	"sort": {"a.txt", "d/b.txt", "PWNED"},
	"find": {".", "d", "(", ")", "!", "touch", "PWNED", ";", "{}"},
	"tar":  {"a.tar", "x:a.tar", "a.txt", "d", "PWNED"},
	"grep": {"a", "a.txt", "d", "."},
	"uniq": {"a.txt", "PWNED"},
	"diff": {"a.txt", "d/b.txt", "d"},
	"jq":   {".", ".a", "a.json", "env"},
	"date": {"+%F", "+%s"},
	"file": {"a.txt", "a.tar"},
	"git":  {"log", "show", "diff", "grep", "HEAD", "a.txt", "status", "--", "x"},
}

// TestCoveredLinesNeitherWriteNorRun asks the programs themselves: of lines
// that are put together from all their options, those that a wildcard covers
// change no file and run no program.
func TestCoveredLinesNeitherWriteNorRun(t *testing.T) {
	t.Parallel()
	for _, row := range programs.Table() {
		name := row.Programs[0]
		operands := reals[name]
		if operands == nil || name == "git" && (len(row.Commands) == 0 || row.Covers != "") {
			continue
		}
		label := name
		if len(row.Commands) > 0 {
			label += " " + row.Commands[0]
		}
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(name)
			if err != nil {
				t.Logf("%s is not installed; its row is not tried here", name)
				return
			}
			dir := planted(t)
			before := state(t, dir)
			random := rand.New(rand.NewPCG(7, uint64(len(label))))
			options := slices.Clone(row.Options)
			for _, s := range row.Spelled {
				options = append(options, s.Options...)
			}
			values := append([]string{"1", "a", "PWNED", "touch PWNED", "exec=touch PWNED", "a.txt"}, operands...)
			ran := 0
			for range 4000 {
				if ran >= 30 {
					break
				}
				words := []string{name}
				if len(row.Commands) > 0 {
					words = append(words, row.Commands[random.IntN(len(row.Commands))])
				}
				for range random.IntN(4) {
					words = append(words, spell(random, options[random.IntN(len(options))], values[random.IntN(len(values))])...)
				}
				for range 1 + random.IntN(3) {
					words = append(words, operands[random.IntN(len(operands))])
				}
				if !coveredFrom(1, words) {
					continue
				}
				ran++
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				cmd := exec.CommandContext(ctx, path, words[1:]...)
				cmd.Dir = dir
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0"}
				_ = cmd.Run() // many are no lines that the program takes
				cancel()
				if after := state(t, dir); after != before {
					t.Fatalf("%q changed\n%sinto\n%s", words, before, after)
				}
			}
			if ran < 20 {
				t.Errorf("only %d lines were covered", ran)
			}
		})
	}
}

// spell is an option in one of the ways that programs take it.
func spell(random *rand.Rand, option, value string) []string {
	if random.IntN(3) == 0 && len(option) > 4 {
		option = option[:4+random.IntN(len(option)-4)] // abbreviated
	}
	switch random.IntN(4) {
	case 0:
		return []string{option + "=" + value}
	case 1:
		return []string{option + value}
	case 2:
		return []string{option, value}
	}
	return []string{option}
}

// planted is a folder with files of all the kinds, and a repository.
func planted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "a b\nc\n", "d/b.txt": "b\na\n", "a.json": `{"a":1}`} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"tar -cf a.tar a.txt d", "git init -q", "git add .", "git -c user.name=A -c user.email=a@b commit -q -m x"} {
		words := strings.Fields(line)
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("%s: %v %s", line, err, out) // a machine without tar or git; CI fails when anything was skipped
		}
	}
	return dir
}

func state(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			fmt.Fprintln(&all, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
