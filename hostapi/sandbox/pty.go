package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
)

// Size is the size of a terminal, in characters.
type Size struct{ Cols, Rows uint16 }

// ptys is a holder with pseudo-terminals.
type ptys interface {
	startPty(cmd *exec.Cmd, size Size) (tree, *os.File, error)
}

// StartPty is [Box.Start] on a pseudo-terminal of the command's own, which takes the
// place of the streams in cmd and is the controlling terminal of a new session. The
// file is the terminal's other end, which the caller closes; its deadlines work.
// Reading it fails once no process has the terminal open. On other systems than Linux
// the error is [errors.ErrUnsupported].
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
