package shell_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// errCaptured is what a capture answers: nothing was run.
var errCaptured = errors.New("captured")

// capture is a backend that keeps the last command it was given.
type capture struct {
	shell.Backend
	command *shell.Command
}

func (c *capture) Create(_ context.Context, command shell.Command) (shell.TerminalID, error) {
	c.command = &command
	return "", errCaptured
}

// ran is the command that a call comes down to, through the gate under these
// rules; nil if it was refused, which err says.
func ran(t testing.TB, args map[string]any, rules ...hostapi.Rule) (*shell.Command, error) {
	t.Helper()
	backend := &capture{}
	registry, err := hostapi.NewRegistry(&shell.Tool{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(rules)}})
	defer gate.Close(time.Second)
	_, err = gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: encodedArgs(t, args)})
	asAuthored(backend.command)
	return backend.command, err
}

func bashRules(patterns ...string) (rules []hostapi.Rule) {
	for _, pattern := range patterns {
		rules = append(rules, hostapi.Rule{Tool: "bash", Pattern: pattern})
	}
	return rules
}

func TestGrantedLineIsWrittenAnew(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git log":                            "'git' 'log'",
		" git\t log  'a b' \"it's\" \\; # x": `'git' 'log' 'a b' 'it'\''s' ';'`,
		"git log && head||git log|head":      "'git' 'log' && 'head' || 'git' 'log' | 'head'",
		"git log&&\n# x\nhead":               "'git' 'log' && 'head'",
		"git log; head # a\n\n# b\nhead":     "'git' 'log'\n'head'\n'head'",
		"head& git log &":                    "'head' &\n'git' 'log' &",
		"git log >/dev/null 2>&1 <'/dev/null' >>/dev/null <&0 2>&-": "'git' 'log' 1>/dev/null 2>&1 0</dev/null 1>>/dev/null 0<&0 2>&-",
		"! git log | head":                                     "! 'git' 'log' | 'head'",
		"(git log;(head)) 2>&1|{ head & head;}":                "( 'git' 'log'; ( 'head'; ); ) 2>&1 | { 'head' & 'head'; }",
		"if head\nthen head;elif head;then head;else\nhead;fi": "if 'head'; then 'head'; elif 'head'; then 'head'; else 'head'; fi",
		"while head; head & do head;done >/dev/null":           "while 'head'; 'head' & do 'head'; done 1>/dev/null",
		"until ! head;do head|head;done":                       "until ! 'head'; do 'head' | 'head'; done",
		`\head '' "" 'if' "x"y\z`:                              "'head' '' '' 'if' 'xyz'",
		"head 'a\nb' \"c\\\nd\" e\\\nf":                        "'head' 'a\nb' 'cd' 'ef'",
		"'x=1' head":                                           "'x=1' 'head'",
		"head if then ! {} é 日本 fi":                            "'head' 'if' 'then' '!' '{}' 'é' '日本' 'fi'",
	} {
		command, err := ran(t, map[string]any{"command": line}, bashRules("*")...)
		if err != nil || command == nil {
			t.Errorf("%q is refused: %v", line, err)
			continue
		}
		if command.Line != want || command.Argv != nil {
			t.Errorf("%q runs as\n%s %q, want\n%s", line, command.Line, command.Argv, want)
		}
		if written := shell.Explain(line, nil).Written; written != want {
			t.Errorf("%q is explained as %s", line, written)
		}
	}
}

func TestBareRuleRunsTheLineAsItStands(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"echo $HOME > x", "git log # x", "git  log"} {
		command, err := ran(t, map[string]any{"command": line}, append(bashRules("git log *"), hostapi.Rule{Tool: "bash"})...)
		if err != nil || command == nil || command.Line != line {
			t.Errorf("%q runs as %v, %v", line, command, err)
		}
	}
}

