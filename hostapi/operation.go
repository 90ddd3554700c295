package hostapi

import (
	"encoding/json"
	"time"
)

// Operation is what was done with what a call had started: it was waited for, read
// from, written to, released.
type Operation struct {
	Name string
	// Args are the arguments; of large ones the beginning, as in a [Record], and at
	// most 1 KiB.
	Args        json.RawMessage
	Status      Status
	OutputBytes int64
	Started     time.Time
	Ended       time.Time
	// Err is why it was refused or what was wrong; empty if nothing was.
	Err string
}

// What a ledger keeps of operations: how many of a run, and the arguments of each in
// bytes.
const maxOperations, maxOperationArgs = 1000, 1 << 10

// operates notes an operation, and returns where; -1 if it only counts.
func (l *ledger) operates(row int, call Call) int {
	op := Operation{Name: call.Operation, Args: recordedArgs(call, maxOperationArgs), Started: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rows[row]
	if l.sealed || l.operations >= maxOperations {
		r.OperationsLeftOut++
		return -1
	}
	l.operations++
	r.Operations = append(r.Operations, op)
	return len(r.Operations) - 1
}

// operated notes how one ended.
func (l *ledger) operated(row, operation int, result Result, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if operation < 0 {
		return
	}
	l.rows[row].Operations[operation].end(time.Now(), func(op *Operation) {
		op.Status, op.OutputBytes = resultStatus(result), result.Bytes
		switch {
		case err != nil && CodeOf(err) == CodeCancelled:
			cancelOperation(op)
		case err != nil:
			op.Status, op.Err = refusalStatus(err), recordedText(err.Error())
		case op.Status != StatusOK:
			op.Err = recordedText(result.Output)
		}
	})
}

// end ends it, the first time.
func (op *Operation) end(ended time.Time, change func(*Operation)) {
	if op.Ended.IsZero() {
		change(op)
		op.Ended = ended
	}
}

func cancelOperation(op *Operation) {
	op.Status, op.Err = StatusCancelled, "cancelled: the run ended first"
}
