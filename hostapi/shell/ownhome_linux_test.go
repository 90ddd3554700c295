package shell_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// What the lines of ways begin with: a repository at home that has git run a program, one
// whose hook is one, and in R the name of the home outside.
const evil = `git init -q $HOME/evil; mkdir -p $HOME/evil/lib; git -C $HOME/evil config core.fsmonitor "touch $PWN; false"
git init -q --bare $HOME/e.git; printf "#!/bin/sh\ntouch $PWN\n" > $HOME/e.git/hooks/pre-receive; chmod +x $HOME/e.git/hooks/pre-receive
R=$(dirname $HOME)/$(basename "$(awk '$5 == ENVIRON["HOME"] { print $4 }' /proc/self/mountinfo)")
TOP=$(dirname $(dirname $HOME)); ID=$(basename $(dirname $HOME)); remote() { git init -q cl; git -C cl remote add origin "$1"; }
`

// What people do outside.
const (
	look = `cd lib && git status`
	push = `cd cl && git commit -q --allow-empty -m1 && git push -q origin HEAD`
)

// ways try to lead people outside into the home of commands. OTHER is the home of
// another workspace, with the same in it, and OTHERS its name outside.
var ways = map[string]struct{ before, line, outside string }{
	"a link":                       {"", `ln -s $HOME/evil/lib lib`, look},
	"a link by a link":             {"", `ln -s $TOP cch; ln -s cch/$ID/home/evil/lib lib`, look},
	"a link to another's home":     {"", `ln -s $OTHER/evil/lib lib`, look},
	"a link to another's name":     {"", `ln -s $OTHERS/evil/lib lib`, look},
	"a link by another's":          {"", `ln -s $TOP cch; ln -s cch/${OTHER#$TOP/}/evil/lib lib`, look},
	"one of many links":            {"", `ln -s $HOME/evil/lib lib; mkdir many; ln -s $(seq -f /usr/x%g 5000) many`, look},
	"the name outside":             {"", `ln -s $R/evil/lib lib`, look},
	"the name outside, by a link":  {"", `ln -s $TOP cch; ln -s cch/$ID/$(basename $R)/evil/lib lib`, look},
	"a file .git":                  {"", `mkdir lib; echo gitdir: $HOME/evil/.git > lib/.git`, look},
	"a file .git by the name":      {"", `mkdir lib; echo gitdir: $R/evil/.git > lib/.git`, look},
	"a remote":                     {"", `remote $HOME/e.git`, push},
	"a remote by the name":         {"", `remote $R/e.git`, push},
	"a remote above a link":        {"", `ln -s $TOP cch; remote ../cch/../homes/$ID/home/e.git`, push},
	"a remote, encoded":            {"", `remote file://$PWD/%2e%2e/${HOME#$(dirname $PWD)/}/e.git`, push},
	"a remote at ~":                {"", `remote "~/${HOME#$USERS/}/e.git"`, push},
	"a remote at ~, by the name":   {"", `remote "~/${R#$USERS/}/e.git"`, push},
	"a remote of another's home":   {"", `remote $OTHER/e.git`, push},
	"a remote by another's name":   {"", `remote $OTHERS/e.git`, push},
	"a remote that is a file":      {"", `remote ./e; echo gitdir: $HOME/e.git > cl/e`, push},
	"a remote that is a file .git": {"", `remote up; echo gitdir: $R/e.git > cl/up.git`, push},
	"a remote of a working folder": {"", `mkdir -p a/b/c; git init -q a/b/c/R; cd a/b/c/R; git commit -q --allow-empty -m1
		git remote add origin ../../${HOME#$(dirname $OLDPWD)/}/e.git; git worktree add -q $OLDPWD/V`, `cd V && git push -q origin HEAD`},
	"the user's remote": {`git init -q --bare up; git init -q cl; ln -s up lnk; git -C cl remote add origin ../lnk`,
		`rm lnk; ln -s $TOP cch; ln -s cch/$ID/home/e.git lnk`, push},
}

// newHousehold is a tool in a folder beside the home of a user, where homes are kept, or
// not, and a program's name that nobody may run.
func newHousehold(t *testing.T, kept bool) (tool *shell.Tool, env map[string]string) {
	t.Helper()
	tool = newTool(t)
	top := t.TempDir()
	tool.Dir = filepath.Join(top, "w")
	user := filepath.Join(top, "user")
	for _, dir := range []string{tool.Dir, user} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if kept {
		tool.Sandbox.Homes = filepath.Join(user, ".cache", "scriptrun", "homes")
	}
	names := map[string]string{"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x"}
	names["PWN"], names["USERS"] = filepath.Join(top, "PWN"), user
	return tool, names
}

// asTheUser runs a line outside, as one would who has this home.
func asTheUser(t *testing.T, tool *shell.Tool, env map[string]string, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = tool.Dir, append(os.Environ(), "HOME="+env["USERS"])
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	_ = cmd.Run() // it fails where nothing is
}

