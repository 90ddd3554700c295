package files

// WithoutOpenat2 makes a workspace open paths as on a system without openat2.
func (w *Workspace) WithoutOpenat2() { w.walkOnly = true }

// WithoutUnnamedFiles makes a workspace write as on a file system without O_TMPFILE.
func (w *Workspace) WithoutUnnamedFiles() { w.named = true }
