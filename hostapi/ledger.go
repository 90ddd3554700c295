package hostapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// Verdict is what was decided on a call. The zero value denies.
type Verdict string

// The verdicts.
const (
	VerdictDeny  Verdict = "deny"
	VerdictAsk   Verdict = "ask" // somebody is to be asked, or was and said yes
	VerdictAllow Verdict = "allow"
)

// MaxRecordedArgs is how many bytes of a call's arguments a [Record] keeps;
// larger ones, and what is not JSON, are replaced by an object that says how large they were and how
// they began.
const MaxRecordedArgs = 8 << 10

// Record is one row of a run's ledger: what was asked, what was decided, what
// came of it. It is a value; the gate hands out copies.
type Record struct {
	Seq  int
	Tool string
	// Parent is the call whose tool asked for this one; 0 if the script did.
	Parent int
	Args   json.RawMessage
	Site   string
	// Background is set for a call that was started and went on; it ended when
	// what it had started did.
	Background bool
	Verdict    Verdict
	// Rule is the rule that decided, of a long one the first 1 KiB and its size; empty
	// if none did.
	Rule   string
	Status Status
	// Outcome is how the tool ended; empty where it was never invoked.
	Outcome     Outcome
	ExitCode    int
	Signal      string
	OutputBytes int64
	Truncated   bool
	// Traffic is what it had of other machines; nil where nobody knows.
	Traffic *Traffic
	Started time.Time
	Ended   time.Time
	// Err is why the call was refused or what was wrong; empty if nothing was.
	Err  string
	Code Code
	// Limit names the limit that a call was over; empty for any other.
	Limit string
	// Notes are those of the result, the first few of them.
	Notes []string
	// Operations are what was done with what the call had started, in the order it was
	// asked for; of all calls of a run the first 1,000.
	Operations []Operation
	// OperationsLeftOut counts those after them.
	OperationsLeftOut int
}

// Invoked reports whether the tool itself was reached.
func (r Record) Invoked() bool { return r.Outcome != "" }

// copy is the row as it stands.
func (r Record) copy() Record {
	r.Operations = slices.Clone(r.Operations)
	return r
}

// ledger holds a row a call, in the order the calls were issued.
type ledger struct {
	mu     sync.Mutex
	rows   []Record
	open   int
	sealed bool

	operations int // that rows tell of
}

// add opens a row and returns its index; ok is false once the ledger is sealed.
func (l *ledger) add(row Record) (index int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return 0, false
	}
	row.Seq = len(l.rows) + 1
	l.rows = append(l.rows, row)
	if row.Ended.IsZero() {
		l.open++
	}
	return len(l.rows) - 1, true
}

// decided notes what was decided on a call, unless its row has ended.
func (l *ledger) decided(index int, verdict Verdict, rule Rule) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row := &l.rows[index]; row.Ended.IsZero() {
		row.Verdict, row.Rule = verdict, recordedText(rule.String())
	}
}

// settle ends the row, the first time; later endings of a row change nothing.
func (l *ledger) settle(index int, ended time.Time, change func(*Record)) (Record, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := &l.rows[index]
	if !row.Ended.IsZero() {
		return row.copy(), false
	}
	change(row)
	row.Ended = ended
	l.open--
	return row.copy(), true
}

// seal refuses new rows and settles those still open.
func (l *ledger) seal(ended time.Time, change func(*Record)) (settled []Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
	for i := range l.rows {
		row := &l.rows[i]
		for j := range row.Operations {
			row.Operations[j].end(ended, cancelOperation)
		}
		if row.Ended.IsZero() {
			change(row)
			row.Ended = ended
			l.open--
			settled = append(settled, row.copy())
		}
	}
	return settled
}

func (l *ledger) copy() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []Record
	for _, row := range l.rows {
		rows = append(rows, row.copy())
	}
	return rows
}

// maxRecordedText is how many bytes of a message a row keeps.
const maxRecordedText = 1 << 10

func recordedText(s string) string {
	if cut := clip.Head(s, maxRecordedText); cut != s {
		return fmt.Sprintf("%s … (%d bytes)", cut, len(s))
	}
	return s
}

// recordedArgs bounds what a row keeps of the arguments, and what that costs:
// it is done while the script's other calls wait. It is JSON, whatever they are.
func recordedArgs(call Call, limit int) json.RawMessage {
	args := call.Args
	switch {
	case call.TooLarge > 0:
		return fmt.Appendf(nil, `{"truncated":true,"bytes":%d,"head":""}`, call.TooLarge)
	case len(args) == 0:
		return json.RawMessage("{}")
	case len(args) <= limit && json.Valid(args):
		return args
	}
	most := limit / 8 // as a string each byte may become six
	began := clip.Head(string(args[:min(len(args), most+utf8.UTFMax)]), most)
	head, _ := json.Marshal(began) // a string always encodes
	return fmt.Appendf(nil, `{"truncated":true,"bytes":%d,"head":%s}`, len(args), head)
}
