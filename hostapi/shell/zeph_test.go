//go:build unix

package shell_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// The cases below compare where commands run, and with what, with zeph's
// ExecutionContext. The numbers are those of that comparison; "WZ" are its
// weaknesses, and what stands there is our answer.

// zephTool is a tool with environments, in a workspace with folders a and b,
// and a link "out" that leads outside.
func zephTool(t *testing.T) *shell.Tool {
	t.Helper()
	tool := newTool(t)
	for _, dir := range []string{"a", "b/deep"} {
		if err := os.MkdirAll(filepath.Join(tool.Dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(tool.Dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b", filepath.Join(tool.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	tool.Environments = []shell.Environment{
		{Name: "plain", Cwd: "a", Env: map[string]string{"WHO": "plain", "PLAIN": "1", "PLAIN_TOKEN": "secret"}},
		{Name: "bare", Env: map[string]string{"WHO": "bare"}},
		{Name: "trusted", Env: map[string]string{"WHO": "trusted", "API_TOKEN": "secret", "LD_TEST": "x"}, Trusted: true},
		{Name: "usual", Cwd: "b", Env: map[string]string{"WHO": "usual", "USUAL": "1", "USUAL_KEY": "secret"}, Trusted: true},
	}
	return tool
}

func TestZephResolution(t *testing.T) {
	t.Parallel()
	call := func(args ...any) map[string]any {
		m := map[string]any{"argv": []string{"sh", "-c", "pwd -P; env"}}
		for i := 0; i < len(args); i += 2 {
			m[args[i].(string)] = args[i+1]
		}
		return m
	}
	vars := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for _, p := range pairs {
			name, value, _ := strings.Cut(p, "=")
			m[name] = value
		}
		return m
	}
	for _, c := range []struct {
		id, what string
		usual    string // the default environment
		args     map[string]any
		cwd      string
		has      map[string]string
		lacks    []string
		says     string // in the refusal; nothing ran
	}{
		{"3a-01", "a call with nothing of its own", "", call(), ".", nil, []string{"WHO"}, ""},
		{"3a-03", "cwd: the call's wins", "usual", call("environment", "plain", "cwd", "b/deep"), "b/deep", vars("WHO=plain"), nil, ""},
		{"3a-03", "cwd: then the named environment's", "usual", call("environment", "plain"), "a", nil, nil, ""},
		{"3a-03", "cwd: then the default environment's", "usual", call("environment", "bare"), "b", vars("WHO=bare"), nil, ""},
		{"3a-03", "cwd: then the workspace", "trusted", call(), ".", nil, nil, ""},
		{"3a-04", "env: the call's wins", "usual", call("environment", "plain", "env", vars("WHO=call")), "a", vars("WHO=call", "PLAIN=1", "USUAL=1"), nil, ""},
		{"3a-04 3a-05", "env: the named over the default one", "usual", call("environment", "plain"), "a", vars("WHO=plain", "USUAL=1"), nil, ""},
		{"3a-06", "variables alone do not switch the default one off", "usual", call("env", vars("X=1")), "b", vars("WHO=usual", "X=1"), nil, ""},
		{"3a-07", "an unknown name", "", call("environment", "plan"), "", nil, nil, `environment "plan" is not configured; did you mean "plain"?`},
		{"3a-09", "a relative cwd joins the workspace, links followed", "", call("cwd", "link/deep"), "b/deep", nil, nil, ""},
		{"3a-10", "a cwd that is not there", "", call("cwd", "nowhere"), "", nil, nil, "nowhere does not exist"},
		{"3a-10", "a cwd that is a file", "", call("cwd", "/etc/passwd"), "", nil, nil, "is not a directory"},
		{"3a-11", "a cwd outside", "", call("cwd", "/"), "", nil, nil, "outside the workspace"},
		{"3a-11", "a cwd outside, by dots", "", call("cwd", "a/../.."), "", nil, nil, "outside the workspace"},
		{"3a-11", "a cwd outside, by a link", "", call("cwd", "out"), "", nil, nil, "outside the workspace"},
		{"3a-15", "a trusted default is trusted", "trusted", call(), ".", vars("API_TOKEN=secret", "LD_TEST=x"), nil, ""},
		{"3a-15", "the default may be named", "trusted", call("environment", "trusted"), ".", vars("API_TOKEN=secret", "LD_TEST=x"), nil, ""},
		{"3a-15", "a trusted default with a directory", "usual", call(), "b", vars("USUAL_KEY=secret"), nil, ""},
		{"3a-15", "variables of the call end trust", "trusted", call("environment", "trusted", "env", vars("X=1")), ".", vars("WHO=trusted", "X=1"), []string{"API_TOKEN", "LD_TEST"}, ""},
		{"3a-15", "a directory of the call ends trust", "trusted", call("environment", "trusted", "cwd", "a"), "a", vars("WHO=trusted"), []string{"API_TOKEN"}, ""},
		{"3a-15", "an untrusted name over a trusted default", "usual", call("environment", "plain"), "a", vars("USUAL=1"), []string{"USUAL_KEY", "PLAIN_TOKEN"}, ""},
		{"3a-16", "names are withheld whoever set them", "", call("environment", "plain", "env", vars("MY_SECRET=x", "AWS_REGION=x", "ok=1")), "a", vars("ok=1", "PLAIN=1"), []string{"MY_SECRET", "AWS_REGION", "PLAIN_TOKEN"}, ""},
		{"3a-17", "whatever their case", "", call("env", vars("github_sha=x", "Ld_Preload=x", "myPassword=x")), ".", nil, []string{"github_sha", "Ld_Preload", "myPassword"}, ""},
	} {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			tool := zephTool(t)
			tool.Default = c.usual
			tool.Env = append(tool.Env, "HOST_TOKEN=x") // the host's own list is no environment
			result, got, err := invoke(t.Context(), t, tool, c.args, 0)
			if c.says != "" {
				said := result.Output
				if err != nil {
					said = err.Error()
				}
				if !strings.Contains(said, c.says) || got.Stdout != "" {
					t.Errorf("got %q, %q; want %q", said, got.Stdout, c.says)
				}
				return
			}
			if err != nil || got.ExitCode != 0 {
				t.Fatalf("%v, %+v", err, result)
			}
			root, err := filepath.EvalSymlinks(tool.Dir)
			if err != nil {
				t.Fatal(err)
			}
			pwd, env, _ := strings.Cut(got.Stdout, "\n")
			if want := filepath.Join(root, c.cwd); pwd != want {
				t.Errorf("it ran in %s, want %s", pwd, want)
			}
			inside := vars(strings.Split(env, "\n")...)
			for name, want := range c.has {
				if inside[name] != want {
					t.Errorf("%s is %q, want %q", name, inside[name], want)
				}
			}
			for _, name := range append(c.lacks, "HOST_TOKEN") {
				if _, there := inside[name]; there {
					t.Errorf("%s reached the command", name)
				}
			}
		})
	}
}

