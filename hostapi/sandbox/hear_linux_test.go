package sandbox

import "testing"

// TestAnswersAreReadOn although nobody takes them yet; and with many commands nobody who waits for one
// comes before the next.
func TestAnswersAreReadOn(t *testing.T) {
	t.Parallel()
	for commands, yields := range map[int]bool{1: true, fewPending: true, fewPending + 1: false, 500: false} {
		r := &remote{pending: map[int64]*command{}}
		for id := range int64(commands) {
			r.pending[id] = newCommand(r)
		}
		reached, status := 1, uint32(0)
		for id := range int64(commands) {
			if got := r.hear(answer{ID: id, Reached: &reached}); got != yields {
				t.Fatalf("with %d commands: %v", commands, got)
			}
		}
		for id := range int64(commands) {
			r.hear(answer{ID: id, Exited: true, Ended: &status})
		}
		if len(r.pending) != 0 {
			t.Errorf("%d are left of %d", len(r.pending), commands)
		}
	}
}
