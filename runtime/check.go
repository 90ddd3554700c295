package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// MaxCheckTime limits the check of one source: parsing it, finding its entry and compiling
// it; it is time of a processor, and on a busy machine a check may last ten times as long. A source of
// 192 KiB takes about a twentieth of it. What it imports adds a second for each MiB,
// and a millisecond for each file.
const MaxCheckTime = 2 * time.Second

// maxCheckMemory limits the memory of a worker that checks a source, in bytes. TypeScript with
// as many imports as are allowed takes some 110 MB, of which the program itself is 30.
const maxCheckMemory = 160 << 20

// maxImportingMemory is that of a source that can import: packages of megabytes are read, lowered
// and compiled at once.
const maxImportingMemory = 2 * maxCheckMemory

func (s *Source) maxCheck() time.Duration {
	if 0 < s.MaxCheck && s.MaxCheck < MaxCheckTime {
		return s.MaxCheck
	}
	return MaxCheckTime
}

// checkError is the error of a check that did not finish.
type checkError struct {
	msg     string
	same    bool // another check would fail as well
	starved bool // the worker was late because it got too little processor time
}

func (e *checkError) Error() string { return e.msg }

// checkIn checks a source in a cell, until ctx ends. It kills a cell that takes too much
// time or memory, or gives no valid answer.
func checkIn(ctx context.Context, in cell, c wire.Check, imports *given, timeout time.Duration) (checked realm.Checked, flaws []realm.Flaw, err error) {
	f, err := wire.New(wire.KindCheck, c, nil)
	if err != nil {
		in.end(false)
		return checked, nil, notChecked(err)
	}
	heard := context.AfterFunc(ctx, in.Interrupt)
	in.Watch(c.MaxMemoryBytes)
	in.send(f)
	answer, err := awaitChecked(ctx, in, c, imports, timeout)
	if errors.Is(err, errLateCheck) {
		timeout += imports.time()
		err = &checkError{msg: fmt.Sprintf("checking it took more than %s; %s", spoken(timeout), imports.lighter()), same: true}
		if cpu, known := in.cpu(); known && cpu < timeout { // it was suspended, or other processes had the processors
			err = &checkError{msg: fmt.Sprintf("the check got too little processor time in %s; try again", spoken(busy*timeout)), starved: true}
		}
	}
	if err == nil {
		if checked, flaws, err = realm.Accept(c, answer, imports.texts); err != nil {
			err = &checkError{msg: "the worker that checked it gave an invalid answer: " + err.Error()}
		}
	}
	_, over := in.memory(false)
	in.end(heard() && err == nil && !over) // an interrupted cell would interrupt its next user
	return checked, flaws, err
}

// uncheckedError says that there was no cell to check a source in. The source is not to blame.
type uncheckedError struct{ err error }

func (e *uncheckedError) Error() string { return "it could not be checked: " + e.err.Error() }
func (e *uncheckedError) Unwrap() error { return e.err }

func notChecked(err error) error { return &uncheckedError{err} }

// busy is how many times as long a check may take as it may compute: on a loaded machine a worker
// with low priority gets a small part of a processor.
const busy = 10

// errLateCheck is the error of a check that took too long.
var errLateCheck = errors.New("there was no answer in time")

// awaitChecked waits for the answer to a check, which may compute for the time of timeout and of its
// imports.
func awaitChecked(ctx context.Context, in cell, c wire.Check, imports *given, timeout time.Duration) (answer wire.Checked, err error) {
	began := time.Now()
	until := began.Add(timeout)
	for {
		most := timeout + imports.time()
		if regular := began.Add(most); regular.After(until) {
			until = regular
		}
		switch f, what := in.Next(until); what { //exhaustive:enforce
		case worker.Arrived:
			if f.Kind == wire.KindNeed && c.Imports {
				if err := imports.answer(in, f); err != nil {
					return answer, err
				}
				continue
			}
			if f.Kind != wire.KindChecked {
				return answer, &checkError{msg: "the worker that checked it answered with a " + f.Kind.String() + " frame"}
			}
			if err := f.Decode(&answer); err != nil {
				return answer, &checkError{msg: "the worker that checked it gave an invalid answer: " + err.Error()}
			}
			return answer, nil
		case worker.Ended:
			return answer, diedChecking(in, c)
		case worker.Wide:
			return answer, &checkError{msg: "the worker that checked it answered with a value"}
		case worker.Late, worker.Interrupted:
		}
		switch {
		case in.Over():
			return answer, tooMuch(c)
		case ctx.Err() != nil:
			return answer, context.Cause(ctx)
		case !time.Now().Before(until):
			cpu, known := in.cpu()
			if !known || cpu >= most || !until.Before(began.Add(busy*most)) {
				return answer, errLateCheck
			}
			until = time.Now().Add(max(most-cpu, time.Millisecond))
		}
	}
}

// spoken is a duration as people write it.
func spoken(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	if d > 2*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d/time.Millisecond)
}

func tooMuch(c wire.Check) error {
	return &checkError{msg: fmt.Sprintf("checking it took more than %d MB of memory; look for long strings that are joined, and for large constants",
		c.MaxMemoryBytes>>20), same: true}
}

// diedChecking is the error of a cell that died during a check.
func diedChecking(in cell, c wire.Check) error {
	death := in.death(time.Now().Add(dying))
	if death.Cause != worker.Unknown {
		return tooMuch(c)
	}
	return &checkError{msg: "the worker that checked it died: " + death.Text}
}
