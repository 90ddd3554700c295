package sandbox

import "fmt"

// sockets reports whether commands can have internet sockets, in any network.
func (n Network) sockets() bool {
	return n == NetworkLoopback || n == NetworkProxied || n == NetworkFull
}

// answered reports whether commands can connect to the host in the box's network.
func (p Policy) answered() bool {
	return p.Network == NetworkProxied || p.Refuser && (p.Network == "" || p.Network == NetworkNone || p.Network == NetworkLoopback)
}

// NoNetworkError says that this machine gives commands no network of their own, which
// [NetworkProxied] needs. Nothing was started.
type NoNetworkError struct {
	// Err is the reason.
	Err error
}

// Error implements error.
func (e *NoNetworkError) Error() string {
	return fmt.Sprintf(`a list of hosts needs a network namespace, which this machine does not allow: %v; `+
		`run scriptrun on Linux as root, or allow user namespaces, or choose network "none" or "full"`, e.Err)
}

// Unwrap returns Err.
func (e *NoNetworkError) Unwrap() error { return e.Err }
