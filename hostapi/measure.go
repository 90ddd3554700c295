package hostapi

// Measure is one thing that a tool enforces on what it starts, or cannot
// enforce here. It is for receipts and for people.
type Measure struct {
	// Name is what is kept, such as "files" or "network".
	Name string `json:"name"`
	// By is what keeps it, such as "Landlock ABI 7"; empty if nothing does.
	By string `json:"by,omitempty"`
	// Gap is what is not kept, in a sentence; empty if all of it is.
	Gap string `json:"gap,omitempty"`
	// Fix is what to do about the gap; empty if there is none.
	Fix string `json:"fix,omitempty"`
}

// Confiner is implemented by tools that confine what they start. Reports of
// runs that were allowed such a tool carry its measures.
type Confiner interface {
	// Confinement says what is really enforced on this machine. It is found out
	// once and may take some milliseconds then. It must be safe for concurrent
	// use.
	Confinement() []Measure
}
