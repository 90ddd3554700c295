package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// subject is something that takes time.
type subject struct {
	name string
	// batch is how many of it make one turn; what is short is done often.
	batch int
	do    func(context.Context) error
	// took, if it is given, says itself how long it took.
	took func(context.Context) (time.Duration, error)
	// needs is a program that must be there.
	needs string
}

// missing reports whether this machine lacks what the subject needs.
func (s subject) missing() bool {
	_, err := exec.LookPath(cmp.Or(s.needs, "go"))
	return err != nil
}

func (s subject) measure(ctx context.Context) (time.Duration, error) {
	if s.took != nil {
		return s.took(ctx)
	}
	began := time.Now()
	err := s.do(ctx)
	return time.Since(began), err
}

// row is what was measured of a subject.
type row struct {
	name     string
	p50, p99 time.Duration
	samples  int
}

// turns has the subjects take turns, so that whatever else the machine does
// meets all of them, and returns their medians in order.
func turns(ctx context.Context, rounds int, subjects ...subject) ([]row, error) {
	times := make([][]time.Duration, len(subjects))
	for round := range rounds + 1 {
		for i, s := range subjects {
			if s.missing() {
				continue
			}
			for range s.batch {
				took, err := s.measure(ctx)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.name, err)
				}
				if round > 0 { // the first warms up
					times[i] = append(times[i], took)
				}
			}
		}
	}
	rows := make([]row, len(subjects))
	for i, s := range subjects {
		if s.missing() {
			rows[i] = row{name: s.name + ": there is no " + s.needs + " on this machine"}
			continue
		}
		rows[i] = rowOf(s.name, times[i])
	}
	return rows, nil
}

// rowOf sorts the times, of which there is at least one.
func rowOf(name string, times []time.Duration) row {
	slices.Sort(times)
	n := len(times)
	return row{name: name, p50: times[n/2], p99: times[n*99/100], samples: n}
}
