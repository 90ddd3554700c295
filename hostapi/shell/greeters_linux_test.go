package shell_test

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"
)

// greeters are servers of this machine that say hello, each as network=address. They
// end with the test.
func greeters(t *testing.T) (addresses string) {
	t.Helper()
	for network, at := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		listener, err := net.Listen(network, at) //nolint:noctx // it is closed with the test
		if err != nil {
			continue // this machine has none of this kind
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 100))
				_, _ = conn.Write([]byte("hello"))
				_ = conn.Close()
			}
		}()
		addresses += " " + network + "=" + listener.Addr().String()
	}
	packets, err := net.ListenPacket("udp4", "127.0.0.1:0") //nolint:noctx // as above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = packets.Close() })
	go func() {
		for {
			_, from, err := packets.ReadFrom(make([]byte, 100))
			if err != nil {
				return
			}
			_, _ = packets.WriteTo([]byte("hello"), from)
		}
	}()
	return addresses + " udp4=" + packets.LocalAddr().String()
}

// reach asks such a server, in the copy of this program.
func reach(network string) error {
	for server := range strings.FieldsSeq(os.Getenv("SERVERS")) {
		if kind, address, _ := strings.Cut(server, "="); kind == network {
			return greet(network, address)
		}
	}
	return errors.New("there is none")
}
