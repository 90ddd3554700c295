package files

import "context"

// StartWriting makes every other writer of a workspace wait until done is called.
func (w *Workspace) StartWriting(ctx context.Context) (done func(), err error) {
	return w.startWriting(ctx)
}

// WithoutOpenat2 makes a workspace open paths as on a system without openat2.
func (w *Workspace) WithoutOpenat2() { w.walkOnly = true }

// WithoutUnnamedFiles makes a workspace write as on a file system without O_TMPFILE.
func (w *Workspace) WithoutUnnamedFiles() { w.named = true }
