package scripttools

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeWithoutAProcessorIsGivenBack, so often that a busy machine may take ten times as long.
func TestTimeWithoutAProcessorIsGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var after time.Duration
		b := newBudget(time.Second, func(time.Duration) { after = time.Since(begun) })
		for i, took := range []time.Duration{time.Second / 2, 7 * time.Second, 2 * time.Second, time.Second} {
			if got := b.starved(took); got != (i < 2) {
				t.Errorf("%d: %v", i, got)
			}
		}
		time.Sleep(time.Hour) // of the bubble
		synctest.Wait()
		if after != busy*time.Second {
			t.Errorf("it was over after %v", after)
		}
	})
}

// TestChecksThatLastTooLongMakeTime: they get too little of a processor.
func TestChecksThatLastTooLongMakeTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var after time.Duration
		b := newBudget(time.Second, func(time.Duration) { after = time.Since(begun) })
		b.run(2 * time.Second)() // it has ended
		ended := b.run(time.Second / 2)
		time.Sleep(2 * time.Second) // of the bubble
		synctest.Wait()
		if after != 0 {
			t.Errorf("it was over after %v", after)
		}
		ended()
		time.Sleep(time.Hour)
		synctest.Wait()
		if after < 2*time.Second || after > 2*time.Second+2*perFile {
			t.Errorf("it was over after %v", after)
		}
		b = newBudget(time.Second, func(time.Duration) { after = time.Since(begun) })
		begun = time.Now()
		_ = b.run(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		if after != busy*time.Second {
			t.Errorf("it was over after %v", after)
		}
	})
}

// TestBudgetsGrowWithWhatIsRead, until they are spent.
func TestBudgetsGrowWithWhatIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var after, most time.Duration
		b := newBudget(time.Second, func(m time.Duration) { after, most = time.Since(begun), m })
		read := b.importing(func(string) ([]byte, error) { return make([]byte, 1<<20), nil })
		if _, err := read("a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // of the bubble
		synctest.Wait()
		const want = 3*time.Second + 2*time.Millisecond
		if after != want || most != want {
			t.Errorf("it was over after %v, and says %v", after, most)
		}
		if _, err := read("a"); err != nil || b.most != want {
			t.Error("what is spent grows")
		}
	})
}
