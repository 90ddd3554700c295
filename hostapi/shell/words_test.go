package shell_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// subjectsOf plans a call of the tool bash.
func subjectsOf(t testing.TB, args map[string]any) ([]hostapi.Subject, error) {
	t.Helper()
	plan, err := (&shell.Tool{}).Plan(t.Context(), hostapi.Call{Tool: "bash", Args: encodedArgs(t, args)})
	if err != nil {
		return nil, err
	}
	return plan.Subjects(), nil
}

func encodedArgs(t testing.TB, args map[string]any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// granted reports what the tool's subjects say of a call under these patterns.
func granted(t testing.TB, args map[string]any, patterns ...string) (ok, opaque bool) {
	t.Helper()
	subjects, err := subjectsOf(t, args)
	if err != nil {
		var why *hostapi.OpaqueError
		return false, errors.As(err, &why) && why.Reason != ""
	}
	for _, subject := range subjects {
		if !slices.ContainsFunc(patterns, subject.Match) {
			return false, false
		}
	}
	return len(subjects) > 0, false
}

// ruleCase says what a line is under patterns.
type ruleCase struct {
	line     string
	patterns []string
	want     string
}

// What a line may be.
const (
	yes    = "granted"
	no     = "refused"
	opaque = "opaque"
)

func ruleCases() []ruleCase {
	gitLog := []string{"git log *"}
	gitAndHead := []string{"git log *", "head *", "echo *"}
	return []ruleCase{
		// Plain commands.
		{"git log", gitLog, yes},
		{"git log --oneline -n 5", gitLog, yes},
		{"  git   log\t-1  ", gitLog, yes},
		{"git log\n", gitLog, yes},
		{"git logs", gitLog, no},
		{"git", gitLog, no},
		{"gitlog", gitLog, no},
		{"git status", gitLog, no},
		{"Git log", gitLog, no},
		{"/usr/bin/git log", gitLog, no},
		{"./git log", gitLog, no},
		{"echo git log", gitLog, no},
		{"git log HEAD~1 stash@{0} HEAD^ a=b:c %x @ +1 -- src/x.go", gitLog, yes},
		{"git log é 日本 😀", gitLog, yes},

		// Quotes are not what counts.
		{"'git' \"log\" 'a b'", gitLog, yes},
		{`g"i"t lo'g'`, gitLog, yes},
		{`\git log`, gitLog, yes},
		{`git\ log x`, gitLog, no},
		{`"git log" x`, gitLog, no},
		{"git lo\\\ng -1", gitLog, yes},
		{"git \\\n log", gitLog, yes},
		{`git log "a;rm -rf /" '$(rm)' "\$x" "a\"b" 'x*'`, gitLog, yes},
		{`git log "foo$"`, gitLog, yes},
		{`git log --grep="^x"`, gitLog, yes},
		{"git log \\", gitLog, opaque},

		// More than one command.
		{"git log; rm -rf /", gitLog, no},
		{"git log && rm x", gitLog, no},
		{"git log || rm x", gitLog, no},
		{"git log | rm x", gitLog, no},
		{"git log |& rm x", gitLog, opaque},
		{"git log & rm x", gitLog, no},
		{"git log\nrm x", gitLog, no},
		{"git log\r\nrm x", gitLog, opaque},
		{"git log; git log -1 && git log -2", gitLog, yes},
		{"git log &", gitLog, yes},
		{"! git log", gitLog, yes},
		{"time git log", gitLog, opaque},
		{"(git log; rm x)", gitLog, no},
		{"{ git log; rm x; }", gitLog, no},
		{"(git log); { git log; }", gitLog, yes},
		{"git log | head -n 1", gitAndHead, yes},
		{"git log # ; rm x", gitLog, yes},
		{"git log # x\nrm x", gitLog, no},
		{"git log x#y; rm", gitLog, no},
		{"# git log", gitLog, no},
		{"git log ''#; rm x", gitLog, no},
		{`git log \* ""#; rm x`, gitLog, no},
		{"git log x\\\n#; rm x", gitLog, no},
		{"if git log; then rm x; fi", gitLog, no},
		{"if git log; then echo a; elif git log; then echo b; else rm; fi", gitAndHead, no},
		{"if git log; then echo a; else echo b; fi", gitAndHead, yes},
		{"while git log; do rm; done", gitLog, no},
		{"until git log; do git log; done", gitLog, yes},
		{"for i in a b; do git log; done", gitLog, opaque},
		{"for i in a b; do rm; done", gitLog, opaque},
		{"for PATH in /tmp; do git log; done", gitLog, opaque},
		{"for ((;;)); do git log; done", gitLog, opaque},
		{"select i in a; do git log; done", gitLog, opaque},
		{"case x in x) git log;; *) rm;; esac", gitLog, opaque},
		{"case x in x|y*) git log;; esac", gitLog, opaque},
		{"case $x in x) git log;; esac", gitLog, opaque},

		// Substitutions.
		{"git log $(rm x)", gitLog, opaque},
		{`git log "$(rm x)"`, gitLog, opaque},
		{"git log $(git log)", gitLog, opaque},
		{"git log $(git log) HEAD", []string{"git log", "git log * HEAD"}, opaque},
		{"git log $(git log)", []string{"git log", "git log *x"}, opaque},
		{"git $(echo log)", []string{"git *", "echo *"}, opaque},
		{"$(echo rm) x", []string{"*", "echo *"}, opaque},
		{"git log `rm x`", gitLog, opaque},
		{"`echo git` log", gitAndHead, opaque},
		{"git log <(rm x)", gitLog, opaque},
		{"git log >(rm x)", gitLog, opaque},
		{"git log $x", gitLog, opaque},
		{"git log ${x:-$(rm)}", gitLog, opaque},
		{`git log "$x"`, gitLog, opaque},
		{"$x log", gitLog, opaque},
		{"git log $((1+1))", gitLog, opaque},
		{"git log $(( a[$(rm)] ))", gitLog, opaque},
		{`git log $'\n'rm`, gitLog, opaque},
		{`git log $"x"`, gitLog, opaque},
		{"git log $(git log # )\n)", gitLog, opaque},
		{"git log $(case x in x) rm;; esac)", gitLog, opaque},
		{"git log ${ rm; }", gitLog, opaque},

		// Words that expand.
		{"git log *", gitLog, opaque},
		{"git log a?c", gitLog, opaque},
		{"git log [ab]", gitLog, opaque},
		{`git log ["a"]`, gitLog, opaque},
		{"git log {a,b}", gitLog, opaque},
		{`git log {"a","b"}`, gitLog, opaque},
		{"git log {1..3}", gitLog, opaque},
		{"git log {},{}", gitLog, opaque},
		{"{git,rm} log", gitLog, opaque},
		{"git log ~", gitLog, opaque},
		{"git log --x=~/y", gitLog, opaque},
		{"git log @(a|b)", gitLog, opaque},

		// Redirections.
		{"git log > f", gitLog, opaque},
		{"git log >> f", gitLog, opaque},
		{"git log >| f", gitLog, opaque},
		{"git log &> f", gitLog, opaque},
		{"git log >& f", gitLog, opaque},
		{"git log <> f", gitLog, opaque},
		{"git log < f", gitLog, opaque},
		{"git log < /dev/tcp/h/80", gitLog, opaque},
		{"> f", gitLog, opaque},
		{"> f git log", gitLog, opaque},
		{"{ git log; } > f", gitLog, opaque},
		{"(git log) > f", gitLog, opaque},
		{"git log {fd}> /dev/null", gitLog, opaque},
		{"git log > /dev/null", gitLog, yes},
		{"git log > /dev/null/../x", gitLog, opaque},
		{"git log 2>&1 < /dev/null", gitLog, yes},
		{"git log 2>/dev/null >&- | head", gitAndHead, yes},
		{"git log &>/dev/null", gitLog, opaque},
		{"> /dev/null", gitLog, opaque},

		// Here-documents.
		{"git log <<EOF\nrm x\nEOF", gitLog, opaque},
		{"git log <<EOF\nx\nEOF\nrm x", gitLog, opaque},
		{"git log <<'EOF'\n$(rm x) \\ $x\nEOF", gitLog, opaque},
		{"git log <<EOF\n$(rm x)\nEOF", gitLog, opaque},
		{"git log <<EOF\n`rm x`\nEOF", gitLog, opaque},
		{"git log <<EOF\n$x\nEOF", gitLog, opaque},
		{"git log <<EOF\nx\\\nEOF\nEOF", gitLog, opaque},
		{"git log <<E\"O\"F\nx\nEOF", gitLog, opaque},
		{"git log <<EOF\nnever ends", gitLog, opaque},
		{"git log <<< 'x'", gitLog, opaque},
		{"git log <<< $(rm)", gitLog, opaque},
		{"git log <<< $x", gitLog, opaque},

		// Assignments, definitions, evaluation.
		{"PATH=/tmp git log", gitLog, opaque},
		{"PATH=/tmp; git log", gitLog, opaque},
		{"x=$(rm) git log", gitLog, opaque},
		{"a[0]=1; git log", gitLog, opaque},
		{"export PATH=/tmp; git log", gitLog, opaque},
		{`\export PATH=/tmp; git log`, []string{"*"}, opaque},
		{"git() { rm; }; git log", gitLog, opaque},
		{"function git { rm; }; git log", gitLog, opaque},
		{"alias git=rm; git log", []string{"*"}, opaque},
		{". ./x; git log", []string{"*"}, opaque},
		{"source x", []string{"*"}, opaque},
		{"set -k; git log PATH=x", []string{"*"}, opaque},
		{"hash -p /tmp/x git; git log", []string{"*"}, opaque},
		{"trap 'rm x' EXIT", []string{"*"}, opaque},
		{"eval git log", []string{"*"}, opaque},
		{"[[ -n x ]]", []string{"*"}, opaque},
		{"((x))", []string{"*"}, opaque},
		{"let x=1", []string{"*"}, opaque},
		{"test -v 'a[$(rm)]'", []string{"*"}, opaque},
		{"printf -v 'a[$(rm)]' x", []string{"*"}, opaque},
		{"[ -f x ] && test -d y", []string{"*"}, yes},
		{"coproc git log", []string{"*"}, opaque},

		// Commands that run others.
		{"env git log", []string{"*"}, opaque},
		{"/usr/bin/env git log", []string{"*"}, opaque},
		{"git log | xargs rm", []string{"*"}, opaque},
		{"timeout 5 git log", []string{"*"}, opaque},
		{"nohup git log", []string{"*"}, opaque},
		{"sudo git log", []string{"*"}, opaque},
		{"exec git log", []string{"*"}, opaque},
		{"command git log", []string{"*"}, opaque},
		{`\command git log`, []string{"*"}, opaque},
		{"builtin eval rm", []string{"*"}, opaque},
		{"sh -c 'rm x'", []string{"*"}, opaque},
		{"bash -lc 'rm x'", []string{"*"}, opaque},
		{"echo rm | sh", []string{"*"}, opaque},
		{"bash <<EOF\nrm\nEOF", []string{"*"}, opaque},
		{"bash /dev/stdin", []string{"*"}, opaque},
		{"bash ./build.sh -c x", []string{"bash ./build.sh *"}, yes},
		{"find . -name '*.go'", []string{"find *"}, yes},
		{"find . -exec rm {} +", []string{"find *"}, opaque},
		{"find . -execdir rm {} ';'", []string{"find *"}, opaque},
		{"find . $(echo -exec rm)", []string{"*"}, opaque},
		{"git -c alias.x=!rm x", gitLog, opaque},
		{"git -c alias.x=!rm x", []string{"git *"}, opaque},
		{"git -C dir -c alias.x=!rm x", []string{"git *"}, opaque},
		{"git -C dir log", []string{"git -C * log"}, no},
		{"git -C dir log -1", []string{"git -C dir log *"}, yes},
		{"git log --output=x", gitLog, no},
		{"git log -p --ext-diff", gitLog, no},
		{"git log --output=x -1", []string{"git log --output=x *"}, yes},
		{"git log -c", gitLog, yes},
		{"git --exec-path=/tmp log", []string{"git *"}, opaque},
		{"git bisect run rm", []string{"git *"}, opaque},
		{"git submodule foreach rm", []string{"git *"}, opaque},
		{"'' git log", []string{"*"}, opaque},

		// What is no line at all.
		{"git log; (", gitLog, opaque},
		{"git log 'x", gitLog, opaque},
		{"git log \x01", gitLog, opaque},
		{"git log \u00a0rm", gitLog, opaque},
		{"git log \u200brm", gitLog, opaque},
		{"git log \u202erm", gitLog, opaque},
		{"git log " + strings.Repeat("x", 17<<10), gitLog, opaque},
		{strings.Repeat("(", 16<<10), gitLog, opaque},
		{strings.Repeat("$(", 8<<10), gitLog, opaque},
		{"git log " + strings.Repeat("\"$(git log ", 1000), gitLog, opaque},
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range ruleCases() {
		t.Run(fmt.Sprintf("%.60q", c.line), func(t *testing.T) {
			t.Parallel()
			ok, isOpaque := granted(t, map[string]any{"command": c.line}, c.patterns...)
			got := map[bool]string{true: yes, false: no}[ok]
			if isOpaque {
				got = opaque
			}
			if got != c.want {
				t.Errorf("%.80q under %q is %s, want %s", c.line, c.patterns, got, c.want)
			}
		})
	}
}

func TestRulesForArgv(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args map[string]any
		want bool
	}{
		{map[string]any{"argv": []string{"git", "log", "*", "$(rm)", "; rm"}}, true},
		{map[string]any{"argv": []string{"git log"}}, false},
		{map[string]any{"argv": []string{"sh", "-c", "git log"}}, false},
		{map[string]any{"argv": []string{"env", "git", "log"}}, false},
		{map[string]any{"argv": []string{"git", "log"}, "env": map[string]string{"PATH": "/tmp"}}, false},
		{map[string]any{"command": "git log", "env": map[string]string{"GIT_PAGER": "rm"}}, false},
		{map[string]any{"command": "git log", "cwd": "sub", "stdin": "x", "timeoutMs": 5}, true},
		{map[string]any{}, false},
	} {
		if ok, _ := granted(t, c.args, "git log *", "sh *", "env *"); ok != c.want {
			t.Errorf("%v: granted %v, want %v", c.args, ok, c.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, line string
		want          bool
	}{
		{"git log", "git log", true},
		{"git log", "git log x", false},
		{"git log*", "git log", true},
		{"prog log*", "prog logx", true},
		{"git log*", "git log x", false},
		{"prog * x", "prog a x", true},
		{"git * x", "git a b x", false},
		{"git * x", "git x", false},
		{"prog * x", "prog 'a b' x", true},
		{"git *log", "git log", true},
		{"prog --x=*", "prog --x='a b'", true},
		{"git --x=*", "git --x", false},
		{"a*b*c", "aXbYc", true},
		{"a*b*c", "abc", true},
		{"a*b*c", "acb", false},
		{"a*a", "a", false},
		{"* --version", "rm --version", true},
		{"*", "rm -rf x", true},
		{"git **", "git log", true},
		{"git **", "git log x", false},
		{"git\t log  *", "git log", true},
	} {
		if ok, _ := granted(t, map[string]any{"command": c.line}, c.pattern); ok != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.line, ok, c.want)
		}
	}
	for _, pattern := range []string{"", " ", "git log; rm", "git 'log'", `git "log"`, `git\ log`, "git $x", "a|b", "a&b", "a > b", "a < b", "a`b`", "f()", "{a,b}", "a\x01", "a\u200bb", "\xff", "A=b make", "bin/", "if *", "! ls", "[[ *"} {
		if (&shell.Tool{}).CheckPattern(pattern) == nil {
			t.Errorf("pattern %q is accepted", pattern)
		}
		if ok, _ := granted(t, map[string]any{"command": "git log"}, pattern); ok {
			t.Errorf("pattern %q grants something", pattern)
		}
	}
}

func TestSubjectShowsTheCommand(t *testing.T) {
	t.Parallel()
	subjects, err := subjectsOf(t, map[string]any{"command": `git log 'a b' "it's"; echo ` + strings.Repeat("x", 5000)})
	if err != nil || len(subjects) != 2 {
		t.Fatalf("%v %v", subjects, err)
	}
	if got := subjects[0].String(); got != `git log 'a b' "it's"` {
		t.Errorf("the subject is %s", got)
	}
	if n := len(subjects[1].String()); n > 300 {
		t.Errorf("a subject shows %d bytes", n)
	}
}

// FuzzSubjects holds the analysis against another walk of the line: whatever
// is granted under git log *, every simple command in it is a git log.
func FuzzSubjects(f *testing.F) {
	for _, line := range []string{
		"git log; rm -rf /", "git log $(rm x)", "git log\nrm", "git log > f", "git log `rm`", "git log <<E\nrm\nE\nrm",
		`\git log`, "g'i't \"log\"", "git -c alias.x=!rm x", "git lo\\\ng", "git log # x", "git log é", "x=1 git log",
		"if git log; then git log; fi", "for i in a; do git log; done", "case x in y) git log;; esac", "git log {a,b} ~ [x]",
		"git log $'x' $\"y\" ${z} $((1))", "(git log) | { git log; } &", "git log <<< \"$(git log)\"", "time git log 2>&1",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !utf8.ValidString(line) { // JSON holds UTF-8 only
			return
		}
		subjects, err := subjectsOf(t, map[string]any{"command": line})
		if err != nil || len(subjects) == 0 {
			return
		}
		for _, subject := range subjects {
			if subject.String() == "" {
				t.Errorf("a subject of %q shows nothing", line)
			}
			if !subject.Match("git log *") {
				return
			}
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
		if err != nil {
			t.Fatalf("%q is granted and does not parse: %v", line, err)
		}
		calls := 0
		syntax.Walk(file, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.CallExpr:
				calls++
				if len(n.Assigns) > 0 || len(n.Args) < 2 || bare(n.Args[0]) != "git" || bare(n.Args[1]) != "log" {
					t.Errorf("%q is granted and holds another command", line)
				}
			case *syntax.ParamExp, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob, *syntax.FuncDecl, *syntax.DeclClause, *syntax.Assign:
				t.Errorf("%q is granted and holds %T", line, n)
			}
			return true
		})
		if calls != len(subjects) {
			t.Errorf("%q has %d commands and %d subjects", line, calls, len(subjects))
		}
	})
}

// bare is a word with all its quoting taken away; what it computes stays out.
func bare(w *syntax.Word) string {
	var text strings.Builder
	syntax.Walk(w, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Lit:
			text.WriteString(strings.NewReplacer("\\\n", "", "\\", "").Replace(n.Value))
		case *syntax.SglQuoted:
			text.WriteString(n.Value)
		case *syntax.CmdSubst:
			return false
		}
		return true
	})
	return text.String()
}
