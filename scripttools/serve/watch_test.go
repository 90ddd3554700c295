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

// TestFoldersThatComeAreWatched, at whatever depth, and again after they were gone.
func TestFoldersThatComeAreWatched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	file := filepath.Join(deep, "f")
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan string, 1000) // what there was when a change was told of
	ended, watching, asked := make(chan struct{}), make(chan struct{}), 0
	go func() {
		defer close(ended)
		serve.Watch(ctx, func() []string {
			if asked++; asked == 2 {
				close(watching)
			}
			return []string{dir, deep}
		}, func() {
			there := "nothing"
			for _, name := range []string{deep, file} {
				if _, err := os.Stat(name); err == nil {
					there = filepath.Base(name)
				}
			}
			told <- there
		}, func(err error) { t.Error(err) })
	}()
	<-watching
	await := func(want string) {
		late := time.After(30 * time.Second)
		for {
			select {
			case there := <-told:
				if there == want {
					return
				}
			case <-late:
				t.Fatalf("it is not told that there is %s", want)
			}
		}
	}
	for range 2 {
		if err := os.MkdirAll(deep, 0o700); err != nil {
			t.Fatal(err)
		}
		await("b")
		if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
			t.Fatal(err)
		}
		await("f")
		if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		await("nothing")
	}
	cancel()
	<-ended
}
