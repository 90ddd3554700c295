package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// touchedLines are lines that a rule is about, or may be: what a person who writes it
// would not want to get past it.
var touchedLines = map[string][]string{
	"git push *": {
		"git push", "git push origin main", "/usr/bin/git push", "./git push", "git -C . push", "git --no-pager push --force",
		"git -c alias.x=push x", "g'i't push", "\"git\" 'push'", "gi\\t push", "git p''ush", "git \\\npush",
		"true; git push", "true && git push", "git log | git push", "(git push)", "{ git push; }", "! git push", "git push &",
		"if true; then git push; fi", "while git push; do :; done", "for x in 1; do git push; done", "case x in x) git push;; esac",
		"f() { git push; }; f", "echo $(git push)", "echo `git push`", "echo \"$(git push)\"", "x=$(git push)", "cat <(git push)",
		"cat <<EOF\n$(git push)\nEOF", "echo ${x:-$(git push)}", "[[ -n $(git push) ]]",
		"env git push", "env A=b git push", "env -i git push", "env -S 'git push'", "timeout 5 git push", "nohup git push", "sudo git push",
		"sudo -u nobody git push", "nice -n 5 git push", "time git push", "command git push", "exec git push", "builtin command git push",
		"xargs git push", "echo push | xargs git", "xargs -I{} git {}", "find . -exec git push \\;", "flock f git push", "flock f -c 'git push'",
		"bash -c 'git push'", "sh -c \"git push\"", "bash -xc 'git push'", "bash -c \"$x\"", "bash -c 'bash -c \"git push\"'", "echo git push | sh", "bash <<< 'git push'",
		"eval git push", "eval 'git pu''sh'", "eval \"$x\"", "trap 'git push' EXIT", "alias g=git; g push", "source /dev/stdin", "hash -p /usr/bin/git g; g push",
		"$x push", "git $x", "git $(echo push)", "git \"$x\"", "git p?sh", "git [p]ush", "git {push,log}", "{git,push}", "g?t push", "~/git push", "$'git' push", "git $'push'",
		"x='a[$(git push)]'; echo $((x))", "(( x ))", "[[ $x -eq 1 ]]", "echo ${a[x]}", "a[x]=1", "printf -v 'a[x]' y", "test -v 'a[x]'", "let x", "for ((;;)); do :; done", "${x@P}",
		"parallel git push", "watch git push", "ssh host git push", "su -c 'git push'", "busybox sh", "script -c 'git push'", "echo a #b\\\ngit push",
		"declare -n x=y", "read 'a[x]'", "unset 'a[x]'", "mapfile -C 'git push' x", "coproc git push", "git push; (",
		"sh -c -- 'git push'", "sh -ec -- 'git push'", "bash -c -x 'git push'", "bash -oc pipefail 'git push'", "trap -- 'git push' EXIT",
		"echo git push | xargs env", "echo git push | xargs timeout 5", "echo git | xargs -I{} env {} push", "echo git | xargs -I{} {} push", "jobs -x git push",
		"x='1 git push'; env A=$x", "env A=$(echo b git push)", "set -- 1 git push; env \"A=$@\"", "x='9 5 git push'; timeout --signal=$x", "timeout 5 ./a=b/git push",
		"echo \"${x:-'$(git push)'}\"", "echo \"${HOME:+'$(git push)'}\"", "cat <<E\n${x:-'$(git push)'}\nE", "cat <<EOF\nEO\\\nF\ngit push\nEOF", "echo \"${HOME##x <(git push)}\"", "echo ${HOME/a/ <(git push)}", "echo ${y:=echo <(git push)}",
		"{\"git\",push}", "{'git',push}", "echo &>/dev/null git push", "x='a[$(git push)]'; echo ${!x}", "o=-v; test $o 'a[$(git push)]'", "o=-v; [ $o 'a[x]' ]", "printf -$o 'a[x]' y", "o=-v; test \"$o\" \"$y\"",
		"'declare' -i x; x='a[$(git push)]'", "command declare -i x", "\\typeset -i x", "builtin local -i x", "read a[x]", "unset a[x]", "read -r \"$y\"", ": {a[x]}>/dev/null",
		"PS4='$(git push)'; set -x; :", "BASH_ENV='$(git push)' bash -c :", "env BASH_ENV=x bash -c :", "export BASH_ENV=x", "env 'BASH_FUNC_ls%%=() { git push; }' bash -c ls", "BASH_ALIASES=(zz \"git push\")", "BASH_CMDS=(g x/git); g push",
		"echo git push | bash ../../../dev/stdin", "cd /dev; echo git push | bash stdin", ". ../../../../dev/fd/3 3<<<'git push'", "/proc/self/exe -c 'git push'",
		"echo \u202e",
		"for PS4 in '$(git push)'; do set -x; echo; done",
		"f() { for PS4; do set -x; :; done; }; f '$(git push)'",
		"select PS4 in '$(git push)'; do set -x; :; break; done <<< 1",
		"read -r PS4 <<< '$(git push)'; set -x; :",
		"while read PS4; do set -x; :; done <<< '$(git push)'",
		"getopts 'x:' PS4 -x '$(git push)'; set -x; :",
		"unset PS4; y='$(git push)'; : ${PS4:=$y}; set -x; :",
		": ${PS4=$y}",
		"\\export PS4='$(git push)'; set -x; :",
		"command export PS4='$(git push)'; set -x; :",
		"command readonly PS4+=x",
		"PS4+='$(git push)'; set -x; :",
		"\\export \"$x\"",
		"read BASH_CMDS <<< /usr/bin/git; 0 push",
		"for BASH_CMDS in /usr/bin/git; do :; done; 0 push",
		"shopt -s expand_aliases",
		"coproc PS4 { :; }; set -x",
		"RANDOM='a[$(git push)]'",
		"RANDOM='a[`git push`]' ls",
		"for SECONDS in 'a[$(git push)]'; do :; done",
		"read SECONDS <<< 'a[$(git push)]'",
		"SECONDS+='a[$(git push)]'",
		"OPTIND='a[$(git push)]'",
		"read OPTIND <<< 'a[$(git push)]'",
		": ${OPTIND:=$y}",
		"HISTCMD='a[$(git push)]'",
		"SRANDOM='a[$(git push)]'",
		"f() { local SECONDS='a[$(git push)]'; }; f",
		"export SECONDS='a[$(git push)]'",
		"sleep 0 & wait -n -p 'a[$(git push)]'",
		"set -k; bash s.sh BASH_ENV='$(git push)'",
		"set -o keyword",
		"set -ek",
		"set $x; bash s.sh BASH_ENV=y",
		"set -o history -o histexpand",
		"set -H -o history",
		"history -s 'git push'",
		"flock /tmp/l -c 'git${IFS}push'",
		"timeout 5 flock /tmp/l -c '(git push)'",
		"flock -c 'git push<x' l",
		"env xargs -I{} git {}",
		"echo push | env xargs -tI% git %",
		"echo push | xargs -rI% git %",
		"echo git push | xargs --repl=% sh s.sh",
		"git grep -nO'git push' x",
		"git grep --open-files-in-pager='git push' x",
		"git rebase -ix 'git push' HEAD",
		"git difftool -yx 'git push' HEAD",
		"git fetch --upload-pack='git push' .",
		"git clone -u 'git push' . x",
		"git ls-remote --upl='git push' .",
		"git archive --remote=. --exec='git push' HEAD",
	},
	"rm -rf *": {
		"rm -rf x", "rm -fr x", "rm -r -f x", "rm x -rf", "rm -Rf x", "rm --recursive --force x", "rm -r --force x", "rm -rvf x", "/bin/rm -rf x", "rm $opts x", "rm -r$f x", "sudo rm -rf /",
		"find . -exec rm -rf {} +", "find . | xargs rm -rf", "find . | xargs rm", "rm -\"rf\" x", "{'rm',-rf,x}", "rm {\"-rf\",x}", "rm *", // a file may be called -rf
	},
	"curl *":                   {"curl", "curl x", "/usr/bin/curl x", "timeout 1 curl x"},
	"git push --force *":       {"git push --force", "git push origin --force", "git push -f", "git push --forc x", "git push $x"},
	"curl -X POST *":           {"curl -X POST u", "curl -XPOST u", "curl -sXPOST u -X POST"},
	"gh api --method DELETE *": {"gh api --method DELETE x", "gh api --method=DELETE x", "gh api --meth=DELETE x"},
	"docker run -v /:/h *":     {"docker run -v /:/h x", "docker run -v/:/h x", "docker run --volume=/:/h x"},
	"./deploy.sh *": {
		"./deploy.sh prod", "sh deploy.sh prod", "sh ./deploy.sh", "bash ./deploy.sh prod", ". ./deploy.sh", "source ./deploy.sh prod", "dash deploy.sh", "bash -e ./deploy.sh", "env sh ./deploy.sh",
	},
	"./manage.py *":  {"python3 manage.py migrate", "python manage.py", "python3.12 -u ./manage.py", "python3 -W ignore manage.py migrate"},
	"time *":         {"time ls", "time -p ls", "/usr/bin/time ls", "env time ls"},
	"export *":       {"export", "export A=1", "export A", "command export A"},
	"export TOKEN=*": {"export TOKEN=1", "export A=1 TOKEN=$x", "export \"$x\""},
	"declare -p *":   {"declare -p", "declare -xp A"},
	"let *":          {"let x=1"},
	"npm publish":    {"npm publish", "npm --silent publish", "npm publish --dry-run"},
}

