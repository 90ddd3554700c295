package sandbox

// LedElsewhereError is a workspace whose path leads to another folder than it did, or that is found by
// another path.
type LedElsewhereError struct {
	Workspace string
	To        string // where the workspace is now; empty where its path leads to another folder
}

// Error says what may have happened, and what to do.
func (e *LedElsewhereError) Error() string {
	if e.To != "" {
		return "start scriptrun again: the workspace was moved to " + e.To + " from " + e.Workspace + ", by whose path it knows what to protect"
	}
	return "look at " + e.Workspace + " and start scriptrun again: the workspace is another folder than it was; a command, or somebody, replaced it or a folder around it"
}
