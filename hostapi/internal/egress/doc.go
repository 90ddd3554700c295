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
// Only confined commands can reach the listener. Each [Pass] is served on a loopback
// address of its own. Every command can connect to all of these addresses, so each
// request must carry the secret of the pass, which only the environment of its command
// has: so it is known which command asked for each connection. Names are resolved here,
// and addresses are checked when they are connected to, as package dialguard does. A
// tunnel carries only TLS for the host that it was asked for; a plain request goes to
// the host in its URL, whatever its Host field says.
//
// Commands are assumed hostile: what they send is parsed by net/http and crypto/tls,
// with limits on size, number and time.
//
// The proxy does not see inside a tunnel: if a listed host serves several sites, it
// does not know which of them is asked.
package egress
