package dialguard

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
)

// registry4 is IANA's special-purpose registry of IPv4 as of 2026, and multicast.
// It stands here a second time so that a slip in one of the two is seen.
var registry4 = strings.Fields(`0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
	192.0.0.0/24 192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
	192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32`)

var registry6 = strings.Fields(`::1/128 ::/128 ::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:2::/48 2001:3::/32
	2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`)

// embeddings are the forms of IPv6 that carry an address of IPv4; those that
// reach it through a gateway or a tunnel are as public as it is only where public is true.
var embeddings = map[string]struct {
	of     func(a [4]byte) [16]byte
	public bool
}{
	"mapped":              {at("::ffff:0:0", 12), true},
	"translated (SIIT)":   {at("::ffff:0:0:0", 12), false},
	"compatible":          {at("::", 12), false},
	"NAT64":               {at("64:ff9b::", 12), true},
	"NAT64 of one's own":  {at("64:ff9b:1::", 12), false},
	"NAT64, /48 of these": {at("64:ff9b:1::", 6), false},
	"6to4":                {at("2002::", 2), false},
	"6to4, the host":      {at("2002:808:808::", 12), false},
	"Teredo's server":     {at("2001::", 4), false},
	"Teredo's client": {func(a [4]byte) [16]byte {
		return at("2001:0:808:808::", 12)([4]byte{^a[0], ^a[1], ^a[2], ^a[3]})
	}, false},
	"ISATAP":                {at("2600::5efe:0:0", 12), true},
	"ISATAP, global":        {at("2600::200:5efe:0:0", 12), true},
	"ISATAP, link-local":    {at("fe80::5efe:0:0", 12), false},
	"ISATAP, unique local":  {at("fd00::200:5efe:0:0", 12), false},
	"ISATAP with no prefix": {at("::5efe:0:0", 12), false},
}

// at puts an address of IPv4 into one of IPv6, at a byte.
func at(prefix string, offset int) func(a [4]byte) [16]byte {
	return func(a [4]byte) [16]byte {
		out := netip.MustParseAddr(prefix).As16()
		copy(out[offset:], a[:])
		return out
	}
}

// samples are the first, the last and some other addresses of a network.
func samples(network netip.Prefix) []netip.Addr {
	first := network.Masked().Addr().As16()
	free := network.Bits() + 128 - network.Addr().BitLen() // bits of the prefix, as of IPv6
	fill := func(next func() byte) netip.Addr {
		out := first
		for bit := free; bit < 128; bit++ {
			if next()&1 == 1 {
				out[bit/8] |= 0x80 >> (bit % 8)
			}
		}
		return netip.AddrFrom16(out).Unmap()
	}
	out := []netip.Addr{network.Masked().Addr(), fill(func() byte { return 1 })}
	for range 20 {
		out = append(out, fill(func() byte { return byte(rand.Uint32()) }))
	}
	return out
}

// TestEverySpecialAddressIsRefused: every network of the registries, in every
// form that carries an address of IPv4, by its first, last and random addresses,
// to the check of what is connected to and to a call.
func TestEverySpecialAddressIsRefused(t *testing.T) {
	t.Parallel()
	dialer := &Dialer{own: interfaceAddresses}
	count := 0
	refused := func(form string, address netip.Addr) {
		count++
		if err := dialer.check("x", address); err == nil {
			t.Errorf("%s: %s would be connected to", form, address)
		}
		zoned := address.WithZone("1")
		if err := dialer.check("x", zoned); err == nil {
			t.Errorf("%s: %s would be connected to", form, zoned)
		}
	}
	for _, text := range registry4 {
		for _, address := range samples(netip.MustParsePrefix(text)) {
			refused("IPv4", address)
			for form, embedding := range embeddings {
				refused(form, netip.AddrFrom16(embedding.of(address.As4())))
			}
		}
	}
	for _, text := range registry6 {
		for _, address := range samples(netip.MustParsePrefix(text)) {
			refused("IPv6", address)
		}
	}
	if count < 6000 {
		t.Errorf("only %d addresses were tried", count)
	}
}

func TestPublicAddressesAreTaken(t *testing.T) {
	t.Parallel()
	dialer := &Dialer{own: interfaceAddresses}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0", "223.255.255.255", "198.17.0.1", "198.20.0.1"} {
		address := netip.MustParseAddr(text)
		if err := dialer.check("x", address); err != nil {
			t.Error(err)
		}
		for form, embedding := range embeddings {
			if err := dialer.check("x", netip.AddrFrom16(embedding.of(address.As4()))); (err == nil) != embedding.public {
				t.Errorf("%s of %s: %v", form, text, err)
			}
		}
	}
	for _, text := range []string{"2606:4700:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888", "2620:fe::fe", "2400:cb00::1"} {
		if err := dialer.check("x", netip.MustParseAddr(text)); err != nil {
			t.Error(err)
		}
	}
}

// TestNamedNetworksHoldTheirOwnAddresses: what the operator named is taken, and
// no other form that carries an address of it.
func TestNamedNetworksHoldTheirOwnAddresses(t *testing.T) {
	t.Parallel()
	named, err := ParsePrivate([]string{"127.0.0.0/8", "10.1.0.0/16", "fd00:1::/32"})
	if err != nil {
		t.Fatal(err)
	}
	dialer := &Dialer{Private: named, own: interfaceAddresses}
	for text, want := range map[string]bool{
		"127.0.0.1": true, "127.255.0.9": true, "10.1.2.3": true, "10.2.0.1": false, "192.168.0.1": false, "fd00:1::1": true, "fd00:2::1": false, "::1": false,
	} {
		address := netip.MustParseAddr(text)
		if err := dialer.check("x", address); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
		if !address.Is4() {
			continue
		}
		for form, embedding := range embeddings {
			err := dialer.check("x", netip.AddrFrom16(embedding.of(address.As4())))
			if allowed := want && form == "mapped"; (err == nil) != allowed { // mapped is the very same address
				t.Errorf("%s of %s: %v", form, text, err)
			}
		}
	}
}

// TestThisMachineIsRefusedByItsPublicAddress: a service that listens on every
// address of a machine is reached by its public one, too.
func TestThisMachineIsRefusedByItsPublicAddress(t *testing.T) {
	t.Parallel()
	own := func() ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("2606:4700::1")}, nil
	}
	dialer := &Dialer{own: own}
	for text, want := range map[string]bool{"93.184.215.14": false, "::ffff:93.184.215.14": false, "2606:4700::1": false, "93.184.215.15": true} {
		if err := dialer.check("x", netip.MustParseAddr(text)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	actual, err := interfaceAddresses()
	if err != nil || len(actual) == 0 {
		t.Errorf("the addresses of this machine: %v, %v", actual, err)
	}
}
