package scripttools

import (
	"testing"
	"testing/synctest"
	"time"
)

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
