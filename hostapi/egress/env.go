package egress

import (
	"maps"
	"net/url"
)

// Env are the variables by which programs find the proxy, each in the words that it
// reads, with the secret of the pass in its address: they are for whoever the pass is
// for, and for nobody else's eyes. What is on the loopback interface is not asked for
// through it.
func (p *Pass) Env() map[string]string {
	address := (&url.URL{Scheme: "http", User: p.secret.userinfo(), Host: p.address()}).String()
	env := map[string]string{}
	for _, name := range []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
		"npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", "PIP_PROXY", "CARGO_HTTP_PROXY",
	} {
		env[name] = address
	}
	maps.Copy(env, map[string]string{
		"NO_PROXY": local, "no_proxy": local, "npm_config_noproxy": local,
		"GIT_HTTP_PROXY_AUTHMETHOD": "basic", // else git asks without credentials first
		"NODE_USE_ENV_PROXY":        "1",     // of Node's own fetch and http
	})
	return env
}

// local is what is reached without the proxy.
const local = "localhost,127.0.0.1,::1"
