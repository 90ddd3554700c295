// Package dialguard connects to hosts that others named, and keeps them from
// the machine and the networks around it.
//
//	dialer := &dialguard.Dialer{Setting: "[fetch] private"}
//	conn, err := dialer.DialContext(ctx, "tcp", "api.example.com:443")
//
// Addresses of this machine and of private networks are refused however they
// are spelled, whatever other address carries them, and whatever a name resolves
// to at the moment of connecting, unless they were named as [Private].
//
// The one trap: a host that is named as private is connected to whatever it
// resolves to.
package dialguard
