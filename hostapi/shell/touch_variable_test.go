package shell_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// settingLines set variables that make programs run what deny = ["bash(rm -rf *)"] is
// about, or may.
var settingLines = []string{
	"GIT_EXTERNAL_DIFF='rm -rf x' git diff", "export GIT_EXTERNAL_DIFF='rm -rf x'; git diff", "env GIT_EXTERNAL_DIFF='rm -rf x' git diff",
	"GIT_EXTERNAL_DIFF='sh -c \"rm -rf x\"' git diff", "GIT_EXTERNAL_DIFF='sh -c' git diff", "GIT_EXTERNAL_DIFF=$x git diff", "GIT_EXTERNAL_DIFF=$(cat f) git diff",
	"x='rm -rf x'; GIT_PAGER=\"$x\" git log", "read GIT_PAGER < f; export GIT_PAGER; git log", "for GIT_PAGER in a 'rm -rf x'; do git -p log; done", ": ${PAGER:=$x}; man ls",
	"GIT_PAGER=cat; GIT_PAGER+=';rm -rf x' git -p log", "declare -x GIT_PAGER='rm -rf x'; git log", "command export GIT_PAGER='rm -rf x'", "builtin export GIT_PAGER=$x",
	"timeout 5 env GIT_PAGER='rm -rf x' git -p log", "sudo GIT_PAGER='rm -rf x' git -p log", "bash -c 'PAGER=\"rm -rf x\" man ls'", "env \"GIT_PAGER=$x\" git log",
	"GIT_EDITOR='rm -rf' git commit", "GIT_EDITOR=rm git commit", "GIT_EDITOR=': ;' git commit", "GIT_SEQUENCE_EDITOR='rm -rf x #' git rebase -i HEAD", "VISUAL='rm -rf x' crontab", "EDITOR='true; rm -rf x' git commit",
	"HGEDITOR='rm -rf x' hg commit", "KUBE_EDITOR='rm -rf x' kubectl edit x", "GIT_SSH='rm' git fetch", "GIT_SSH_COMMAND='rm -rf x' git fetch", "GIT_ASKPASS='rm -rf x' git fetch", "SSH_ASKPASS='rm -rf x' git fetch", "GIT_PROXY_COMMAND='rm -rf x' git fetch",
	"PAGER='rm -rf x' man ls", "MANPAGER='rm -rf x' man ls", "AWS_PAGER='rm -rf x' aws x", "LESSOPEN='|rm -rf x' less f", "LESSOPEN='||- rm -rf x' less f", "BROWSER='true:rm -rf x' xdg-open x", "LESS='+!rm -rf x' less f",
	"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm -rf x' git -p log", "GIT_CONFIG_COUNT=1 git log", "GIT_CONFIG_KEY_0=x true", "export GIT_CONFIG_VALUE_12=y", "GIT_CONFIG_PARAMETERS=\"'alias.x=!rm -rf x'\" git x",
	"GIT_CONFIG_GLOBAL=f git x", "GIT_CONFIG_SYSTEM=f git x", "GIT_EXEC_PATH=$PWD git log", "GIT_TEMPLATE_DIR=t git init", "GIT_ALLOW_PROTOCOL=ext git clone 'ext::rm -rf x'",
	"MAKEFLAGS='--eval=$(shell rm -rf x)' make", "MAKEFLAGS='-kE $(shell rm -rf x)' make", "MAKEFLAGS='CC=rm' make", "MAKE='rm -rf x' make", "make CC='rm -rf x'", "make --eval='$(shell rm -rf x)'", "./configure CC='rm -rf x'", "MAKEFILES=f make",
	"CC='rm -rf x' make", "CC='env rm' make", "CXX=$x make", "LD='rm -rf x' make", "CFLAGS='; rm -rf x' make", "CFLAGS='-wrapper rm,-rf' make", "CFLAGS='-fplugin=./x.so' make", "CFLAGS='-specs=f' make", "LDFLAGS='-B.' make", "CFLAGS='$(shell rm -rf x)' make",
	"RUSTC='rm -rf x' cargo build", "RUSTC_WRAPPER='rm' cargo build", "RUSTFLAGS='-C linker=rm' cargo build", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='rm -rf x' cargo run", "CARGO_TARGET_X_LINKER=rm cargo build", "CARGO_ENCODED_RUSTFLAGS=$x cargo build",
	"GOFLAGS=-toolexec='rm -rf x' go build", "GOFLAGS='-toolexec=rm' go build", "GOFLAGS='-exec=rm -rf' go test", "GOFLAGS=-ldflags=-extld=rm go build", "GOAUTH='rm -rf x' go get x", "GOENV=f go build",
	"SHELL='rm' vim", "BASH_ENV=f bash s.sh", "ENV=f sh s.sh", "PYTHONSTARTUP=f python3", "NODE_OPTIONS='--require ./x.js' npm test", "NODE_OPTIONS='--import=data:text/javascript,1' npm test", "NODE_OPTIONS='-r ./x.js' npm test",
	"npm_config_script_shell='rm' npm test", "env npm_config_script-shell=rm npm test", "NPM_CONFIG_NODE_OPTIONS='--require=./x' npm test", "npm_config_userconfig=f npm test",
	"PERL5OPT=-Mx perl s", "PERL5DB='BEGIN{system(\"rm -rf x\")}' perl -d s", "RUBYOPT=-r./x ruby s", "LUA_INIT='os.execute(\"rm -rf x\")' lua s", "LUA_INIT_5_4=@f lua s", "JAVA_TOOL_OPTIONS='-XX:OnError=rm' java x", "MAVEN_OPTS=-javaagent:x.jar mvn test", "ERL_AFLAGS='-eval x' erl",
	"LD_PRELOAD=./x.so ls", "LD_AUDIT=./x.so ls", "DYLD_INSERT_LIBRARIES=x ls", "TAR_OPTIONS='--checkpoint-action=exec=rm' tar cf x y", "VIMINIT=':!rm -rf x' vim", "RSYNC_RSH='rm -rf x' rsync a b:", "FZF_DEFAULT_COMMAND='rm -rf x' fzf", "SECONDS=1 env SECONDS=\"1$x\" bash s.sh",
}

