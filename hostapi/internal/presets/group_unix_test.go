//go:build unix

package presets_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestToolsEndWithAllThatTheyStarted: whether a tool has answered or has to end, what
// it left in the background ends with it.
func TestToolsEndWithAllThatTheyStarted(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]string{"it answers": say(`{"registry": "https://own.corp/"}`), "it fails": "exit 3\n", "it has to end": "wait\n"} {
		held := filepath.Join(t.TempDir(), "held")
		if err := syscall.Mkfifo(held, 0o600); err != nil {
			t.Fatal(err)
		}
		m := tool(t, "npm", "exec 9>"+held+"\nsleep 1001 >/dev/null 2>&1 &\necho there >&9\n"+last)
		ctx, end := context.WithCancel(t.Context())
		both, err := os.OpenFile(held, os.O_RDWR, 0) // it waits for nobody
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(held, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() {
			_, err := m.Find(ctx, "npm")
			_ = both.Close() // a tool that did not start is not waited for either
			over <- err
		}()
		read := bufio.NewReader(file)
		if line, err := read.ReadString('\n'); line != "there\n" {
			t.Fatalf("%s: %q, %v", name, line, err)
		}
		if name == "it has to end" {
			end()
		}
		if err := <-over; (err == nil) != (name == "it answers") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := io.Copy(io.Discard, read); err != nil { // until nobody has it any more
			t.Errorf("%s: %v", name, err)
		}
		_ = file.Close()
		end()
	}
}
