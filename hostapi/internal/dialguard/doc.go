// Package dialguard connects to hosts that others name, but not to this machine and
// private networks.
//
//	dialer := &dialguard.Dialer{Setting: "[fetch] private"}
//	conn, err := dialer.DialContext(ctx, "tcp", "api.example.com:443")
//
// Addresses of this machine and of private networks are refused, however they are
// spelled, also if another address embeds them or a name resolves to them at the moment
// of connecting. [Private] names exceptions.
//
// The one trap: a host named as private is connected to whatever it resolves to.
package dialguard
