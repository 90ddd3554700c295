package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestEveryKeyIsDecidedOn: the table of keys has exactly the fields that are decoded.
func TestEveryKeyIsDecidedOn(t *testing.T) {
	t.Parallel()
	var fields, names []string
	for name, typ := range types() {
		if tableOf(typ) == nil {
			fields = append(fields, name)
		}
	}
	for _, k := range keys {
		names = append(names, k.name)
		if k.doc == "" || k.does == "" || (k.verdict == compared) != (k.widens != nil) {
			t.Errorf("%s: nobody says what it is, or whether it widens, or why", k.name)
		}
	}
	slices.Sort(fields)
	slices.Sort(names)
	if !slices.Equal(fields, names) {
		t.Errorf("the fields are\n%q, the table has\n%q", fields, names)
	}
	if k := keyOf("nobody.knows"); !k.gives(false, &file{}) || k.never() == "" {
		t.Errorf("an unknown key passes: %+v", k)
	}
}

// wide are projects' files that want everything, one key each, in several spellings, with the
// operator's settings to compare them with.
var wide = []struct{ text, operator, grant string }{
	{`default_environment = "ops"`, "[[environments]]\nname = 'ops'\ntrusted = true\n", "default_environment"},
	{"mcp_files = true", "", "mcp_files"},
	{"[[environments]]\nname = 'a'\nenv = {PATH = '.'}\n", "", `environments "a"`},
	{"[[environments]]\nname = 'a'\n[environments.env]\nPATH = '.'\n", "", `environments "a"`},
	{"environments = [{name = 'a', env = {TAR_OPTIONS = 'x'}}]", "", `environments "a"`},
	{"[[environments]]\ntrusted = true\nname = 'a'\n", "", `environments "a"`},
	{"[[mcp_servers]]\nname = 'a'\ncommand = 'x'\n", "", `mcp_servers "a"`},
	{"[[mcp_servers]]\nname = 'a'\nurl = 'http://127.0.0.1:1/'\n", "", `mcp_servers "a"`},
	{"mcp_servers = [{name = 'a', command = 'x', pass_env = ['HOME'], env = {A = '1'}}]", "", `mcp_servers "a"`},
	{"[sandbox]\nprofile = 'off'\n", "", "sandbox.profile"},
	{"sandbox.profile = 'off'\n", "[sandbox]\nprofile = 'workspace'\n", "sandbox.profile"},
	{"sandbox.profile = 'workspace'\n", "[sandbox]\nprofile = 'read-only'\n", "sandbox.profile"},
	{"sandbox = {network = true}\n", "", "sandbox.network"},
	{"[sandbox]\nnetwork = 'loopback'\n", "", "sandbox.network"},
	{"[sandbox]\nnetwork = 'full'\n", "[sandbox]\nnetwork = 'loopback'\n", "sandbox.network"},
	{"[sandbox]\nnetwork = ['api.example.com']\n", "", "sandbox.network"},
	{"[sandbox]\nnetwork = []\n", "[sandbox]\nnetwork = 'loopback'\n", "sandbox.network"},
	{"[sandbox]\nnetwork = true\n", "[sandbox]\nnetwork = ['api.example.com']\n", "sandbox.network"},
	{"[sandbox]\nnetwork = ['a.example.com', 'b.example.com']\n", "[sandbox]\nnetwork = ['a.example.com']\n", "sandbox.network"},
	{"[sandbox]\nnetwork = ['a.example.com:8443']\n", "[sandbox]\nnetwork = ['a.example.com']\n", "sandbox.network"},
	{"[sandbox]\nnetwork = ['preset:npm']\n", "[sandbox]\nnetwork = ['preset:go']\n", "sandbox.network"},
	{"[sandbox]\nprivate = ['10.0.0.0/8']\n", "[sandbox]\nnetwork = ['a.example.com']\n", "sandbox.private"},
	{"[sandbox]\nread = ['/']\n", "", "sandbox.read"},
	{"[sandbox]\nwrite = ['/srv']\n", "", "sandbox.write"},
	{"[sandbox]\nunprotect = ['.git/config']\n", "", "sandbox.unprotect"},
	{"[sandbox]\nrequire = false\n", "[sandbox]\nrequire = true\n", "sandbox.require"},
	{"[sandbox.limits]\nmemoryBytes = 17179869185\n", "", "sandbox.limits.memoryBytes"},
	{"sandbox.limits.processes = 8193\n", "", "sandbox.limits.processes"},
	{"[sandbox]\nlimits = {fileBytes = 68719476737}\n", "", "sandbox.limits.fileBytes"},
	{"[audit]\nfile = '/tmp/elsewhere'\n", "[audit]\nfile = '/var/log/a'\nrequire = true\n", "audit.file"},
	{"[fetch]\nprivate = ['localhost']\n", "", "fetch.private"},
}

