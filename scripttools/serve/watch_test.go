package serve_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestFilesThatAreNeverLeftAlone: a folder in which something changes all the time
// is read nevertheless.
func TestFilesThatAreNeverLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changed := make(chan struct{}, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		serve.Watch(ctx, func() []string { return []string{dir} }, func() { changed <- struct{}{} }, func(err error) { t.Error(err) })
	}()
	touch := time.NewTicker(10 * time.Millisecond)
	defer touch.Stop()
	enough := time.After(patience)
	for seen, n := 0, 0; seen < 2; n++ {
		select {
		case <-touch.C:
			if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, n%100), 0o600); err != nil {
				t.Fatal(err)
			}
		case <-changed:
			seen++
		case <-enough:
			t.Fatalf("it was told %d times of files that change all the time", seen)
		}
	}
	cancel()
	<-ended
}