// TestZephValues: 3a-01 and 3a-02, an ExecContext as a value.
func TestZephValues(t *testing.T) {
	t.Parallel()
	var zero shell.ExecContext
	if zero.Name() != "" || zero.Cwd() != "" || len(zero.Env()) != 0 || zero.Trusted() {
		t.Errorf("3a-01: the zero context is %+v", zero)
	}
	one := zero.WithEnv("A", "1").WithEnv("A", "2")
	two := one.WithEnv("B", "3").WithCwd("/x").WithName("n")
	if got := one.Env(); !slices.Equal(got, []string{"A=2"}) {
		t.Errorf("3a-01: the last write counts, and others do not change it: %q", got)
	}
	if two.Trusted() || zero.WithName("trusted").Trusted() {
		t.Error("3a-02: a context that somebody made is trusted")
	}
}

// TestZephConfiguration: what is refused before any command.
func TestZephConfiguration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, what string
		spoil    func(*shell.Tool)
		says     string
	}{
		{"3a-08", "a default that is no environment", func(tool *shell.Tool) { tool.Default = "usal" }, `did you mean "usual"?`},
		{"3a-13", "an environment with a cwd that is not there", func(tool *shell.Tool) { tool.Environments[0].Cwd = "nowhere" }, `environment "plain": cwd "nowhere"`},
		{"3a-13 3a-14", "an environment with a cwd outside", func(tool *shell.Tool) { tool.Environments[2].Cwd = "out" }, "outside the workspace"},
		{"3a-13", "two of a name", func(tool *shell.Tool) { tool.Environments[1].Name = "plain" }, "configured twice"},
		{"3a-13", "a name that is none", func(tool *shell.Tool) { tool.Environments[1].Name = "a b" }, "a name matches"},
		{"3a-13", "a variable that cannot be set", func(tool *shell.Tool) { tool.Environments[1].Env = map[string]string{"A=B": "1"} }, "cannot be set"},
	} {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			tool := zephTool(t)
			c.spoil(tool)
			if _, err := hostapi.NewRegistry(tool); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	var unknown *shell.UnknownEnvironmentError
	tool := zephTool(t)
	tool.Default = "nothing-like-it"
	if err := tool.Validate(); !errors.As(err, &unknown) || !slices.Equal(unknown.Configured, []string{"bare", "plain", "trusted", "usual"}) {
		t.Errorf("3a-08: %v", err)
	}
}

