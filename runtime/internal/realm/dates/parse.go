package dates

import (
	"math"
	"slices"
	"time"
)

const maxTime = 8.64e15 // milliseconds from 1970 that a date can be away

// none stands for a part that a text does not have.
const none = math.MaxInt

// reading is what was found in a text so far.
type reading struct {
	*scanner
	iso    bool
	day    []int // at most three numbers
	month  int   // by its name
	clock  []int // hour, minute, second, millisecond
	half   int   // hours that am or pm add
	zone   int   // -1 or 1
	hours  int   // of the zone
	minute int   // likewise
}

// Parse reads a text as Date.parse of Node does: the date-time strings of the language, and what
// else people write. A text without a zone is of the local one. It returns milliseconds from
// 1970; not a number if the text is no date.
func Parse(text string, local *time.Location) float64 {
	if ms, ok := usual(text); ok {
		return float64(ms)
	}
	r := &reading{scanner: newScanner(text), month: none, half: none, zone: none, hours: none, minute: none}
	rest, ok := r.standard()
	if !ok || !r.others(rest) {
		return math.NaN()
	}
	return r.time(local)
}

// standard reads a date-time string of the language as far as it goes. It returns the token that
// is none of it; ok is false if the text can be no date any more.
func (r *reading) standard() (rest token, ok bool) {
	switch {
	case r.next.kind == sign:
		minus := r.take()
		if !r.next.digits(6) || minus.value < 0 && r.next.value == 0 {
			if r.next.digits(6) { // the year -000000
				r.take()
			}
			return minus, true
		}
		r.day = append(r.day, minus.value*r.take().value)
	case r.next.digits(4):
		r.day = append(r.day, r.take().value)
	default:
		return r.take(), true
	}
	for _, most := range []int{12, 31} {
		if !r.skip('-') {
			break
		}
		if !r.next.digits(2) || !r.next.within(1, most) {
			return r.take(), true
		}
		r.day = append(r.day, r.take().value)
	}
	if r.next.kind == between {
		r.take()
		if !r.standardClock() || !r.standardZone() || r.next.kind != ending {
			return token{}, false
		}
	} else if r.next.kind != ending {
		return r.take(), true
	}
	if r.hours == none && len(r.clock) == 0 {
		r.setZone(0)
	}
	r.iso = true
	return token{kind: ending}, true
}

// standardClock reads hours, minutes, seconds and their fraction.
func (r *reading) standardClock() bool {
	most := 59
	for i, before := range []rune{0, ':', ':'} {
		if i > 0 && !r.skip(before) {
			return i == 2
		}
		if i == 0 && !r.next.within(0, 24) || i > 0 && !r.next.within(0, most) || !r.next.digits(2) {
			return false
		}
		if i == 0 && r.next.value == 24 { // the end of a day
			most = 0
		}
		r.clock = append(r.clock, r.take().value)
	}
	if r.skip('.') {
		if r.next.kind != number || most == 0 && r.next.value > 0 {
			return false
		}
		r.clock = append(r.clock, thousandths(r.take()))
	}
	return true
}

// standardZone reads Z, +hh:mm or +hhmm, or nothing.
func (r *reading) standardZone() bool {
	if r.next.zulu() {
		r.take()
		r.setZone(0)
		return true
	}
	if r.next.kind != sign {
		return true
	}
	r.zone = r.take().value
	if r.next.digits(4) {
		both := r.take().value
		r.hours, r.minute = both/100, both%100
		return r.hours <= 23 && r.minute <= 59
	}
	if !r.next.digits(2) || !r.next.within(0, 23) {
		return false
	}
	r.hours = r.take().value
	if !r.skip(':') || !r.next.digits(2) || !r.next.within(0, 59) {
		return false
	}
	r.minute = r.take().value
	return true
}

// others reads on in the manner of people, from a token on.
func (r *reading) others(t token) bool {
	numbers := len(r.day) > 0
	for ; t.kind != ending; t = r.take() {
		switch {
		case t.kind == number:
			numbers = true
			if !r.number(t) {
				return false
			}
		case t.kind == half && len(r.clock) > 0:
			r.half = t.value
		case t.kind == month:
			r.month = t.value
			r.skip('-')
		case t.kind == zone && numbers:
			r.setZone(t.value)
		case t.kind >= month && t.kind <= word: // words may come before the first number, and not right before it
			if numbers || r.next.kind == number {
				return false
			}
		case t.kind == sign && (r.hours == 0 && r.minute == 0 || len(r.clock) > 0):
			numbers = true
			if !r.offset(t.value) {
				return false
			}
		case (t.kind == sign || t.is(')')) && numbers:
			return false
		}
	}
	return true
}