// TestNothingLeadsToTheHomeOfCommands: whatever they leave in the workspace, with homes
// that are kept and with such that are not.
func TestNothingLeadsToTheHomeOfCommands(t *testing.T) {
	t.Parallel()
	if !keeps(t, "hidden home") {
		return
	}
	for i, name := range slices.Sorted(maps.Keys(ways)) {
		way := ways[name]
		for j, kind := range []string{"kept", "not kept"} {
			kept := j == 0
			if leftToOther(i + j) {
				continue
			}
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				tool, env := newHousehold(t, kept)
				if strings.Contains(way.line, "OTHER") {
					other := newTool(t)
					other.Sandbox.Homes = tool.Sandbox.Homes
					of := output(t, other, map[string]any{"command": evil + `echo $HOME; echo $R`, "env": env}, false)
					env["OTHER"], env["OTHERS"], _ = strings.Cut(strings.TrimSpace(of.Stdout), "\n")
				}
				asTheUser(t, tool, env, way.before)
				got := output(t, tool, map[string]any{"command": evil + way.line, "env": env}, false)
				asTheUser(t, tool, env, way.outside)
				if _, err := os.Lstat(env["PWN"]); err == nil {
					t.Errorf("a program of a command ran outside\n%+v", got)
				}
				if got.ExitCode != 0 {
					t.Errorf("the line does not work: %+v", got)
				}
			})
		}
	}
}

// TestNothingLeadsToTheHomeOfAnOrdinaryUsersCommands tries the same as a user without rights.
func TestNothingLeadsToTheHomeOfAnOrdinaryUsersCommands(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestNothingLeadsToTheHomeOfCommands")
}

// TestHomesHaveNamesThatEnd: what a command reads of its home's name outside is dead when
// it has ended, also while others run; and the home is the same for all.
func TestHomesHaveNamesThatEnd(t *testing.T) {
	t.Parallel()
	if !keeps(t, "hidden home") {
		return
	}
	tool, env := newHousehold(t, true)
	const line = evil + `ls $HOME/mark || echo x > $HOME/mark; echo $R; echo $HOME`
	handle, result, err := tool.Start(t.Context(), hostapi.Call{Args: encoded(t, map[string]any{"command": "until [ -e end ]; do sleep 0.01; done; cat $HOME/mark", "env": env})})
	if err != nil || handle == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	second := newTool(t) // as another process would have
	second.Dir, second.Sandbox.Homes = tool.Dir, tool.Sandbox.Homes
	had := map[string]bool{}
	for _, by := range []*shell.Tool{tool, second, tool, second} {
		for _, background := range []bool{false, true} {
			got := output(t, by, map[string]any{"command": line, "env": env}, background)
			lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
			name, home := lines[len(lines)-2], lines[len(lines)-1]
			if had[name] || filepath.Dir(name) != filepath.Dir(home) || filepath.Base(name) == "home" {
				t.Errorf("its name is %s, with home %s, after %v", name, home, had)
			}
			if len(had) > 0 && lines[0] != home+"/mark" {
				t.Errorf("it is another home: %+v", got)
			}
			had[name] = true
			for _, path := range []string{name, home} {
				if _, err := os.Lstat(path); err == nil {
					t.Errorf("%s is there when the command has ended", path)
				}
			}
		}
	}
	asTheUser(t, tool, env, "touch end")
	if result, err = handle.Wait(t.Context()); err != nil || decoded(t, result).Stdout != "x\n" {
		t.Errorf("%+v, %v", result, err)
	}
	if err := handle.Close(); err != nil {
		t.Error(err)
	}
}

// TestHomesOfOthersAreNotSeen: also where commands may read, or write, what holds them.
func TestHomesOfOthersAreNotSeen(t *testing.T) {
	t.Parallel()
	if !keeps(t, "hidden home") {
		return
	}
	tool, env := newHousehold(t, true)
	other := newTool(t)
	other.Sandbox.Homes = tool.Sandbox.Homes
	run(t, other, "echo x > $HOME/mark")
	for _, granted := range []string{env["USERS"], tool.Sandbox.Homes, filepath.Dir(tool.Sandbox.Homes)} {
		tool.Sandbox.Read = []string{granted}
		got := output(t, tool, map[string]any{"command": `ls -A ` + tool.Sandbox.Homes + `; ls -A $(dirname $HOME); echo x > $HOME/x && cat $HOME/x; touch ` + tool.Sandbox.Homes + `/y`, "env": env}, false)
		if lines := strings.Fields(got.Stdout); len(lines) != 3 || lines[1] != "home" || lines[2] != "x" || got.ExitCode == 0 {
			t.Errorf("with %s: %+v", granted, got)
		}
	}
	// One that is not kept, where they may write all around it.
	tool, env = newHousehold(t, false)
	tool.Sandbox.Write = []string{os.TempDir()}
	got := output(t, tool, map[string]any{"command": `cd $(dirname $(dirname $HOME)) && ls | wc -l; mv $PWD ../moved; mkdir x; echo x > $HOME/x && cat $HOME/x`, "env": env}, false)
	if got.Stdout != "1\nx\n" {
		t.Errorf("%+v", got)
	}
}

// TestNamesOfAHomeCountForAnOrdinaryUser tries names of a home as a user without rights.
func TestNamesOfAHomeCountForAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestNamesOfAHomeCountInAPartOfIt")
}
