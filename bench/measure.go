package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// subject is something that takes time.
type subject struct {
	name string
	// batch is how many of it make one turn; what is short is done often.
	batch int
	do    func(context.Context) error
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
			for range s.batch {
				began := time.Now()
				if err := s.do(ctx); err != nil {
					return nil, fmt.Errorf("%s: %w", s.name, err)
				}
				if took := time.Since(began); round > 0 { // the first warms up
					times[i] = append(times[i], took)
				}
			}
		}
	}
	rows := make([]row, len(subjects))
	for i, s := range subjects {
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
