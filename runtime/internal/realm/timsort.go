package realm

import "github.com/dop251/goja"

// timSort sorts as V8 does, so that a comparator is asked the same questions and one that
// contradicts itself, such as one that subtracts fields of which some are missing, gives the same
// order: runs that are there already, short ones made longer by binary insertion, and merges that
// gallop (Tim Peters, listsort.txt in CPython; V8's third_party/v8/builtins/array-sort.tq).
type timSort struct {
	list []goja.Value
	// order is below 0 if a belongs before b; never NaN.
	order  func(a, b goja.Value) float64
	runs   []run
	gallop int // how often one side must win before a merge gallops
}

// run is a part of the list that is sorted.
type run struct{ from, length int }

// leastGallop is how often one side must win for a merge to go on galloping.
const leastGallop = 7

func (s *timSort) sort() {
	s.gallop = leastGallop
	least := leastRun(len(s.list))
	for from := 0; from < len(s.list); {
		rest := len(s.list) - from
		length := s.ascend(s.list[from:])
		if forced := min(least, rest); length < forced {
			s.insert(s.list[from:from+forced], length)
			length = forced
		}
		s.runs = append(s.runs, run{from, length})
		s.collapse()
		from += length
	}
	for len(s.runs) > 1 {
		s.mergeAt(s.smaller(len(s.runs) - 2))
	}
}

// leastRun is how long a run has to be: 32 to 64, so that there are a power of two of them, or a
// little less. A list of less than 64 is one run.
func leastRun(n int) int {
	odd := 0
	for n >= 64 {
		odd |= n & 1
		n >>= 1
	}
	return n + odd
}

// ascend gives the length of the run that a list begins with. One that descends is turned round.
func (s *timSort) ascend(list []goja.Value) int {
	if len(list) < 2 {
		return len(list)
	}
	length, descends := 2, s.order(list[1], list[0]) < 0
	for length < len(list) && (s.order(list[length], list[length-1]) < 0) == descends {
		length++
	}
	for i, j := 0, length-1; descends && i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return length
}

// insert sorts a list whose beginning is sorted.
func (s *timSort) insert(list []goja.Value, sorted int) {
	for ; sorted < len(list); sorted++ {
		one, left, right := list[sorted], 0, sorted
		for left < right {
			if middle := left + (right-left)/2; s.order(one, list[middle]) < 0 {
				right = middle
			} else {
				left = middle + 1
			}
		}
		copy(list[left+1:sorted+1], list[left:sorted])
		list[left] = one
	}
}

// collapse merges runs until each is longer than the next one, and than the next two together.
func (s *timSort) collapse() {
	holds := func(n int) bool { return n < 2 || s.runs[n-2].length > s.runs[n-1].length+s.runs[n].length }
	for len(s.runs) > 1 {
		n := len(s.runs) - 2
		switch {
		case !holds(n+1) || !holds(n):
			s.mergeAt(s.smaller(n))
		case s.runs[n].length <= s.runs[n+1].length:
			s.mergeAt(n)
		default:
			return
		}
	}
}

// smaller is the run to merge with its next one: n, or that before it if that is the smaller one.
func (s *timSort) smaller(n int) int {
	if n > 0 && s.runs[n-1].length < s.runs[n+1].length {
		return n - 1
	}
	return n
}

// mergeAt merges a run with the next one. What is in its place already stays.
func (s *timSort) mergeAt(n int) {
	a, b := s.runs[n], s.runs[n+1]
	s.runs[n].length += b.length
	s.runs = append(s.runs[:n+1], s.runs[n+2:]...)
	left, right := s.list[a.from:a.from+a.length], s.list[b.from:b.from+b.length]
	stays := s.behind(right[0], left, 0)
	if left = left[stays:]; len(left) == 0 {
		return
	}
	right = right[:s.before(left[len(left)-1], right, len(right)-1)]
	all := s.list[a.from+stays : b.from+len(right)]
	switch {
	case len(right) == 0:
	case len(left) <= len(right):
		(&merge{timSort: s, all: all, kept: append([]goja.Value(nil), left...), rest: len(right)}).forward()
	default:
		(&merge{timSort: s, all: all, kept: append([]goja.Value(nil), right...), rest: len(left)}).backward()
	}
}

// before is where a value belongs in a sorted list, in front of what is equal; it looks from a
// place on, farther each time.
func (s *timSort) before(one goja.Value, list []goja.Value, near int) int {
	return gallop(len(list), near, func(i int) bool { return s.order(list[i], one) < 0 })
}

// behind is the same behind what is equal.
func (s *timSort) behind(one goja.Value, list []goja.Value, near int) int {
	return gallop(len(list), near, func(i int) bool { return s.order(one, list[i]) >= 0 })
}

// gallop is how many of the first of n are passed, beginning near one.
func gallop(n, near int, passes func(i int) bool) int {
	last, at := 0, 1
	var left, right int
	if passes(near) {
		for at < n-near && passes(near+at) {
			last, at = at, 2*at+1
		}
		left, right = near+last+1, min(near+at, n)
	} else {
		for at < near+1 && !passes(near-at) {
			last, at = at, 2*at+1
		}
		left, right = near-min(at, near+1)+1, near-last
	}
	for left < right {
		if middle := left + (right-left)/2; passes(middle) {
			left = middle + 1
		} else {
			right = middle
		}
	}
	return left
}
