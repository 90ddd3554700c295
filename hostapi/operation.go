package hostapi

import (
	"encoding/json"
	"slices"
	"time"
)

// Operation is something done with what a call started: a wait, a read, a write, its
// release.
type Operation struct {
	Name string
	// Args are the arguments, cut as in a [Record], to 1 KiB.
	Args        json.RawMessage
	Status      Status
	OutputBytes int64
	Started     time.Time
	Ended       time.Time
	// Err is why it was refused or failed, if it did.
	Err string
}

// maxOperations is how many operations of a run are recorded, besides a release of each call, and maxOperationArgs how
// many bytes of the arguments of each.
const maxOperations, maxOperationArgs = 1000, 1 << 10

// addOperation records an operation and returns its index; -1 if it is only counted.
func (l *ledger) addOperation(row int, call Call) int {
	op := Operation{Name: call.Operation, Args: recordedArgs(call, maxOperationArgs), Started: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rows[row]
	if l.sealed || l.operations >= maxOperations && (call.Operation != OperationRelease || r.released()) {
		r.OperationsLeftOut++
		return -1
	}
	l.operations++
	r.Operations = append(r.Operations, op)
	return len(r.Operations) - 1
}

// released reports whether a release is recorded.
func (r *Record) released() bool {
	return slices.ContainsFunc(r.Operations, func(op Operation) bool { return op.Name == OperationRelease })
}

// endOperation records how an operation ended.
func (l *ledger) endOperation(row, operation int, result Result, err error) {
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

// end changes an operation, unless it has ended before.
func (op *Operation) end(ended time.Time, change func(*Operation)) {
	if op.Ended.IsZero() {
		change(op)
		op.Ended = ended
	}
}

func cancelOperation(op *Operation) {
	op.Status, op.Err = StatusCancelled, "cancelled: the run ended first"
}