// ofRefuser are the variables by which programs ask the host, which says no.
var ofRefuser = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "PIP_PROXY", "NO_PROXY", "no_proxy", "NODE_USE_ENV_PROXY", "GIT_HTTP_PROXY_AUTHMETHOD",
}

// ofHousehold are the variables with which commands find their home folder and
// toolchains, and know that there is no network.
var ofHousehold = []string{
	"HOME", "PYENV_ROOT", "PYENV_HOOK_PATH", "RBENV_ROOT", "NODENV_ROOT", "GOENV_ROOT", "RUSTUP_HOME", "NVM_DIR", "FNM_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "VOLTA_HOME", "SDKMAN_DIR",
	"UV_PYTHON_INSTALL_DIR", "GOPROXY", "GOTOOLCHAIN", "npm_config_offline", "npm_config_update_notifier", "PIP_RETRIES", "PIP_DISABLE_PIP_VERSION_CHECK",
	"CARGO_NET_OFFLINE", "RUSTUP_AUTO_INSTALL", "UV_OFFLINE",
}

// TestZephSameInsideAndBehind: 3a-19, 3a-20, WZ1 and WZ2. The environment
// inside the sandbox is exactly what was merged, the household's variables
// apart, and the directory the one that
// was resolved, in the foreground and in the background, in every profile.
func TestZephSameInsideAndBehind(t *testing.T) {
	t.Setenv("SHELL_TEST_PLANTED", "planted")
	t.Setenv("GITHUB_TOKEN", "planted")
	t.Setenv("LC_SHELLTEST", "inherited")
	for _, profile := range []shell.Profile{shell.ProfileReadOnly, shell.ProfileWorkspace, shell.ProfileOff} {
		tool := zephTool(t)
		tool.Sandbox.Profile, tool.Env = profile, []string{trace, "MINE=1"}
		args := map[string]any{"argv": []string{"env"}, "cwd": "link", "environment": "plain", "env": map[string]string{"A": "x y\nz"}}
		want := map[string]bool{"MINE=1": true, trace: true, "A=x y\nz": true, "WHO=plain": true, "PLAIN=1": true}
		for _, entry := range os.Environ() {
			name, _, _ := strings.Cut(entry, "=")
			if name == "HOME" && profile != shell.ProfileOff {
				continue
			}
			if slices.Contains([]string{"PATH", "HOME", "SHELL", "USER", "LANG", "TERM", "TZ"}, name) || strings.HasPrefix(name, "LC_") {
				want[entry] = true
			} else if name == "TMPDIR" && profile == shell.ProfileOff {
				want[entry] = true
			}
		}
		behind, fore := background(t, tool, args), answer{}
		if _, got, err := invoke(t.Context(), t, tool, args, 0); err == nil {
			fore = got
		}
		for where, got := range map[string]string{"fore": fore.Stdout, "back": behind.Stdout} {
			entries := map[string]bool{}
			for entry := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(got, "y\nz", "y\x00z"), "\n"), "\n") {
				entries[strings.ReplaceAll(entry, "\x00", "\n")] = true
			}
			if profile != shell.ProfileOff && entries["HOME="+os.Getenv("HOME")] {
				t.Errorf("%s, %sground: HOME is the user's own", profile, where)
			}
			maps.DeleteFunc(entries, func(e string, _ bool) bool {
				name, _, _ := strings.Cut(e, "=")
				return (name == "TMPDIR" || slices.Contains(ofHousehold, name) || slices.Contains(ofRefuser, name)) && profile != shell.ProfileOff
			})
			if !maps.Equal(entries, want) {
				t.Errorf("%s, %sground: the environment is %v, want %v", profile, where, entries, want)
			}
		}
		args["argv"] = []string{"pwd", "-P"}
		root, err := filepath.EvalSymlinks(filepath.Join(tool.Dir, "b"))
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := invoke(t.Context(), t, tool, args, 0); err != nil || got.Stdout != root+"\n" || background(t, tool, args).Stdout != got.Stdout {
			t.Errorf("%s: it ran in %q, %v; want %s", profile, got.Stdout, err, root)
		}
	}
}

