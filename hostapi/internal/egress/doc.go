// Package egress is the one way out of a network that has no other: a proxy that
// speaks CONNECT and plain HTTP to hosts that the operator listed.
//
//	list, err := egress.ParseList([]string{"api.example.com", "*.example.org:8443"})
//	proxy := egress.New(egress.Options{List: list}, listener)
//	defer proxy.Close()
//	pass := proxy.Enter()
//	start(command, pass.Env())
//	traffic := pass.Leave()
//
// The listener is one that only those can reach who are to be kept; on each
// address of it another [Pass] is served. All of them reach each address, so that
// each request has to bear the secret of the pass, which its environment tells
// and nothing else does: by it every connection to another host is known by whom it was
// asked for. Names are resolved here, and addresses are looked at
// when they are connected to, as package dialguard does. A tunnel carries TLS for
// the host that it was asked for and nothing else; a plain request goes out with
// the host of its target, whatever its Host field said.
//
// Those on the inside are taken for hostile: what they send is parsed by net/http
// and crypto/tls, within bounds of size, number and time.
//
// What it does not see is what goes through a tunnel: which of several sites
// on a listed host's servers is asked there is between these two.
package egress
