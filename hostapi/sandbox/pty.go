package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
)

// Size is that of a terminal, in characters.
type Size struct{ Cols, Rows uint16 }

// ptys is a holder that has pseudo-terminals.
type ptys interface {
	startPty(cmd *exec.Cmd, size Size) (tree, *os.File, error)
}

// StartPty is [Box.Start] on a pseudo-terminal of the command's own, of the
// box where that has some: it is the command's streams, whatever cmd has, and its
// controlling terminal, in a session of its own. The file is its other end, which
// the caller closes; deadlines work. Reading it fails once no process has the
// terminal any more. On other systems than Linux the error is
// [errors.ErrUnsupported].
func (b *Box) StartPty(cmd *exec.Cmd, size Size) (*Process, *os.File, error) {
	h, ok := b.holder.(ptys)
	if !ok {
		return nil, nil, fmt.Errorf("commands have no pseudo-terminals on %s: %w; leave out pty", goruntime.GOOS, errors.ErrUnsupported)
	}
	starved := b.holder.starved()
	t, ours, err := h.startPty(cmd, size)
	if err != nil {
		return nil, nil, err
	}
	return &Process{tree: t, code: -1, holder: b.holder, starved: starved}, ours, nil
}