// background runs a call as ctx.shell.start does.
func background(t *testing.T, tool *shell.Tool, args map[string]any) answer {
	t.Helper()
	handle, result, err := tool.Start(t.Context(), hostapi.Call{Args: encoded(t, args)})
	if err != nil || handle == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	defer func() {
		if err := handle.Close(); err != nil {
			t.Error(err)
		}
	}()
	if result, err = handle.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return decoded(t, result)
}

// TestZephWeaknesses: the rest of what zeph gets wrong.
func TestZephWeaknesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, what, line string
		holds          func(hostapi.Result, answer) bool
	}{
		{"WZ3", "a true exit code in the background", "exit 7", func(_ hostapi.Result, a answer) bool { return a.ExitCode == 7 }},
		{"WZ4", "a timeout is not text", "echo '[timeout] timed out after 1s and was ended'", func(r hostapi.Result, a answer) bool { return r.Outcome == hostapi.OutcomeOK && !a.TimedOut }},
		{"WZ4", "nor is a failure", "echo 'permission denied: no such file or directory' >&2", func(r hostapi.Result, _ answer) bool { return r.Outcome == hostapi.OutcomeOK }},
		{"WZ5", "names of every provider are withheld", "env", func(_ hostapi.Result, a answer) bool { return !strings.Contains(a.Stdout, "planted") }},
		{"WZ7", "bytes that are not text do not end a stream", `printf '\377\376\nend'`, func(_ hostapi.Result, a answer) bool { return a.StdoutEncoding == "base64" && a.Stdout == "//4KZW5k" }},
		{"WZ8", "one long line is bounded while it is read", "head -c 3000000 /dev/zero | tr '\\0' x", func(r hostapi.Result, a answer) bool {
			return a.Truncated && len(a.Stdout) <= 64<<10 && len(r.Data) <= 65<<10 && r.Bytes == 3000000
		}},
		{"WZ9", "closed streams do not hide the end", "exec >&- 2>&-; exit 5", func(_ hostapi.Result, a answer) bool { return a.ExitCode == 5 }},
		{"WZ10", "stdin is nobody's", "cat; readlink /proc/self/fd/0", func(_ hostapi.Result, a answer) bool {
			return strings.HasSuffix(a.Stdout, "/dev/null\n") || a.Stdout == ""
		}},
		{"WZ12", "the signal is named", "echo before; kill -SEGV $$", func(_ hostapi.Result, a answer) bool {
			return a.Signal == "SIGSEGV" && a.ExitCode == -1 && a.Stdout == "before\n"
		}},
	} {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			for _, name := range []string{"GITHUB_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK", "LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "OPENAI_ORG", "HF_HOME", "DYLD_X"} {
				tool.Env = append(tool.Env, name+"=planted")
			}
			result, got, err := invoke(t.Context(), t, tool, map[string]any{"command": c.line}, 0)
			if err != nil || !c.holds(result, got) {
				t.Errorf("%v, %s %+v", err, result.Outcome, got)
			}
			if behind := background(t, tool, map[string]any{"command": c.line}); c.id == "WZ3" && behind.ExitCode != 7 {
				t.Errorf("in the background: %+v", behind)
			}
		})
	}
	// What was withheld is said, by name and never by value.
	tool := newTool(t)
	tool.Env = append(tool.Env, "MY_TOKEN=planted")
	result, _ := run(t, tool, "true")
	var meta struct{ WithheldEnv []string }
	if err := json.Unmarshal(result.Metadata, &meta); err != nil || !slices.Equal(meta.WithheldEnv, []string{"MY_TOKEN"}) {
		t.Errorf("metadata %s, %v", result.Metadata, err)
	}
}
