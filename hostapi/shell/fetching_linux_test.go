package shell_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestRefusedHostsAreNamed: a command that failed says whom the sandbox kept it
// from, and with which setting it would not; of one that succeeded there is a note.
func TestRefusedHostsAreNamed(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	to := machine(t, shortDir(t))
	tool := listedTool(t, to, "api.test:"+to.Plain, "inner.test:"+to.Plain)
	hosts := `"api.test:` + to.Plain + `", "inner.test:` + to.Plain + `"`
	ask := func(target string) string {
		return "u=${HTTP_PROXY#http://}; p=${u#*@}; exec 3<>/dev/tcp/${p%:*}/${p#*:}; printf 'GET http://" + target + "/ HTTP/1.1\\r\\nHost: x\\r\\nProxy-Authorization: Basic '$(printf %s ${u%@*} | base64 -w0)'\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3; "
	}
	for _, c := range []struct{ line, output, refused string }{
		{ask("other.test") + "false", `the sandbox refused the network (other.test:80); allow it with [sandbox] network = [` + hosts + `, "other.test"]`, "it is not on the list"},
		{ask("other.test:8080") + "kill -9 $$", `the sandbox refused the network (other.test:8080); allow it with [sandbox] network = [` + hosts + `, "other.test:8080"]`, "it is not on the list"},
		{ask("inner.test:"+to.Plain) + "false", `allow it with [sandbox] private = ["api.test", "a.below.test", "mods.test", "inner.test:` + to.Plain + `"]`, "not an address of the public internet"},
		{ask("other.test") + "true", "", "it is not on the list"},
		{ask("api.test:"+to.Plain) + "false", "", ""},
	} {
		for _, background := range []bool{false, true} {
			result := resultOf(t, tool, map[string]any{"command": c.line}, background)
			said := strings.Contains(result.Output, "; allow it with [sandbox] ")
			if said != (c.output != "") || !strings.Contains(result.Output, c.output) || strings.Contains(string(result.Data), `"refused"`) != (c.refused != "") || (len(result.Notes) > 0) != (c.refused != "") {
				t.Errorf("%s: %q %s", c.line, result.Output, result.Metadata)
			}
			if result.Traffic == nil || len(result.Traffic.Connections) != 1 {
				t.Fatalf("%s: %+v: %q", c.line, result.Traffic, result.Output)
			}
			if got := result.Traffic.Connections[0]; !strings.Contains(got.Refused, c.refused) || (got.Refused == "") != (got.Received > 0) {
				t.Errorf("%s: %+v", c.line, got)
			}
		}
	}
	if result, _ := run(t, tool, "false"); strings.Contains(result.Output, "sandbox") || len(result.Traffic.Connections) > 0 {
		t.Errorf("%+v", result)
	}
	none := newTool(t)
	if result, _ := run(t, none, "false"); result.Traffic != nil {
		t.Errorf("%+v", result)
	}
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ws-") // sockets have a place in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// resultOf is what the tool answers, in the foreground or not.
func resultOf(t *testing.T, tool *shell.Tool, args map[string]any, background bool) hostapi.Result {
	t.Helper()
	if !background {
		result, _, err := invoke(t.Context(), t, tool, args, 0)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	handle, result, err := tool.Start(t.Context(), hostapi.Call{Args: encoded(t, args)})
	if err != nil || handle == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	defer func() { _ = handle.Close() }()
	if result, err = handle.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestListedHostsThatCannotBe: a list that nobody can keep, or with a mistake in
// it, is refused before anything starts.
func TestListedHostsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]shell.Sandbox{
		`profile "off" cannot keep commands to some hosts`: {Profile: shell.ProfileOff, Network: sandbox.NetworkProxied, Hosts: []string{"api.test"}},
		"leave out https://":        {Network: sandbox.NetworkProxied, Hosts: []string{"https://api.test"}},
		`there is no preset "gem"`:  {Network: sandbox.NetworkProxied, Hosts: []string{"preset:gem"}},
		`the network is "loopback"`: {Network: sandbox.NetworkLoopback, Hosts: []string{"api.test"}},
		`private host "*.test"`:     {Network: sandbox.NetworkProxied, Hosts: []string{"api.test"}, Private: []string{"*.test"}},
	} {
		if err := (&shell.Tool{Sandbox: s}).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	tool := newTool(t)
	tool.Sandbox.Network, tool.Sandbox.Hosts = sandbox.NetworkProxied, []string{"preset:cargo"}
	tool.Env = append(tool.Env, "PATH=/nowhere") // the operator's, with no cargo on it
	if result, _ := run(t, tool, "touch started"); result.Outcome != hostapi.OutcomeNotStarted || !strings.Contains(result.Output, "preset:cargo: the hosts could not be found out: cargo is not installed") {
		t.Errorf("%+v", result)
	}
}

// registry is a server that programs fetch from, by a name that this machine's
// tools are told, and how often it was asked.
func registry(t *testing.T, files map[string][]byte) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := files[r.URL.Path]; ok {
			if strings.HasSuffix(r.URL.Path, "/") {
				w.Header().Set("Content-Type", "text/html")
			}
			_, _ = w.Write(bytes.ReplaceAll(text, []byte("HOST"), []byte(r.Host)))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return "http://mods.test:" + u.Port()
}

// TestFetchingThroughPresets: go, npm, pip and cargo fetch what is new from where this
// machine's configuration says, and from nowhere else.
func TestFetchingThroughPresets(t *testing.T) { //nolint:paralleltest // the environment is of the process
	if !keeps(t, "network") {
		return
	}
	to := machine(t, shortDir(t))
	packed := tarball(t, "package/package.json", `{"name": "three", "version": "1.0.0", "main": "i.js"}`, "package/i.js", "module.exports = 3")
	sum := sha512.Sum512(packed)
	wheel := []byte(zipped("three.py", "value = 3\n", "three-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: three\nVersion: 1.0\n",
		"three-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "three-1.0.dist-info/RECORD", "three.py,,\nthree-1.0.dist-info/METADATA,,\nthree-1.0.dist-info/WHEEL,,\nthree-1.0.dist-info/RECORD,,\n"))
	npm, err := json.Marshal(map[string]any{"name": "three", "dist-tags": map[string]string{"latest": "1.0.0"}, "versions": map[string]any{"1.0.0": map[string]any{
		"name": "three", "version": "1.0.0", "dist": map[string]string{"tarball": "http://HOST/npm/three/-/three-1.0.0.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	crate := tarball(t, "three-1.0.0/Cargo.toml", "[package]\nname = \"three\"\nversion = \"1.0.0\"\nedition = \"2021\"\n", "three-1.0.0/src/lib.rs", "pub const THREE: i32 = 3;\n")
	address := registry(t, map[string][]byte{
		"/cargo/config.json": []byte(`{"dl": "http://HOST/crates"}`), "/crates/three/1.0.0/download": crate,
		"/cargo/th/re/three":        fmt.Appendf(nil, `{"name": "three", "vers": "1.0.0", "deps": [], "cksum": "%x", "features": {}, "yanked": false}`, sha256.Sum256(crate)),
		"/go/example.org/m/@v/list": []byte("v1.0.0\n"), "/go/example.org/m/@v/v1.0.0.info": []byte(`{"Version":"v1.0.0"}`), "/go/example.org/m/@v/v1.0.0.mod": []byte("module example.org/m\n"),
		"/go/example.org/m/@v/v1.0.0.zip": []byte(zipped("example.org/m@v1.0.0/go.mod", "module example.org/m\n", "example.org/m@v1.0.0/m.go", "package m\n\nconst Three = 3\n")),
		"/npm/three":                      npm, "/npm/three/-/three-1.0.0.tgz": packed,
		"/pip/three/": []byte(`<a href="three-1.0-py3-none-any.whl">three</a>`), "/pip/three/three-1.0-py3-none-any.whl": wheel,
	})
	t.Setenv("GOPROXY", address+"/go")
	t.Setenv("GOSUMDB", "off")
	t.Setenv("npm_config_registry", address+"/npm/")
	t.Setenv("PIP_INDEX_URL", address+"/pip/")
	t.Setenv("CARGO_REGISTRIES_OWN_INDEX", "sparse+"+address+"/cargo/")
	host := strings.TrimPrefix(address, "http://")
	lacking := 0
	for _, c := range []struct {
		preset, program, line, want string
		files                       map[string]string
	}{
		{
			"preset:go", "go", "go mod tidy && go build -o w . && ./w 2>&1", "3\n",
			map[string]string{"go.mod": "module example.org/w\n\ngo 1.21\n\nrequire example.org/m v1.0.0\n", "w.go": "package main\n\nimport \"example.org/m\"\n\nfunc main() { println(m.Three) }\n"},
		},
		{
			"preset:npm", "npm", "npm install --no-audit --no-fund three >/dev/null && npm ci --no-audit --no-fund >/dev/null && node -p 'require(\"three\")'", "3\n",
			map[string]string{"package.json": `{"name": "w", "version": "1.0.0"}`},
		},
		{
			"preset:pip", "python3", "python3 -m venv v && v/bin/pip install -q --trusted-host ${PIP_INDEX_URL%%:[0-9]*} --trusted-host mods.test three && v/bin/python -c 'import three; print(three.value)'", "3\n", nil,
		},
		{
			"preset:cargo", "cargo", "cargo build -q && target/debug/w", "3\n",
			map[string]string{
				"Cargo.toml":  "[package]\nname = \"w\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nthree = { version = \"1.0.0\", registry = \"own\" }\n",
				"src/main.rs": "fn main() { println!(\"{}\", three::THREE) }\n",
			},
		},
	} {
		if _, err := exec.LookPath(c.program); err != nil {
			lacking++
			t.Logf("%s: not tried: %v", c.preset, err)
			continue
		}
		if c.program == "python3" && !worksOutside(t, "python3 -c 'import venv, ensurepip' && (pip3 --version || pip --version)") {
			lacking++
			t.Logf("%s: not tried: there is no pip on this machine", c.preset)
			continue
		}
		tool := listedTool(t, to, c.preset)
		tool.Timeout = 3 * time.Minute
		for name, text := range c.files {
			path := filepath.Join(tool.Dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		result := resultOf(t, tool, map[string]any{"command": c.line}, false)
		if got := decoded(t, result); got.Stdout != c.want || got.ExitCode != 0 {
			t.Errorf("%s: %+v %s", c.preset, got, result.Output)
		}
		reached := false
		for _, connection := range result.Traffic.Connections {
			if fmt.Sprintf("%s:%d", connection.Host, connection.Port) != host || connection.Refused != "" {
				t.Errorf("%s: %+v", c.preset, connection)
			}
			reached = reached || connection.Received > 0
		}
		if !reached {
			t.Errorf("%s: nothing came from %s", c.preset, host)
		}
		found := false
		for _, m := range tool.Confinement() {
			found = found || m.Name == "hosts" && strings.Contains(m.By, c.preset+" ("+host+")")
		}
		if !found {
			t.Errorf("%s: %+v", c.preset, tool.Confinement())
		}
	}
	t.Logf("%d of 4 tried; what the others need is not here", 4-lacking)
}

func worksOutside(t *testing.T, line string) bool {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := exec.CommandContext(ctx, "bash", "-c", line).CombinedOutput()
	if err != nil {
		t.Logf("%s", out)
	}
	return err == nil
}

// tarball is an archive of names and texts, as npm has it.
func tarball(t *testing.T, namesAndTexts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipper := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipper)
	for i := 0; i < len(namesAndTexts); i += 2 {
		text := namesAndTexts[i+1]
		if err := archive.WriteHeader(&tar.Header{Name: namesAndTexts[i], Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipper.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
