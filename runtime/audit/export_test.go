package audit

// Entry is what tests read a line as, and write one from.
type Entry = entry

// Line is the entry as a sink is given it.
func (e entry) Line() ([]byte, error) { return e.line() }

const (
	EventRunBegan = eventRunBegan
	EventCall     = eventCall
	EventRun      = eventRun
	MaxLine       = maxLine
)
