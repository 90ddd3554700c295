package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhoReadsIsNotCutShort: an answer is held needlessly from when its client got more than it
// reads, but not while it is encoded or nothing is written; if its connection is gone, from
// when it got room.
func TestWhoReadsIsNotCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &slowTaker{ResponseRecorder: httptest.NewRecorder()}
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
		write := func(n int, takes time.Duration) (began time.Time) {
			began, to.takes = time.Now(), takes
			if written, err := w.Write(make([]byte, n)); written != n || err != nil {
				t.Fatal(written, err)
			}
			return began
		}
		time.Sleep(time.Minute)
		want(time.Now())
		write(10, 0) // such as progress
		time.Sleep(overstay)
		want(time.Now()) // nothing was offered since
		granted = time.Now()
		time.Sleep(overstay)
		want(time.Now())
		first := write(writePiece, time.Second) // slowly
		want(first)
		time.Sleep(overstay)
		want(first.Add(overstay))
		second := write(writePiece, time.Second)
		want(second.Add(-time.Second))
		write(readPace, 0) // at once
		want(time.Now())
		granted = time.Now().Add(time.Second) // what comes then was not offered before
		want(granted)
		p.lost.Store(true)
		want(granted)
	})
}

// slowTaker delays each piece that it reads.
type slowTaker struct {
	*httptest.ResponseRecorder
	takes time.Duration
}

func (s *slowTaker) Write(p []byte) (int, error) {
	time.Sleep(s.takes)
	return s.ResponseRecorder.Write(p)
}

// TestCutBatchGivesBackAtOnce: a batch that was cut off gives its room back with the last of
// its answers, before anybody gives up waiting.
func TestCutBatchGivesBackAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := newRoom(4*mib, 4*mib)
		p := (&callers{posts: map[string]*posted{}}).begin("x", &posted{batch: true, requests: 3, cutWrite: func() {}, taking: func() time.Time { return longAgo }})
		for range 2 {
			if !p.hold(room.try(claimant{client: "a"}, mib, p.cutter())) {
				t.Fatal("it is over")
			}
			p.answered()
		}
		next := room.large.ask(claimant{client: "b"}, 3*mib, nil)
		time.Sleep(overstay + time.Second)
		synctest.Wait()
		if p.ctx.Err() == nil || room.large.held != 2*mib {
			t.Errorf("it was not cut, or gave back what is being encoded: %d", room.large.held)
		}
		p.answered() // the slow call has ended with its request
		synctest.Wait()
		select {
		case <-next.granted:
		default:
			t.Error("the next one still waits")
		}
	})
}

// TestWholeBatchIsReadAtItsClientsPace: once all of its answers exist, a batch that is not read
// is cut off like a single answer.
func TestWholeBatchIsReadAtItsClientsPace(t *testing.T) {
	t.Parallel()
	p := &posted{batch: true, requests: 1, taking: func() time.Time { return time.Time{} }, cutWrite: func() {}}
	granted := time.Now().Add(-time.Hour)
	if held := p.cutter().held(granted); !held.Equal(granted) {
		t.Error("it waits for others of it, and is held since", held)
	}
	p.answered()
	if held := p.cutter().held(granted); held.Equal(granted) {
		t.Error("all of it is there, and it is held since", held)
	}
}

// TestBatchThatKeepsItsAnswersIsCut: a batch whose other answers never come gives its room
// back, whatever it writes meanwhile.
func TestBatchThatKeepsItsAnswersIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := httptest.NewRecorder()
		w := &countingWriter{ResponseWriter: to, control: http.NewResponseController(to)}
		room := newRoom(4*mib, 4*mib)
		p := (&callers{posts: map[string]*posted{}}).begin("x", &posted{batch: true, requests: 3, cutWrite: cutter(w), taking: takingOf(w)})
		p.hold(room.try(claimant{client: "a"}, 2*mib, p.cutter()))
		p.answered()
		next := room.large.ask(claimant{client: "b"}, 3*mib, nil)
		for range 2 * int(overstay/time.Second) {
			time.Sleep(time.Second)
			if _, err := w.Write([]byte("progress")); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		select {
		case <-next.granted:
		default:
			t.Error("the next one still waits")
		}
		if p.ctx.Err() == nil {
			t.Error("its calls go on")
		}
	})
}
