package egress

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// Env are the variables that tell programs of the proxy. The proxy's address has the
// secret of the pass in it: show them to nobody but its command. Programs reach the
// loopback interface without the proxy, except for hosts that the list names.
func (p *Pass) Env() map[string]string {
	env := make(map[string]string, 16)
	variables := variablesOf
	if p.proxy.refuses() {
		variables = refusedVariablesOf
	}
	for name, variables := range variables {
		address := "http://" + name + ":" + p.secret.text() + "@" + p.address()
		for _, variable := range variables {
			env[variable] = address
		}
	}
	local := p.proxy.local
	maps.Copy(env, map[string]string{
		"NO_PROXY": local, "no_proxy": local,
		"GIT_HTTP_PROXY_AUTHMETHOD": "basic", // else git asks without credentials first
		"NODE_USE_ENV_PROXY":        "1",     // of Node's own fetch and http
	})
	if !p.proxy.refuses() {
		env["npm_config_noproxy"] = local
	}
	return env
}

// variablesOf are the variables that name a proxy, by the user name in them; see [users].
var variablesOf = map[string][]string{
	user:    {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"},
	"npm":   {"npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"},
	"pip":   {"PIP_PROXY"},
	"cargo": {"CARGO_HTTP_PROXY"},
}

// refusedVariablesOf are fewer variables, for a proxy that refuses everything: each
// costs the start of a command some microseconds.
var refusedVariablesOf = map[string][]string{
	user:  {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"},
	"pip": {"PIP_PROXY"},
}

// refuses reports whether the proxy refuses everything.
func (p *Proxy) refuses() bool { return len(p.list.entries) == 0 }

// local is what is reached without the proxy: names of this machine that the list does
// not have. Programs differ in which of these forms they understand.
func (l List) local() string {
	lists := func(name string) bool {
		return slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool { return e.Name == name })
	}
	own := []string{"localhost", "127.0.0.1", "::1", "0.0.0.0"}
	if !lists("localhost") { // some programs take it for a subdomain of itself
		own = append(own, ".localhost")
	}
	if !lists("127.0.0.1") {
		own = append(own, "127.0.0.0/8")
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		own = append(own, strings.ToLower(name))
	}
	return strings.Join(slices.DeleteFunc(own, lists), ",")
}
