package shell_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestAdviceNamesPresets: who lets npm fetch one package will want the next one too, so
// that the preset of the tool is named and not the host; unless the preset is there.
func TestAdviceNamesPresets(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	for _, c := range []struct{ program, line, want string }{
		{"npm", "npm install --fetch-retries=0 left-pad@1.0.0", `network = ["api.test", "preset:npm"]`},
		{"pip3", "python3 -m venv v && v/bin/pip install --retries 0 --no-deps x", `network = ["api.test", "preset:pip"]`},
		{"go", "printf 'module x\nrequire example.org/m v1.0.0\n' > go.mod; go mod download", `network = ["api.test", "preset:go"]`},
		{"cargo", "mkdir src; echo > src/lib.rs; printf '[package]\nname = \"w\"\nversion = \"0.1.0\"\n[dependencies]\nserde = \"1\"\n' > Cargo.toml; CARGO_NET_RETRY=0 cargo fetch", `network = ["api.test", "preset:cargo"]`},
		{"curl", "curl -sSf http://pkg.test/", `network = ["api.test", "pkg.test"]`},
	} {
		if _, err := exec.LookPath(c.program); err != nil {
			t.Logf("%s: not tried, it is not here", c.program)
			continue
		}
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			tool := listedTool(t, targets{DNS: "1"}, "api.test")
			result, _ := run(t, tool, c.line)
			if said := strings.Join(result.Notes, "\n"); !strings.Contains(said, "the sandbox refused the network (") || !strings.Contains(said, "allow it with [sandbox] "+c.want) || len(result.Notes) != 1 {
				t.Errorf("%q\n%s", said, result.Output)
			}
		})
	}
}

// TestServersThatAreAskedForDirectly: programs written in Go ask no proxy for this machine,
// also where the list has it.
func TestServersThatAreAskedForDirectly(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	tool := listedTool(t, targets{DNS: "1"}, "127.0.0.1:1")
	result, _ := run(t, tool, "printf 'module x\nrequire example.org/m v1.0.0\n' > go.mod; GOSUMDB=off GOPROXY=http://127.0.0.1:1 go mod download")
	if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "(127.0.0.1:1): it was asked for without the proxy") {
		t.Errorf("%q\n%s", result.Notes, result.Output)
	}
}

// TestServersOfThisMachine: one that is listed, and may be private, is reached by its
// loopback address, and one that may not be is refused by its name.
func TestServersOfThisMachine(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	to := machine(t, shortDir(t))
	for _, name := range []string{"127.0.0.1", "localhost"} {
		server := name + ":" + to.Plain
		tool := listedTool(t, to, server)
		if result, _ := run(t, tool, "curl -sSf http://"+server+"/"); !strings.Contains(strings.Join(result.Notes, ""), `(`+server+`); allow it with [sandbox] private = ["api.test", "a.below.test", "mods.test", "`+server+`"]`) {
			t.Errorf("%q\n%s", result.Notes, result.Output)
		}
		if name != "localhost" { // which the test's name server does not know
			tool = listedTool(t, to, server)
			tool.Sandbox.Private = []string{server}
			if _, got := run(t, tool, "curl -sS http://"+server+"/"); !strings.Contains(got.Stdout, "hello") {
				t.Errorf("%+v", got)
			}
		}
		if result, _ := run(t, tool, "curl -sS http://"+name+":1/ || true"); !strings.Contains(strings.Join(result.Notes, ""), "("+name+":1)") {
			t.Errorf("another port: %q\n%s", result.Notes, result.Output)
		}
	}
}

// TestAdviceForProgramsThatKnowNoProxy: a list of hosts does nothing for ssh and clients of
// databases, also where it has their hosts, at whatever port.
func TestAdviceForProgramsThatKnowNoProxy(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	const ssh = `python3 -c 'import socket; socket.create_connection(("code.test", 22))'`
	for _, c := range []struct{ list, line, want, not string }{
		{"code.test:22", ssh, `(code.test): it was asked for without the proxy that HTTP_PROXY names`, `["code.test"]`},
		{"api.test", ssh, `only network = "full"`, "private"},
		{"api.test", `python3 -c 'import socket; socket.create_connection(("192.0.2.1", 443))'`, `allow it with [sandbox] network = "full": the program asked no proxy`, "the.host"},
		{"api.test", `curl -sS http://127.0.0.1:8099/`, `(127.0.0.1:8099)`, `"loopback"`},
	} {
		result, _ := run(t, listedTool(t, targets{DNS: "1"}, c.list), c.line)
		if said := strings.Join(result.Notes, "\n"); len(result.Notes) != 1 || !strings.Contains(said, c.want) || !strings.Contains(said, `network = "full"`) || strings.Contains(said, c.not) {
			t.Errorf("%s, %s: %q, expected %s\n%s", c.list, c.line, said, c.want, result.Output)
		}
	}
}