// plainSettingLines set such variables to what is harmless.
var plainSettingLines = []string{
	"GIT_PAGER=cat git log", "PAGER= git log", "export GIT_PAGER=cat PAGER=less", "GIT_EDITOR=true git rebase --continue", "EDITOR=: git commit --amend", "VISUAL='code --wait' git commit", "GIT_SEQUENCE_EDITOR='sed -i s/pick/squash/' git rebase -i HEAD~2",
	"GIT_AUTHOR_NAME=me GIT_COMMITTER_DATE=\"$d\" git commit -m x", "GIT_TERMINAL_PROMPT=0 GIT_TRACE=1 git fetch", "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git status", "GIT_DIR=x/.git git log", "GIT_SHA=$(git rev-parse HEAD)", "GIT_ASKPASS=true git fetch",
	"CC=clang CXX='ccache g++' make -j4", "CC=clang; export CC; make", "make CC=gcc CFLAGS='-O2 -g -Wall -Iinclude' -j", "CFLAGS='-O2 -fPIC -std=c11 -DX=1' LDFLAGS=-Llib make", "MAKEFLAGS=-j8 make", "MAKEFLAGS='-k --no-print-directory' make", "./configure CC=gcc --prefix=/usr",
	"RUSTC_WRAPPER=sccache cargo build", "RUSTFLAGS='-D warnings -C target-cpu=native' cargo build", "RUSTFLAGS=-Dwarnings cargo test", "GOFLAGS=-mod=mod go build", "GOFLAGS='-mod=vendor -count=1 -race' go test ./...", "GOOS=linux CGO_ENABLED=0 go build", "GOFLAGS= go build",
	"PYTHONPATH=src pytest -q", "PYTHONPATH=$PWD/src:$PYTHONPATH python3 -m unittest", "PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 python3 x.py", "NODE_ENV=test npm test", "NODE_OPTIONS=--max-old-space-size=4096 npm run build", "NODE_OPTIONS='--experimental-vm-modules --no-warnings' npx jest",
	"npm_config_loglevel=silent npm ci", "RUBYOPT=-W0 bundle exec rspec", "JAVA_TOOL_OPTIONS='-Xmx2g -Dfile.encoding=UTF-8' mvn test", "export SHELL=/bin/bash", "LESS=-FRX git log", "LD_LIBRARY_PATH=lib ./x", "PATH=$PWD/bin:$PATH make", "cc=$(command -v gcc); editor=$x", "read -r name value < x", "local EDITOR", "unset GIT_PAGER PAGER", "DEBUG=* npm test", "env -u PAGER git log",
}

// TestDenyingRulesSeeVariables that make other programs run something, whatever sets them.
func TestDenyingRulesSeeVariables(t *testing.T) {
	t.Parallel()
	for _, line := range settingLines {
		if touched, _ := touches(t, "rm -rf *", line); !touched {
			t.Errorf("bash(rm -rf *) is not about %q", line)
		}
	}
	for _, line := range plainSettingLines {
		if touched, why := touches(t, "rm -rf *", line); touched {
			t.Errorf("bash(rm -rf *) is about %q: %s", line, why)
		}
	}
}

// TestDenyingRulesSeeEnv: the env of a call counts as variables of its line do.
func TestDenyingRulesSeeEnv(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"a command":              {map[string]string{"GIT_EDITOR": "rm -rf x"}, true},
		"in a shell":             {map[string]string{"PAGER": "sh -c 'rm -rf x'"}, true},
		"settings":               {map[string]string{"MAKEFLAGS": "--eval=$(shell rm -rf x)"}, true},
		"among others":           {map[string]string{"A": "rm -rf x", "EDITOR": "rm -rf"}, true},
		"harmless":               {map[string]string{"GIT_EDITOR": "true", "CC": "gcc", "A": "rm -rf x"}, false},
		"one that is not passed": {map[string]string{"GIT_EXTERNAL_DIFF": "rm -rf x", "LD_PRELOAD": "x"}, false},
	} {
		for _, args := range []map[string]any{{"command": "git commit", "env": c.env}, {"argv": []string{"git", "commit"}, "env": c.env}} {
			encoded, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			touched, err := new(shell.Tool).Touches(t.Context(), hostapi.Call{Tool: "bash", Args: encoded}, hostapi.Rule{Tool: "bash", Pattern: "rm -rf *"})
			var opaque *hostapi.OpaqueError
			if err != nil && !errors.As(err, &opaque) {
				t.Fatal(err)
			}
			if touched != c.want {
				t.Errorf("%s, %v: touched %v (%v), want %v", name, slices.Sorted(maps.Keys(args)), touched, err, c.want)
			}
		}
	}
}
