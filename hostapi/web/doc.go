// Package web has the tool fetch: one HTTP request to a host that is allowed.
//
//	fetch := &web.Fetch{Hosts: []string{"api.example.com", "*.example.org"}}
//	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{fetch}})
//
// Rules carry patterns for the whole address: fetch(https://api.example.com/v1/**).
//
// Redirects are followed here, one by one, and each is decided like the request
// that led to it. What a script sent, headers and body, goes to the origin that
// it named (scheme, host and port; a subdomain is another) and stays there: at
// the first redirect to another origin the headers are dropped for good, and
// one that would take a body along, or a method that changes something, is refused.
// No Referer is sent, https is not left for http, and cookies are not kept.
//
// Addresses of this machine and of private networks are refused however they
// are spelled and whatever other address carries them, and whatever a name
// resolves to at the moment of connecting, unless the operator has named them.
// No credentials go with a request but those that the script sends: no
// cookies, no proxy of the environment, no .netrc. Errors show addresses without
// credentials and query.
//
// The one trap: a host that the operator names in Private is asked whatever it
// resolves to.
package web
