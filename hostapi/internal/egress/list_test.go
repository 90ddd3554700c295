package egress

import (
	"strings"
	"testing"
)

func list(t testing.TB, texts ...string) List {
	t.Helper()
	l, err := ParseList(texts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestListNamesHosts: names, all below one, ports, addresses, and nothing that
// only looks like one of them.
func TestListNamesHosts(t *testing.T) {
	t.Parallel()
	l := list(t, "api.example.com", "*.Example.ORG.:8443", "*.example.net", "192.0.2.7", "[2001:db8::1]:8443", "2001:db8::2", "preset:go")
	if got := l.Presets(); len(got) != 1 || got[0] != "go" {
		t.Errorf("presets %q", got)
	}
	for _, c := range []struct {
		host  string
		port  int
		usual int
		want  bool
	}{
		{"api.example.com", 443, tunnelPort, true},
		{"api.example.com", 80, plainPort, true},
		{"api.example.com", 80, tunnelPort, false},
		{"api.example.com", 443, plainPort, false},
		{"api.example.com", 22, tunnelPort, false},
		{"xapi.example.com", 443, tunnelPort, false},
		{"x.api.example.com", 443, tunnelPort, false},
		{"api.example.com.evil.test", 443, tunnelPort, false},
		{"example.org", 8443, tunnelPort, false},
		{"a.example.org", 8443, tunnelPort, true},
		{"a.b.example.org", 8443, plainPort, true},
		{"a.example.org", 443, tunnelPort, false},
		{"aexample.org", 8443, tunnelPort, false},
		{"a.example.net", 443, tunnelPort, true},
		{"192.0.2.7", 443, tunnelPort, true},
		{"192.0.2.8", 443, tunnelPort, false},
		{"2001:db8::1", 8443, tunnelPort, true},
		{"2001:db8::2", 443, tunnelPort, true},
	} {
		if got := l.allows(c.host, c.port, c.usual); got != c.want {
			t.Errorf("%s:%d (%d): %v", c.host, c.port, c.usual, got)
		}
	}
	for _, bad := range []string{
		"", "*", "*.", "https://api.example.com", "api.example.com/x", "api.example.com:0", "api.example.com:65536", "api.example.com:http", "a b", "user@h", "bücher.example",
		"*.192.0.2.7", "a.*.b", "0x7f.1", "2130706433", "[::1%25lo]", "127.1",
	} {
		if _, err := ParseList([]string{bad}); err == nil || !strings.Contains(err.Error(), "host ") {
			t.Errorf("%q is taken: %v", bad, err)
		}
	}
	if (List{}).allows("api.example.com", 443, tunnelPort) {
		t.Error("the zero list allows a host")
	}
}

// TestListCovers: what a project asks for is covered by the operator's list, or
// it is not.
func TestListCovers(t *testing.T) {
	t.Parallel()
	operator := list(t, "api.example.com", "*.example.org:8443", "preset:go")
	for asked, want := range map[string]bool{
		"api.example.com": true, "API.example.com.": true, "api.example.com:443": false, "api.example.com:8443": false, "*.api.example.com": false,
		"a.example.org:8443": true, "*.a.example.org:8443": true, "*.example.org:8443": true, "*.example.org": false, "example.org:8443": false, "a.example.org": false,
		"preset:go": true, "preset:npm": false, "*.org:8443": false,
	} {
		if got := operator.Covers(list(t, asked)); got != want {
			t.Errorf("%s: %v", asked, got)
		}
	}
	if !operator.Covers(List{}) || (List{}).Covers(operator) {
		t.Error("nothing is covered by all, and covers nothing")
	}
}