func TestGrantedArgvRunsAsItWasDecided(t *testing.T) {
	t.Parallel()
	argv := []string{"git", "log", "a b", "$x", "\x01\n*", ""}
	command, err := ran(t, map[string]any{"argv": argv}, bashRules("git log *")...)
	if err != nil || command == nil || command.Line != "" || strings.Join(command.Argv, "|") != strings.Join(argv, "|") {
		t.Errorf("it runs as %v, %v", command, err)
	}
}

// A plan is a tool's own: one that another tool made runs nothing.
func TestPlanOfAnotherToolRunsNothing(t *testing.T) {
	t.Parallel()
	backend := &capture{}
	call := hostapi.Call{Tool: "bash", Args: encodedArgs(t, map[string]any{"command": "git log"}), Plan: foreign{}, Scoped: true}
	result, err := (&shell.Tool{Backend: backend}).Invoke(t.Context(), call)
	if err != nil || result.ExitCode == 0 || backend.command != nil {
		t.Errorf("%v %v %v", result, err, backend.command)
	}
}

type foreign struct{}

func (foreign) Subjects() []hostapi.Subject { return nil }

// What bash knows and sh does not is refused under a pattern, so that the line
// means the same wherever it runs.
func TestLinesThatBashAndShReadDifferentlyAreRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"git log &>/dev/null touch P", "git log &>>/dev/null", "git log |& touch P", "git log <<<x", "git log >&P", "git log >&/dev/null",
		"git log $'x'", `git log $"x"`, "git log {a,b}", "git log <(touch P)", "git log >(touch P)", "git log @(a|b)", "git log !(a)", "git log +(a)",
		"coproc git log", "[[ x ]]", "((1))", "function git { touch P; }", "time git log", "select x in a; do git log; done",
		"case x in x) git log;;& esac", "case x in x) git log;& esac", "git log 3>&1", "git log {x}>/dev/null", "git log 2>&1-", "git log <>/dev/null", "git log >|/dev/null",
		"git log 10>/dev/null", "git log 02>&1", "git log &| head", "a=(git log)", "a+=b", "for ((;;)) { git log; }", "if git log; then { git log; } fi; }",
		"! ! git log", "git log | ! git log", "!", "git log; ;", "{git log;}", "()", "( )", "{ }", "if git log; then fi", "git log () { head; }",
		"git log #\\\ntouch P", "git log # x\\\ntouch P", "git log;#\\\ntouch P", "#\\\ngit log", "git log && #\\\ntouch P",
		"git log \\\n#; touch P", "git log 0<&0>/dev/null", "git log >&2\\\n>/dev/null", "git log 2>&\"\"-", "git log 2>&'1'", "git log 2>&\\-", "git log 2>&\\\\\n1",
	} {
		command, err := ran(t, map[string]any{"command": line}, bashRules("*")...)
		if !errors.Is(err, hostapi.ErrDenied) || command != nil {
			t.Errorf("%q is granted: %v, %v", line, command, err)
		}
	}
}

func TestRefusalSaysWhereAndWhatToWrite(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git log > f":              "at 1:9, a redirection to a file, which no pattern can name; write what the call returns with the tool write",
		"git log\n  é $x":          "at 2:5, a $variable; write its value",
		"git log $(head)":          "at 1:9, a substitution; run its command as a call of its own",
		"git log <<E\nx\nE":        "at 1:9, a here-document; give its text as the stdin of the call",
		"git log &>/dev/null":      "at 1:9, &>, which sh does not know; write >/dev/null 2>&1",
		"git log; sh -c x":         "at 1:10, sh -c runs what it is given or reads",
		"git log \"a*\" b*":        "at 1:15, a glob; quote it, or name the files",
		"git log 'x":               "at 1:9, it is not a shell line:",
		"git log #\\\nsh -c touch": "at 1:9, a comment that ends in a backslash",
	} {
		if _, err := ran(t, map[string]any{"command": line}, bashRules("git log *")...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %v, want %s", line, err, want)
		}
	}
}
