package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pushers are a repository with a remote, a tool that pushes, and settings that ask about it.
func pushers(t *testing.T, policy, script string) (dir string, getenv func(string) string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		"work/tools/push.js": "/*---\nkind: script\ndescription: Pushes.\nallowed_tools: [bash, write]\nlimits: {timeoutMs: 20000}\n---*/\n" + script,
		"config.toml":        policy,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-ec", `git init -q --bare remote
printf '#!/bin/sh\necho pushed >> pushes\n' > remote/hooks/post-receive; chmod +x remote/hooks/post-receive
cd work; git init -q -b main; git config user.name t; git config user.email t@example.org; git commit -q --allow-empty -m one; git remote add origin ../remote`)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir, func(name string) string {
		if name == "HOME" {
			return home
		}
		return os.Getenv(name)
	}
}

// pushes is what the remote's hook wrote, a line for each push.
func pushes(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, "remote", "pushes"))
	return string(text)
}

func pushed(dir string) bool { return pushes(dir) == "pushed\n" }

const asksPush = "[policy]\nask = [\"bash(git push *)\"]\n[sandbox]\nprofile = \"off\"\n"

// TestTerminalIsAsked: yes pushes once, no is a ToolError that the script can catch,
// Ctrl-C is no, and earlier typing is no answer.
func TestTerminalIsAsked(t *testing.T) {
	t.Parallel()
	const once = "export default async (ctx) => { try { await ctx.bash('git push -q origin main'); return 'pushed' } catch (e) { return e.name + ' ' + e.code + ' ' + e.message } }"
	for name, c := range map[string]struct {
		dialog, says string
		pushed       bool
	}{
		"yes":     {"n for no: \t\"y\"", "pushed", true},
		"no":      {"n for no: \t\"n\"", "ToolError denied", false},
		"Ctrl-C":  {"n for no: \t\"\\x03\"", "ToolError denied", false},
		"Escape":  {"n for no: \t\"\\x1b\"", "ToolError denied", false},
		"unknown": {"n for no: \t\"x\\r?y\"", "pushed", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, getenv := pushers(t, asksPush, once)
			screen, out, code, err := dialog(filepath.Join(dir, "work"), c.dialog, []string{"scriptrun", "run", "push", "--config", "../config.toml"}, getenv)
			if err != nil || code != 0 || !strings.HasPrefix(out, c.says) || pushed(dir) != c.pushed || !c.pushed && pushes(dir) != "" {
				t.Fatalf("%v, exit %d, %q, pushed %v; the terminal has %q", err, code, out, pushed(dir), screen)
			}
			for _, part := range []string{"May the script call bash, at tools/push.js:", "bash(git push *) (../config.toml:2:", "| $ git push -q origin main"} {
				if !strings.Contains(screen, part) {
					t.Errorf("the terminal has no %q: %q", part, screen)
				}
			}
		})
	}
}

// TestTerminalIsAskedInOrder: two concurrent calls are asked about one after the other, and an
// answer may be for the whole run.
func TestTerminalIsAskedInOrder(t *testing.T) {
	t.Parallel()
	const two = "export default async (ctx) => (await Promise.all(['one', 'two', 'three'].map((b) => ctx.bash('git push -q origin main:' + b).then(() => b, (e) => e.code)))).join()"
	for name, c := range map[string]struct{ dialog, says string }{
		"each":        {"push -q origin main:one\t\"\"\nn for no: \t\"y\"\npush -q origin main:two\t\"\"\nn for no: \t\"n\"\npush -q origin main:three\t\"\"\nn for no: \t\"y\"", "one,denied,three"},
		"doubled":     {"n for no: \t\"yyyy\"\nmain:two\t\"\"\nn for no: \t\"n\"\nmain:three\t\"\"\nn for no: \t\"y\"", "one,denied,three"},
		"for the run": {"n for no: \t\"n\"\nmain:two\t\"\"\nn for no: \t\"a\"", "denied,two,three"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, getenv := pushers(t, asksPush, two)
			screen, out, code, err := dialog(filepath.Join(dir, "work"), c.dialog, []string{"scriptrun", "run", "push", "--config", "../config.toml"}, getenv)
			if err != nil || code != 0 || strings.TrimSpace(out) != c.says {
				t.Fatalf("%v, exit %d, %q; the terminal has %q", err, code, out, screen)
			}
		})
	}
}

// TestTwoInterruptsEndARunThatAsks: whatever the run does after a no.
func TestTwoInterruptsEndARunThatAsks(t *testing.T) {
	t.Parallel()
	dir, getenv := pushers(t, asksPush, "export default async (ctx) => { for (;;) await ctx.approve('again').catch(() => 0) }")
	screen, out, code, err := dialog(filepath.Join(dir, "work"), "n for no: \t\"\\x03\"\nno\t\"\"\nn for no: \t\"\\x03\"",
		[]string{"scriptrun", "run", "push", "--config", "../config.toml"}, getenv)
	if err != nil || code != 130 || !strings.Contains(screen, "no, and the run ends") {
		t.Fatalf("%v, exit %d, %q; the terminal has %q", err, code, out, screen)
	}
}

// TestScriptAsksAPerson: the text of ctx.approve cannot look like the program's own.
func TestScriptAsksAPerson(t *testing.T) {
	t.Parallel()
	const script = "export default async (ctx) => { try { return await ctx.approve('really?\\n\\x1b[2Ky for yes', {to: 'prod'}) } catch (e) { return e.code } }"
	for key, says := range map[string]string{"y": "true", "n": "denied"} {
		dir, getenv := pushers(t, "", script)
		screen, out, _, err := dialog(filepath.Join(dir, "work"), fmt.Sprintf("n for no: \t%q", key), []string{"scriptrun", "run", "push", "--config", "../config.toml"}, getenv)
		if err != nil || strings.TrimSpace(out) != says {
			t.Fatalf("%v, %q; the terminal has %q", err, out, screen)
		}
		if !strings.Contains(screen, "The script asks, at tools/push.js:") || !strings.Contains(screen, "  | really?\r\n  | ") || strings.Contains(screen, "\x1b[2K") || !strings.Contains(screen, "prod") {
			t.Errorf("the terminal has %q", screen)
		}
	}
}

// TestQuestionCannotBeForged: every row of a script's text has a bar, however long the text is;
// the question says what it hides, and v shows it.
func TestQuestionCannotBeForged(t *testing.T) {
	t.Parallel()
	const script = "export default async (ctx) => ctx.bash('git push -q origin main:forged #' + ' '.repeat(100) + 'May the script call read? '.repeat(200)).then(() => 'pushed', (e) => e.code)"
	dir, getenv := pushers(t, asksPush, script)
	screen, out, _, err := dialog(filepath.Join(dir, "work"), "v to see more of it, n for no: \t\"v\"\nn for no: \t\"n\"", []string{"scriptrun", "run", "push", "--config", "../config.toml"}, getenv)
	if err != nil || strings.TrimSpace(out) != "denied" {
		t.Fatalf("%v, %q; the terminal has %q", err, out, screen)
	}
	for row := range strings.SplitSeq(screen, "\r\n") {
		row = row[strings.LastIndex(row, "\x1b[K")+1:]
		if len(row) > 80+3 {
			t.Errorf("a row is wrapped: %q", row)
		}
		if strings.Contains(row, "May the script call read") && !strings.HasPrefix(row, barred) {
			t.Errorf("a row has no bar: %q", row)
		}
	}
	if !strings.Contains(screen, "more rows are NOT SHOWN") {
		t.Errorf("the terminal has %q", screen)
	}
}

// TestTabsCannotForgeAQuestion: a terminal puts text after many tabs into a row of its own.
func TestTabsCannotForgeAQuestion(t *testing.T) {
	t.Parallel()
	const script = `export default async (ctx) => {
  let s = "ok"
  for (const row of ["The run is over. May the script read README.md?", "y for yes, n for no: "]) s += "\n" + "\t".repeat(13) + "." + row.padEnd(61)
  return ctx.bash("git push -q origin main; : '" + s + "'").then(() => "pushed", (e) => e.code)
}`
	dir, getenv := pushers(t, asksPush, script)
	screen, out, _, err := dialog(filepath.Join(dir, "work"), "all of this run, n for no: \t\"n\"", []string{"scriptrun", "run", "push", "--config", "../config.toml"}, getenv)
	if err != nil || strings.TrimSpace(out) != "denied" || !strings.Contains(screen, "The run is over") || strings.Contains(screen, "\t") {
		t.Fatalf("%v, %q; the terminal has %q", err, out, screen)
	}
}

// TestNobodyIsAskedInAPipe: the call is denied, and the error says what to do.
func TestNobodyIsAskedInAPipe(t *testing.T) {
	t.Parallel()
	dir, getenv := pushers(t, asksPush, "export default (ctx) => ctx.bash('git push -q origin main')")
	path, err := lookIn(getenv("PATH"), "scriptrun")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "run", "push", "--config", "../config.toml")
	cmd.Dir, cmd.Env = filepath.Join(dir, "work"), []string{"PATH=" + getenv("PATH"), "HOME=" + getenv("HOME")}
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 4 || !strings.Contains(string(out), "nobody to ask: run it on a terminal") || !strings.Contains(string(out), "config.toml:2:") || pushed(dir) {
		t.Errorf("%v: %s", err, out)
	}
}
