package egress

import (
	"strings"
	"testing"
)

// TestProgramsReachTheirOwnMachine: what they call it is not asked of the proxy, but for
// what the list says is the host's.
func TestProgramsReachTheirOwnMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listed      []string
		want, never []string
	}{
		{nil, []string{"localhost", "127.0.0.1", "::1", "0.0.0.0", ".localhost", "127.0.0.0/8"}, nil},
		{[]string{"api.example.com"}, []string{"localhost", "127.0.0.1", "127.0.0.0/8"}, nil},
		{[]string{"127.0.0.1:4873"}, []string{"localhost", "::1"}, []string{"127.0.0.1", "127.0.0.0/8"}},
		{[]string{"localhost:4873", "[::1]:80"}, []string{"127.0.0.1", "127.0.0.0/8"}, []string{"localhost", "::1"}},
	} {
		got := "," + list(t, c.listed...).local() + ","
		for _, name := range c.want {
			if !strings.Contains(got, ","+name+",") {
				t.Errorf("%q: %s is not in %s", c.listed, name, got)
			}
		}
		for _, name := range c.never {
			if strings.Contains(got, ","+name+",") {
				t.Errorf("%q: %s is in %s", c.listed, name, got)
			}
		}
	}
}
