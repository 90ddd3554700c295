package sandbox_test

import (
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestRefuser: the host has its sockets in an empty network, programs send it their name
// queries, nobody can listen without loopback, and no other kind of socket is allowed.
func TestRefuser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for network, listens := range map[sandbox.Network]string{"": "refused\n", sandbox.NetworkNone: "refused\n", sandbox.NetworkLoopback: "listens\n"} {
		box := open(t, sandbox.Policy{Workspace: dir, Network: network, Refuser: true})
		if !whole(t, box) {
			return
		}
		if box.Listener() == nil || box.Names() == nil {
			t.Fatalf("%q: %v, %v", network, box.Listener(), box.Names())
		}
		if got := line(t, box, dir, "cat /etc/resolv.conf | head -1"); got.out != "nameserver 127.0.0.1\n" {
			t.Errorf("%q: %+v", network, got)
		}
		// Perl is on more systems than Python, and its Socket speaks of what the system says.
		const program = `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or die "no socket: $!"; print bind(S, sockaddr_in(0, INADDR_LOOPBACK)) && listen(S, 1) ? "listens\n" : "refused\n"; ` +
			`socket(U, PF_UNIX, SOCK_STREAM, 0) and print "unix\n"; socket(R, PF_INET, SOCK_RAW, 1) and print "raw\n"; ` +
			`socket(C, PF_INET, SOCK_STREAM, 0); connect(C, sockaddr_in(80, inet_aton("192.0.2.1"))) and print "out\n"'`
		if got := line(t, box, dir, program); got.out != listens {
			t.Errorf("%q: %+v", network, got)
		}
	}
	plain := open(t, sandbox.Policy{Workspace: dir})
	if plain.Listener() != nil || plain.Names() != nil {
		t.Errorf("without a refuser: %v, %v", plain.Listener(), plain.Names())
	}
}
