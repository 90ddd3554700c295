package egress

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"testing"
)

// configOfHidden is what a client needs to hide the host that it means behind
// another one (RFC 9849, ECHConfigList).
func configOfHidden(t *testing.T, public string) []byte {
	t.Helper()
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long := func(parts ...[]byte) []byte {
		all := slices.Concat(parts...)
		return append(binary.BigEndian.AppendUint16(nil, uint16(len(all))), all...)
	}
	contents := slices.Concat(
		[]byte{1},          // its number
		[]byte{0x00, 0x20}, // DHKEM(X25519, HKDF-SHA256)
		long(key.PublicKey().Bytes()),
		long([]byte{0, 1, 0, 1}), // HKDF-SHA256, AES-128-GCM
		[]byte{32, byte(len(public))}, []byte(public),
		long(), // no extensions
	)
	return long(binary.BigEndian.AppendUint16(nil, encryptedHello), long(contents))
}
