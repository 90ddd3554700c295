package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhoReadsIsNotCutShort: an answer is held without need from when its client was
// offered more than it takes, and not while it is encoded; one whose connection is gone,
// since it has room.
func TestWhoReadsIsNotCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := httptest.NewRecorder()
		w := &countingWriter{ResponseWriter: to, control: http.NewResponseController(to)}
		p := &posted{cutWrite: cutter(w), taking: takingOf(w)}
		held := p.cutter().held
		granted := time.Now()
		want := func(since time.Time) {
			t.Helper()
			if got := held(granted); !got.Equal(since) {
				t.Errorf("held since %v, not %v", got.Sub(granted), since.Sub(granted))
			}
		}
		write := func(n int) time.Time {
			if written, err := w.Write(make([]byte, n)); written != n || err != nil {
				t.Fatal(written, err)
			}
			return time.Now()
		}
		time.Sleep(time.Minute)
		want(time.Now())
		first := write(readPace / 2)
		time.Sleep(overstay)
		want(first)
		second := write(readPace / 2)
		time.Sleep(overstay / 2)
		want(second)
		write(readPace - 1)
		want(second)
		p.lost.Store(true)
		want(granted)
		if to.Body.Len() != 2*readPace-1 {
			t.Error("not all was written:", to.Body.Len())
		}
	})
}
