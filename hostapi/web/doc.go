// Package web has the tool fetch: one HTTP request to a host that is allowed.
//
//	fetch := &web.Fetch{Hosts: []string{"api.example.com", "*.example.org"}}
//	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{fetch}})
//
// Rules carry patterns for the whole address: fetch(https://api.example.com/v1/**).
// Each redirect is decided like the request that led to it. Addresses of this
// machine and of private networks are refused however they are spelled, and
// whatever a name resolves to at the moment of connecting, unless the operator
// has named them. No credentials go with a request but those that the script
// sends: no cookies, no proxy of the environment, no .netrc.
package web
