package sandbox

// LedElsewhereError is a workspace whose path leads to another folder than it did.
type LedElsewhereError struct{ Workspace string }

// Error says what may have happened, and what to do.
func (e *LedElsewhereError) Error() string {
	return "the workspace " + e.Workspace + " is another folder than when scriptrun began: a command, or somebody, has replaced it or a folder around it; look at what is there, and start scriptrun again"
}
