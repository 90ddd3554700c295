package realm

import "github.com/dop251/goja"

// merge merges two runs that lie side by side. The smaller one was copied, and its place is free
// for what is merged.
type merge struct {
	*timSort
	all  []goja.Value // both runs
	kept []goja.Value // what is left of the copy
	rest int          // what is left of the other run
}

// forward merges a left run that was copied. The right one is at the end of all.
func (m *merge) forward() {
	to, from := 0, len(m.all)-m.rest
	right := func() []goja.Value { return m.all[from : from+m.rest] }
	takeRight := func(n int) {
		copy(m.all[to:], m.all[from:from+n])
		to, from, m.rest = to+n, from+n, m.rest-n
	}
	takeKept := func(n int) {
		copy(m.all[to:], m.kept[:n])
		to, m.kept = to+n, m.kept[n:]
	}
	takeRight(1)
	m.run(mergeSteps{
		other:     func() bool { return m.order(m.all[from], m.kept[0]) < 0 },
		takeOther: takeRight, takeKept: takeKept,
		runOfKept:  func() int { return m.behind(m.all[from], m.kept, 0) },
		runOfOther: func() int { return m.before(m.kept[0], right(), 0) },
	})
	if len(m.kept) == 1 { // it belongs at the end
		last := m.kept[0]
		takeRight(m.rest)
		m.all[to] = last
		return
	}
	takeKept(len(m.kept))
}

// backward merges a right run that was copied, from its end. The left one is at the start of all.
func (m *merge) backward() {
	to := len(m.all)
	takeLeft := func(n int) {
		copy(m.all[to-n:to], m.all[m.rest-n:m.rest])
		to, m.rest = to-n, m.rest-n
	}
	takeKept := func(n int) {
		copy(m.all[to-n:to], m.kept[len(m.kept)-n:])
		to, m.kept = to-n, m.kept[:len(m.kept)-n]
	}
	last := func() goja.Value { return m.kept[len(m.kept)-1] }
	takeLeft(1)
	m.run(mergeSteps{
		other:     func() bool { return m.order(last(), m.all[m.rest-1]) < 0 },
		takeOther: takeLeft, takeKept: takeKept,
		runOfOther: func() int { return m.rest - m.behind(last(), m.all[:m.rest], m.rest-1) },
		runOfKept:  func() int { return len(m.kept) - m.before(m.all[m.rest-1], m.kept, len(m.kept)-1) },
		otherFirst: true,
	})
	if len(m.kept) == 1 { // it belongs at the start
		first := m.kept[0]
		takeLeft(m.rest)
		m.all[to-1] = first
		return
	}
	takeKept(len(m.kept))
}

// mergeSteps are those of a merge in one direction.
type mergeSteps struct {
	other                 func() bool // whether the run that was not copied is next
	takeOther, takeKept   func(n int)
	runOfOther, runOfKept func() int // how many of one come before the next of the other
	otherFirst            bool       // which of them is asked first
}

// run merges until one run is over, or one value of the copy is left.
func (m *merge) run(s mergeSteps) {
	over := func() bool { return m.rest == 0 || len(m.kept) <= 1 }
	for least := m.gallop; !over(); {
		kept, other := 0, 0 // how often each won in a row
		for kept < least && other < least {
			if s.other() {
				s.takeOther(1)
				kept, other = 0, other+1
			} else {
				s.takeKept(1)
				kept, other = kept+1, 0
			}
			if over() {
				return
			}
		}
		least++
		for first := true; first || kept >= leastGallop || other >= leastGallop; first = false {
			least = max(1, least-1)
			m.gallop = least
			if s.otherFirst {
				kept, other = m.stride(over, s.runOfOther, s.takeOther, s.takeKept, s.runOfKept)
				kept, other = other, kept
			} else {
				kept, other = m.stride(over, s.runOfKept, s.takeKept, s.takeOther, s.runOfOther)
			}
			if over() {
				return
			}
		}
		least++
		m.gallop = least
	}
}

// stride takes as many of one run as come before the next of the other, that one, and the same the
// other way round.
func (m *merge) stride(over func() bool, runOfFirst func() int, takeFirst, takeSecond func(n int), runOfSecond func() int) (first, second int) {
	first = runOfFirst()
	if takeFirst(first); over() {
		return first, second
	}
	if takeSecond(1); over() {
		return first, second
	}
	second = runOfSecond()
	if takeSecond(second); !over() {
		takeFirst(1)
	}
	return first, second
}
