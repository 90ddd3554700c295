package weburl

import "strings"

// Set changes a part, named as the properties of a URL are: protocol, username, password,
// host, hostname, port, pathname, search or hash. A value that makes no sense there changes
// nothing, or as much as the standard says.
func (u *URL) Set(part, value string) {
	switch part {
	case "protocol":
		parse(value+":", nil, u, stateSchemeStart)
	case "username":
		if u.mayHaveCredentials() {
			u.username = encode(value, inUserinfo)
		}
	case "password":
		if u.mayHaveCredentials() {
			u.password = encode(value, inUserinfo)
		}
	case "host":
		if !u.opaque {
			parse(value, nil, u, stateHost)
		}
	case "hostname":
		if !u.opaque {
			parse(value, nil, u, stateHostname)
		}
	case "port":
		if !u.mayHaveCredentials() {
			return
		}
		if value == "" {
			u.port = -1
		} else {
			parse(value, nil, u, statePort)
		}
	case "pathname":
		if !u.opaque {
			u.path = nil
			parse(value, nil, u, statePathStart)
		}
	case "search":
		u.query, u.hasQuery = "", value != ""
		if value != "" {
			parse(strings.TrimPrefix(value, "?"), nil, u, stateQuery)
		}
	case "hash":
		u.fragment, u.hasFragment = "", value != ""
		if value != "" {
			parse(strings.TrimPrefix(value, "#"), nil, u, stateFragment)
		}
	}
}

// SetQuery sets the query as it is written, without a question mark; an empty one is none.
func (u *URL) SetQuery(query string) { u.query, u.hasQuery = query, query != "" }

// mayHaveCredentials reports whether there is a host that a name, a password and a port
// belong to.
func (u *URL) mayHaveCredentials() bool { return u.host != "" && u.scheme != "file" }
