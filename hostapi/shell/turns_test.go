package shell

import (
	"context"
	"errors"
	"testing"
)

// TestLargeOutputsTakeTurns: two at once, small ones always, and nobody waits in a run that is
// over.
func TestLargeOutputsTakeTurns(t *testing.T) {
	t.Parallel()
	large := Output{Both: Captured{Head: make([]byte, largeOutput), Tail: []byte("x")}}
	small := Output{Both: Captured{Head: make([]byte, largeOutput)}}
	var all turns
	var leaves []func()
	for range maxTurns {
		leave, err := all.take(t.Context(), large)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	over, end := context.WithCancel(t.Context())
	if leave, err := all.take(over, small); err != nil {
		t.Error("a small output waits:", err)
	} else {
		leave()
	}
	waited := make(chan error)
	go func() {
		_, err := all.take(over, large)
		waited <- err
	}()
	end()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	leaves[0]()
	if leave, err := all.take(t.Context(), large); err != nil {
		t.Error(err)
	} else {
		leave()
	}
}