// plainLines are honest lines that no rule of these is about.
var plainLines = map[string][]string{
	"git push *": {
		"git log", "git status --short", "git commit -m 'ready to go'", "ls -la", "go test ./...", "for f in *.txt; do wc -l \"$f\"; done", "echo \"$HOME\"", "cat x > y",
		"timeout 5 go test ./...", "env GOOS=linux go build", "nohup ./server", "find . -name '*.go' -exec grep -l x {} +", "xargs wc -l", "bash ./build.sh", "sh build.sh", "bash -c 'ls | wc -l'",
		"export PATH=$PWD/bin:$PATH", "set -e; make", ". venv/bin/activate", "x=1; echo $x", "[ -f x ] && cat x", "[[ -f x ]] && cat x", "trap 'rm -f tmp' EXIT", "cat <<EOF\ntext $x\nEOF", "python -c 'print(1)'", "git diff > x.patch",
		"echo $(date)", "while read -r line; do echo \"$line\"; done < x", "case $x in a) ls;; esac", "npm ci && npm test", "f() { ls; }; f", "find . -exec grep x {} \\;", "find . \\( -name a -o -name b \\) -exec rm {} \\;",
		"SECONDS=0; make; echo $SECONDS", "OPTIND=1; while getopts ab: o; do :; done", "sleep 1 & wait $!", "set -euo pipefail; make", "set -- a b; make", "export A=$x B", "readonly X=1", "local x=$1",
		"git rebase --continue", "git lfs pull", "git frobnicate", "git clone --depth 1 x y", "git grep -n x", "git fetch --prune", "for i in 1 2; do echo $i; done", "shopt -s nullglob", "flock /tmp/l make", "xargs -n1 wc -l", "read -r a b < x", "git commit -m 'x --exec y'", "echo 'git push'",
	},
	"./deploy.sh *":      {"sh build.sh", "python3 x.py deploy.sh", "cat deploy.sh", "bash build.sh deploy.sh"},
	"time *":             {"ls", "sleep 1", "echo time"},
	"export *":           {"A=1 make", "local A=1", "echo export"},
	"export TOKEN=*":     {"export A=1", "TOKEN=1 make", "export TOKEN"},
	"rm -rf *":           {"rm x", "rm -r x", "rm -f x", "rm -- x", "ls -rf", "git rm x"},
	"git push --force *": {"git push", "git push origin main", "git push --tags"},
}

