package realm

import (
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// TestStartIsThatOfItsFrame: a start that is like the one before is not read again, and
// one that differs is.
func TestStartIsThatOfItsFrame(t *testing.T) {
	t.Parallel()
	programs := NewPrograms()
	for _, start := range []wire.Start{
		{Name: "a", Digest: "1", Source: "x", MaxOutputBytes: 1}, {Name: "a", Digest: "1", MaxOutputBytes: 1}, {Name: "a", Digest: "1", MaxOutputBytes: 1},
		{Name: "a", Digest: "1", MaxOutputBytes: 2}, {Name: "b", Digest: "1", MaxOutputBytes: 2}, {Name: "a", Digest: "1", MaxOutputBytes: 1},
	} {
		f, err := wire.New(wire.KindStart, start, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := programs.start(f); err != nil || got != start {
			t.Errorf("%+v, %v, not %+v", got, err, start)
		}
	}
	if _, err := programs.start(wire.Frame{Kind: wire.KindStart, Head: []byte("{")}); err == nil {
		t.Error("half a head was read")
	}
}
