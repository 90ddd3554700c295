package hostapi

// Measure is one thing that a tool enforces on what it starts, or cannot enforce on
// this machine.
type Measure struct {
	// Name is what is restricted, such as "files" or "network".
	Name string `json:"name"`
	// By is what enforces it, such as "Landlock ABI 7"; empty if nothing does.
	By string `json:"by,omitempty"`
	// Gap is a sentence that says what is not enforced, if anything.
	Gap string `json:"gap,omitempty"`
	// Fix is what to do about the gap.
	Fix string `json:"fix,omitempty"`
}

// Confiner is implemented by tools that confine what they start. Their measures are
// in the reports of runs that may call them.
type Confiner interface {
	// Confinement says what is really enforced on this machine. The first call may
	// take some milliseconds. It must be safe for concurrent use.
	Confinement() []Measure
}
