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

// Verdict is the decision on a call. The zero value denies.
type Verdict string

// The verdicts.
const (
	VerdictDeny  Verdict = "deny"
	VerdictAsk   Verdict = "ask" // a person must say yes, or did
	VerdictAllow Verdict = "allow"
)

// maxRecordedArgs is how many bytes of a call's arguments a [Record] keeps.
const maxRecordedArgs = 8 << 10

// Record is a call on a run's ledger: what was asked, what was decided, how it
// ended. It is a value; the gate hands out copies.
type Record struct {
	Seq  int
	Tool string
	// Parent is the call whose tool asked for this one; 0 if the script did.
	Parent int
	// Args are the arguments. If they are larger than 8 KiB, or not JSON, they are an
	// object that says how large they were and how they begin.
	Args json.RawMessage
	// Site is where the script asked, as file:line:column.
	Site string
	// Background is set for a call in the background; it ends when its work does.
	Background bool
	Verdict    Verdict
	// Rule is the rule that decided, cut to 1 KiB; empty if none did.
	Rule   string
	Status Status
	// Outcome is how the tool ended; empty if it was not invoked.
	Outcome     Outcome
	ExitCode    int
	Signal      string
	OutputBytes int64
	Truncated   bool
	Cut         string // as in [Result]
	CutWithin   bool   // likewise
	// Traffic is its network use; nil if that is not known.
	Traffic *Traffic
	Started time.Time
	Ended   time.Time
	// Err is why the call was refused or what was wrong; empty if nothing was.
	Err  string
	Code Code
	// Limit is the name of the limit that the call exceeded, if any.
	Limit string
	// Notes are the first notes of the result.
	Notes []string
	// Operations are what was done with what the call started; a run keeps the first
	// 1,000, and a release of each call.
	Operations []Operation
	// OperationsLeftOut is how many more there were.
	OperationsLeftOut int
}

// Invoked reports whether the tool was invoked.
func (r Record) Invoked() bool { return r.Outcome != "" }

func (r Record) copy() Record {
	r.Operations = slices.Clone(r.Operations)
	return r
}

// ledger holds the calls of a run, in the order they were asked for.
type ledger struct {
	mu     sync.Mutex
	rows   []Record
	sealed bool

	operations int // on all rows
}

// add adds a row and returns its index; ok is false once the ledger is sealed.
func (l *ledger) add(row Record) (index int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return 0, false
	}
	row.Seq = len(l.rows) + 1
	l.rows = append(l.rows, row)
	return len(l.rows) - 1, true
}

// decided records the decision on a call, unless its row has ended.
func (l *ledger) decided(index int, verdict Verdict, rule Rule) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row := &l.rows[index]; row.Ended.IsZero() {
		row.Verdict, row.Rule = verdict, recordedText(rule.String())
	}
}

// settle ends a row, and reports whether it had not ended before.
func (l *ledger) settle(index int, ended time.Time, change func(*Record)) (Record, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := &l.rows[index]
	if !row.Ended.IsZero() {
		return row.copy(), false
	}
	change(row)
	row.Ended = ended
	return row.copy(), true
}

// seal refuses new rows and settles the open ones.
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

// maxRecordedText is how many bytes of a text a row keeps.
const maxRecordedText = 1 << 10

func recordedText(s string) string {
	if cut := clip.Head(s, maxRecordedText); cut != s {
		return fmt.Sprintf("%s … (%d bytes)", cut, len(s))
	}
	return s
}

// recordedArgs is what a row keeps of the arguments. It is always JSON, and cheap: the
// script's other calls wait for it.
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
	most := limit / 8 // a byte may take six in a JSON string
	began := clip.Head(string(args[:min(len(args), most+utf8.UTFMax)]), most)
	head, _ := json.Marshal(began) // a string always encodes
	return fmt.Appendf(nil, `{"truncated":true,"bytes":%d,"head":%s}`, len(args), head)
}
