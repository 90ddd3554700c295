package sandbox

import "fmt"

// sockets reports whether commands can have internet sockets, of whatever network.
func (n Network) sockets() bool {
	return n == NetworkLoopback || n == NetworkProxied || n == NetworkFull
}

// answered reports whether the host is to be reached by those in the box's network.
func (p Policy) answered() bool {
	return p.Network == NetworkProxied || p.Refuser && (p.Network == "" || p.Network == NetworkNone || p.Network == NetworkLoopback)
}

// NoNetworkError is a machine that gives commands no network of their own, where
// a policy of [NetworkProxied] needs one. Nothing was started.
type NoNetworkError struct {
	// Err is why there is none.
	Err error
}

// Error implements error.
func (e *NoNetworkError) Error() string {
	return fmt.Sprintf(`a list of hosts needs a network namespace, which cannot be had here: %v; `+
		`run scriptrun on Linux as root, or allow user namespaces, or choose network "none" or "full"`, e.Err)
}

// Unwrap returns Err.
func (e *NoNetworkError) Unwrap() error { return e.Err }
