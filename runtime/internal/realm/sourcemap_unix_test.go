//go:build unix

package realm_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A comment of the source must not make the engine open a file: this one is a
// pipe, and whoever opens it waits for ever.
func TestSourceMapsAreOff(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := run(t, "export default () => 1\n//# sourceMappingURL=file://"+pipe, nil); e.value != "1" {
		t.Errorf("value %q, %+v", e.value, e.throw)
	}
}