// TestDenyingRulesMissNothing, and what a computed word could be counts.
func TestDenyingRulesMissNothing(t *testing.T) {
	t.Parallel()
	for pattern, lines := range touchedLines {
		for _, line := range lines {
			if touched, why := touches(t, pattern, line); !touched {
				t.Errorf("bash(%s) is not about %q: %s", pattern, line, why)
			}
		}
	}
}

// TestDenyingRulesLetHonestLinesBe: a rule about one program does not stand in the way
// of lines of others, though no rule with a pattern could grant some of them.
func TestDenyingRulesLetHonestLinesBe(t *testing.T) {
	t.Parallel()
	for pattern, lines := range plainLines {
		for _, line := range lines {
			if touched, why := touches(t, pattern, line); touched {
				t.Errorf("bash(%s) is about %q: %s", pattern, line, why)
			}
		}
	}
}

func touches(t *testing.T, pattern, line string) (touched bool, why string) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	touched, err = new(shell.Tool).Touches(t.Context(), hostapi.Call{Tool: "bash", Args: args}, hostapi.Rule{Tool: "bash", Pattern: pattern})
	var opaque *hostapi.OpaqueError
	if err != nil && !errors.As(err, &opaque) {
		t.Fatal(err)
	}
	if opaque != nil {
		return true, opaque.Reason
	}
	return touched, ""
}

// TestDenyingRulesCostLittle: what would take long to decide is not decided, and counts;
// when the run has ended nothing is.
func TestDenyingRulesCostLittle(t *testing.T) {
	t.Parallel()
	words := func(n int, word string) []string { return append([]string{"env"}, slices.Repeat([]string{word}, n)...) }
	ended, end := context.WithCancel(t.Context())
	end()
	for name, args := range map[string]any{
		"long words":     map[string]any{"argv": words(990, strings.Repeat("x", 2000)+"/npm")},
		"many words":     map[string]any{"argv": words(990, "npm")},
		"lines as words": map[string]any{"argv": words(990, strings.Repeat("npm;", 4000))},
		"lines in lines": map[string]any{"command": "env '" + strings.Repeat("npm;", 1000) + "'" + strings.Repeat("; env npm npm npm", 500)},
		"wildcards":      map[string]any{"command": "npm " + strings.Repeat("\"$x\"a", 2000)},
	} {
		encoded, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		call := hostapi.Call{Tool: "bash", Args: encoded}
		rule := hostapi.Rule{Tool: "bash", Pattern: "npm " + strings.Repeat("*a", 1000) + " publish"}
		var opaque *hostapi.OpaqueError
		if touched, err := new(shell.Tool).Touches(t.Context(), call, rule); !touched || !errors.As(err, &opaque) || !strings.Contains(opaque.Reason, "analysed") {
			t.Errorf("%s: %v, %v", name, touched, err)
		}
		if _, err := new(shell.Tool).Touches(ended, call, rule); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v when the run had ended", name, err)
		}
	}
}
