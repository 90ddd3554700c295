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

// Runs counts the runs that the log has not forgotten.
func (l *Log) Runs() (n int) {
	l.runs.Range(func(any, any) bool { n++; return true })
	return n
}