// TestUntrustedFileWidensNothing: a key that widens is a grant, and the settings stay the same.
func TestUntrustedFileWidensNothing(t *testing.T) {
	t.Parallel()
	for _, c := range wide {
		operator, err := parse("/o/config.toml", []byte(c.operator))
		if err != nil {
			t.Fatal(err)
		}
		var before, after Settings
		if err := before.add(operator); err != nil {
			t.Fatal(err)
		}
		if err := after.add(operator); err != nil {
			t.Fatal(err)
		}
		project, err := parse("/p/scriptrun.toml", []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		narrow, trusted, grants := project.split(after.view())
		if len(grants) != 1 || grants[0].Name != c.grant {
			t.Errorf("%s: the grants are %+v", c.text, grants)
		}
		if err := after.add(narrow); err != nil {
			t.Fatal(err)
		}
		after.Files = before.Files
		if last := len(after.Environments) - 1; last >= len(before.Environments) { // a name may be there, and nothing in it
			if reflect.DeepEqual(after.Environments[last], shell.Environment{Name: "a"}) {
				after.Environments = before.Environments
			}
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%s: it widened\n%+v to\n%+v", c.text, before, after)
		}
		var whole Settings
		if err := whole.add(operator); err != nil {
			t.Fatal(err)
		}
		if err := whole.add(trusted); err != nil {
			t.Fatal(err)
		}
		whole.Files = before.Files
		if reflect.DeepEqual(before, whole) != (grants[0].Never != "") {
			t.Errorf("%s: trusted, it gives\n%+v", c.text, whole)
		}
	}
}

// TestNarrowingHoldsWithoutTrust: each of these keys lowers something, and is no grant.
func TestNarrowingHoldsWithoutTrust(t *testing.T) {
	t.Parallel()
	const operator = `
default_environment = "ops"
[[environments]]
name = "ops"
trusted = true
[[environments]]
name = "ci"
[sandbox]
profile = "off"
network = true
limits.memoryBytes = 1073741824
[fetch]
hosts = ["*.example.com", "api.example.org:8443"]
[limits]
timeoutMs = 5000
maxToolCalls = 5
`
	for _, c := range []struct {
		text  string
		holds func(*Settings) bool
	}{
		{`default_environment = "ci"`, func(s *Settings) bool { return s.DefaultEnvironment == "ci" }},
		{"[sandbox]\nprofile = 'read-only'", func(s *Settings) bool { return s.Sandbox.Profile == shell.ProfileReadOnly }},
		{"[sandbox]\nprofile = 'off'", func(s *Settings) bool { return s.Sandbox.Profile == shell.ProfileOff }},
		{"[sandbox]\nnetwork = false", func(s *Settings) bool { return s.Sandbox.Network == sandbox.NetworkNone }},
		{"[sandbox]\nrequire = true", func(s *Settings) bool { return s.Sandbox.Require }},
		{"[limits]\ntimeoutMs = 9000\nmaxToolCalls = 2", func(s *Settings) bool {
			return s.Limits.Timeout == 5*time.Second && s.Limits.MaxToolCalls == 2
		}},
		{"[sandbox.limits]\nopenFiles = 100000\nprocesses = 20\nmemoryBytes = 99000000000", func(s *Settings) bool {
			return s.Sandbox.Limits == sandbox.Limits{OpenFiles: 100000, Processes: 20, MemoryBytes: 1 << 30}
		}},
		{"[fetch]\nhosts = ['*.example.com', 'evil.net']", func(s *Settings) bool { return slices.Equal(s.FetchHosts, []string{"*.example.com"}) }},
		{"[fetch]\nhosts = ['a.example.com', 'API.example.org:8443', 'b.example.com:9']", func(s *Settings) bool {
			return slices.Equal(s.FetchHosts, []string{"a.example.com", "b.example.com:9", "API.example.org:8443"})
		}},
		{"[fetch]\nhosts = ['api.example.org', '*.org']", func(s *Settings) bool { return slices.Equal(s.FetchHosts, []string{"api.example.org:8443"}) }},
	} {
		operator, err := parse("config.toml", []byte(operator))
		if err != nil {
			t.Fatal(err)
		}
		var s Settings
		if err := s.add(operator); err != nil {
			t.Fatal(err)
		}
		project, err := parse("scriptrun.toml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		narrow, _, grants := project.split(s.view())
		if len(grants) != 0 {
			t.Fatalf("%s: %+v", c.text, grants)
		}
		if err := s.add(narrow); err != nil || !c.holds(&s) {
			t.Errorf("%s: %v, it came to %+v", c.text, err, s)
		}
	}
}

// TestDisjointHostsAreAnError: an empty list would allow every host.
func TestDisjointHostsAreAnError(t *testing.T) {
	t.Parallel()
	var s Settings
	for i, text := range []string{"[fetch]\nhosts = ['a.com']", "[fetch]\nhosts = ['b.com', '*.a.com', 'a.com.b.com']"} {
		f, err := parse("f.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.add(f); (err != nil) != (i == 1) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGrantsCannotHideInTheirText: a file's text is shown in one line, in quotes, and nothing
// in it moves a cursor or changes the direction of the text.
func TestGrantsCannotHideInTheirText(t *testing.T) {
	t.Parallel()
	const evil = "x\\\" does nothing\\u001b[2J\\r\\n\\u009b\\u202e\\u200b\\u2066"
	f, err := parse("p\x1b/scriptrun.toml", []byte(`
[[environments]]
name = "`+evil+`"
env = {"`+evil+`" = "`+evil+`"}
[[mcp_servers]]
name = "a"
command = "`+evil+`"
args = ["`+evil+`", "`+strings.Repeat("y", 300)+`"]
`))
	if err != nil {
		t.Fatal(err)
	}
	_, _, grants := f.split(&file{})
	if len(grants) != 2 {
		t.Fatal(grants)
	}
	var texts []string
	for _, g := range grants {
		texts = append(append(texts, g.Name), g.Lines...)
	}
	for _, text := range texts {
		for _, c := range text {
			if c < 0x20 || c > 0x7e && c != '\uFFFD' && c != '…' {
				t.Errorf("%q has %U in it", text, c)
			}
		}
	}
	if !strings.Contains(strings.Join(texts, "\n"), strings.Repeat("y", 300)) {
		t.Error("an argument is not shown whole")
	}
}

// FuzzProjectWidensNothing: whatever a project's file says, in any form that TOML allows, none
// of this comes through without trust.
func FuzzProjectWidensNothing(f *testing.F) {
	for _, c := range wide {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		project, err := parse("scriptrun.toml", []byte(text))
		if err != nil {
			return
		}
		var s Settings
		narrow, _, _ := project.split(s.view())
		if err := s.add(narrow); err != nil {
			return
		}
		if s.mcpFiles || len(s.Servers) > 0 || len(s.FetchPrivate) > 0 || len(s.Sandbox.Read)+len(s.Sandbox.Write) > 0 ||
			len(s.Sandbox.Private) > 0 || s.Sandbox.Network != "" && s.Sandbox.Network != sandbox.NetworkNone || s.Sandbox.Profile == shell.ProfileOff {
			t.Errorf("%q came to %+v", text, s)
		}
		for _, e := range s.Environments {
			if e.Trusted || len(e.Env) > 0 {
				t.Errorf("%q came to %+v", text, s)
			}
		}
	})
}

// TestProjectNarrowsTheNetwork: less than the operator gives is in force at once, and more
// waits for trust.
func TestProjectNarrowsTheNetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ operator, project, want string }{
		{`"full"`, `"loopback"`, "loopback []"}, {`"full"`, `"none"`, "none []"}, {`"loopback"`, `"none"`, "none []"},
		{`"loopback"`, `"full"`, "loopback []"}, {`"none"`, `"loopback"`, "none []"},
		{`"full"`, `["a.test", "preset:go"]`, "proxied [a.test preset:go]"}, {`["*.a.test", "preset:go"]`, `["b.a.test"]`, "proxied [b.a.test]"},
		{`["a.test"]`, `["a.test", "b.test"]`, "proxied [a.test]"}, {`["a.test"]`, `"loopback"`, "loopback []"}, {`["a.test"]`, "true", "proxied [a.test]"}, {`["a.test"]`, "[]", "proxied []"},
	} {
		operator, err := parse("/o/config.toml", fmt.Appendf(nil, "[sandbox]\nnetwork = %s\n", c.operator))
		if err != nil {
			t.Fatal(err)
		}
		project, err := parse("/w/scriptrun.toml", fmt.Appendf(nil, "[sandbox]\nnetwork = %s\n", c.project))
		if err != nil {
			t.Fatal(err)
		}
		var s Settings
		if err := s.add(operator); err != nil {
			t.Fatal(err)
		}
		narrow, _, _ := project.split(s.view())
		if err := s.add(narrow); err != nil || fmt.Sprint(s.Sandbox.Network, " ", s.Sandbox.Hosts) != c.want {
			t.Errorf("%s and %s come to %s %s, %v; want %s", c.operator, c.project, s.Sandbox.Network, s.Sandbox.Hosts, err, c.want)
		}
	}
}
