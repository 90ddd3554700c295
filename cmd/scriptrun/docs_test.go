package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pages calls f with every page that people read.
func pages(t *testing.T, f func(name, text string)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f(name, read(t, name))
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocsNameCommands: every command and flag that the pages name exists.
func TestDocsNameCommands(t *testing.T) {
	t.Parallel()
	commandMention := regexp.MustCompile("(?:^|[`( ])scriptrun ([a-z]+)\\b")
	commandWhole := regexp.MustCompile("(?:^ {4}|^\\$ |`)scriptrun ([a-z]+)( [^`]*)")
	flagMention := regexp.MustCompile("[` ]--([a-z][a-z-]+)")
	commands, flags, of := map[string]bool{}, map[string]bool{"version": true, "help": true}, map[string]bool{}
	cmd := newRoot(env{})
	cmd.InitDefaultCompletionCmd()
	cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	for _, c := range cmd.Commands() {
		commands[c.Name()] = true
		for _, c := range append(c.Commands(), c) {
			c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		}
		c.InitDefaultHelpFlag()
		for _, set := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
			set.VisitAll(func(f *pflag.Flag) { of[c.Name()+" "+f.Name] = true })
		}
	}
	prose := []string{"runs", "tries", "exits", "is", "has", "promises", "for"} // words after the product's name
	pages(t, func(name, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			for _, m := range commandWhole.FindAllStringSubmatch(line, -1) {
				for _, f := range flagMention.FindAllStringSubmatch(m[2], -1) {
					if commands[m[1]] && !of[m[1]+" "+f[1]] {
						t.Errorf("%s gives %s a flag --%s, which it does not take: %s", name, m[1], f[1], line)
					}
				}
			}
			for _, m := range commandMention.FindAllStringSubmatch(line, -1) {
				if !commands[m[1]] && !slices.Contains(prose, m[1]) {
					t.Errorf("%s names a command %s: %s", name, m[1], line)
				}
			}
			ours := !slices.Contains([]string{"rules.md", "agents.md"}, filepath.Base(name)) // they name the options of other programs
			if ours && (strings.Contains(line, "scriptrun") || !strings.Contains(line, "go test")) {
				for _, m := range flagMention.FindAllStringSubmatch(line, -1) {
					if !flags[m[1]] {
						t.Errorf("%s names a flag --%s: %s", name, m[1], line)
					}
				}
			}
		}
	})
	readme := read(t, filepath.Join(root, "README.md"))
	for name := range commands {
		if name != "help" && !strings.Contains(readme, "`"+name+"`") {
			t.Errorf("README.md does not list the command %s", name)
		}
	}
}

// number writes n as the pages do.
func number(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// TestDocsTellLimits: the numbers of limits that nobody can set are those of the code.
func TestDocsTellLimits(t *testing.T) {
	t.Parallel()
	text := read(t, filepath.Join(root, "docs", "limits.md"))
	for _, row := range []string{
		fmt.Sprintf("| calls at once | %d |", runtime.MaxConcurrent),
		fmt.Sprintf("| refused calls | %s,", number(runtime.MaxRefusals)),
		fmt.Sprintf("| inputs | %s bytes |", number(runtime.MaxInputBytes)),
		fmt.Sprintf("| source | %s bytes |", number(runtime.MaxSourceBytes)),
	} {
		if !strings.Contains(text, row) {
			t.Errorf("docs/limits.md lacks the row %s", row)
		}
	}
}

// TestDocsLink: links lead to files and headings that are there, as a tool of this repository finds.
func TestDocsLink(t *testing.T) {
	t.Parallel()
	out, errOut, code := command(t, root, "run", "tools/broken-links.js")
	if code != exitOK || !strings.Contains(out, ", 0 broken") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
}

func newTestRunner(t *testing.T) *runtime.Runner {
	t.Helper()
	f := hostFlags{workspace: root}
	h, err := f.open(t.Context(), env{stderr: t.Output()}, runtime.Observer{}, purpose{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	return h.runner
}

// Every key that docs/tool-file.md lists is one, and the host tools that the
// README lists are those of the host.
func TestDocsTellTools(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, name := range newTestRunner(t).Registry().Names() {
		listed = append(listed, "`"+name+"`")
		rule, err := hostapi.ParseRule(name)
		if err != nil || rule.Tool != name {
			t.Errorf("%s is no rule: %v", name, err)
		}
	}
	readme := read(t, filepath.Join(root, "README.md"))
	for _, name := range listed {
		if !strings.Contains(readme, name) {
			t.Errorf("README.md does not list the host tool %s", name)
		}
	}
	help := map[string]bool{}
	for _, c := range newRoot(env{}).Commands() {
		help[c.Short] = true
		if c.Short == "" || !hasRun(c) {
			t.Errorf("%s says nothing of itself", c.Name())
		}
	}
}

func hasRun(c *cobra.Command) bool { return c.RunE != nil || c.HasSubCommands() }

// TestDocsPointToTests: tests hold what the threat model promises, and those that it names
// exist.
func TestDocsPointToTests(t *testing.T) {
	t.Parallel()
	testMention := regexp.MustCompile("`(Test[A-Za-z0-9_]+|[a-z-]+\\.txtar)`")
	there := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		there[d.Name()] = true
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read(t, path), -1) {
				there[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, filepath.Join(root, "docs", "threat-model.md"))
	promised, _, _ := strings.Cut(text, "## Not promised")
	for _, m := range testMention.FindAllStringSubmatch(text, -1) {
		if !there[m[1]] {
			t.Errorf("the threat model points to %s, which is not there", m[1])
		}
	}
	for _, promise := range strings.Split(promised, "\n- ")[1:] {
		if !testMention.MatchString(promise) {
			t.Errorf("no test is named for: %s", promise)
		}
	}
}

// TestDocsListProtectedPaths: the page on commands lists all protected names.
func TestDocsListProtectedPaths(t *testing.T) {
	t.Parallel()
	page := read(t, filepath.Join(root, "docs", "commands.md"))
	for _, name := range protect.Names() {
		if !strings.Contains(page, "`"+name.Path+"`") {
			t.Errorf("docs/commands.md does not list `%s`: %s", name.Path, name.Reason)
		}
	}
}