// number takes a number as a part of the time, of the zone or of the day.
func (r *reading) number(t token) bool {
	switch {
	case r.skip(':'):
		if r.skip(':') { // no minutes
			if len(r.clock) > 0 {
				return false
			}
			r.clock = append(r.clock, t.value, 0)
			return true
		}
		if len(r.clock) == 4 {
			return false
		}
		r.clock = append(r.clock, t.value)
		r.skip('.')
		return true
	case r.skip('.') && r.expects(t.value):
		r.clock = append(r.clock, t.value)
		if r.next.kind != number {
			return false
		}
		r.last(thousandths(r.take()))
		return true
	case r.hours != none && r.minute == none && t.value <= 59:
		r.minute = t.value
		return true
	case r.expects(t.value):
		r.last(t.value)
		return r.next.kind == ending || r.next.kind == space || r.next.zulu() || r.next.kind == sign
	case len(r.day) == 3:
		return false
	}
	r.day = append(r.day, t.value)
	r.skip('-')
	return true
}

// expects reports whether the time goes on with a number.
func (r *reading) expects(n int) bool {
	switch len(r.clock) {
	case 1, 2:
		return n <= 59
	case 3:
		return n <= 999
	}
	return false
}

// last adds the last part of the time.
func (r *reading) last(n int) {
	if r.clock = append(r.clock, n); len(r.clock) > 4 {
		r.clock = r.clock[:4]
	}
	for len(r.clock) < 4 {
		r.clock = append(r.clock, 0)
	}
}

// offset reads the zone after its sign: 5, 05, 530, 0530, 05:30 or nothing.
func (r *reading) offset(sign int) bool {
	r.zone = sign
	n := token{}
	if r.next.kind == number {
		n = r.take()
	}
	switch {
	case r.next.is(':'):
		r.hours, r.minute = n.value, none
	case n.length == 1 || n.length == 2:
		r.hours, r.minute = n.value, 0
	case n.length == 3 || n.length == 4:
		r.hours, r.minute = n.value/100, n.value%100
	default:
		return false
	}
	return true
}

func (r *reading) setZone(hours int) {
	r.zone, r.hours, r.minute = 1, hours, 0
	if hours < 0 {
		r.zone, r.hours = -1, -hours
	}
}

// thousandths are those of a fraction of which the digits are known.
func thousandths(t token) int {
	n := t.value
	for length := min(t.length, 9); length != 3; {
		if length < 3 {
			n, length = n*10, length+1
		} else {
			n, length = n/10, length-1
		}
	}
	return n
}

func (r *reading) time(local *time.Location) float64 {
	year, month, day, ok := r.date()
	if !ok || month < 1 || month > 12 || day < 1 || day > 31 || !r.clockIsRight() {
		return math.NaN()
	}
	if year > 400000 || year < -400000 { // out of range in any zone
		return math.NaN()
	}
	if r.zone != none {
		local = time.UTC
	}
	at := time.Date(year, time.Month(month), day, r.clock[0], r.clock[1], r.clock[2], r.clock[3]*1e6, local)
	if r.zone != none {
		zone := (cleared(r.hours)*60 + cleared(r.minute)) * 60
		if zone > 1<<31 {
			return math.NaN()
		}
		at = at.Add(-time.Duration(r.zone*zone) * time.Second)
	}
	if ms := float64(at.UnixMilli()); math.Abs(ms) <= maxTime {
		return ms
	}
	return math.NaN()
}

func cleared(n int) int {
	if n == none {
		return 0
	}
	return n
}

// date puts the numbers of a day in their order.
func (r *reading) date() (year, month, day int, ok bool) {
	if len(r.day) == 0 {
		return 0, 0, 0, false
	}
	d := append(slices.Clone(r.day), 1, 1) // what is missing is a one: a year is then 2001
	isDay := 1 <= d[0] && d[0] <= 31
	switch {
	case r.month == none && (r.iso || !isDay):
		year, month, day = d[0], d[1], d[2]
	case r.month == none:
		month, day, year = d[0], d[1], d[2]
	case !isDay:
		year, month, day = d[0], r.month, d[1]
	default:
		year, month, day = d[1], r.month, d[0]
	}
	if !r.iso && year >= 0 && year <= 99 {
		year += 1900
		if year < 1950 {
			year += 100
		}
	}
	return year, month, day, true
}

// clockIsRight completes the time and checks it.
func (r *reading) clockIsRight() bool {
	for len(r.clock) < 4 {
		r.clock = append(r.clock, 0)
	}
	if r.half != none {
		if r.clock[0] > 12 {
			return false
		}
		r.clock[0] = r.clock[0]%12 + r.half
	}
	if slices.Equal(r.clock, []int{24, 0, 0, 0}) {
		return true
	}
	return r.clock[0] <= 23 && r.clock[1] <= 59 && r.clock[2] <= 59 && r.clock[3] <= 999
}
