package intl

import "time"

// Ranged is a part of a range: of its start, of its end, or of both.
type Ranged struct {
	Part
	Source string // startRange, endRange or shared
}

func from(source string, parts []Part) (out []Ranged) {
	for _, part := range parts {
		out = append(out, Ranged{part, source})
	}
	return out
}

// between is what stands in a range of times.
var between = []Ranged{{literal("\u2009–\u2009"), "shared"}}

// Range formats two times as a range; what both have is written once.
func (d *Date) Range(from0, to0 int64) []Ranged {
	start, end := time.UnixMilli(from0).In(d.Zone), time.UnixMilli(to0).In(d.Zone)
	if d.Era == "" && (d.Year != "" || d.Weekday+d.Month+d.Day == "") && (start.Year() <= 0) != (end.Year() <= 0) { // the years need their eras
		whole := *d
		whole.Era = "short"
		d = &whole
	}
	first, last := d.Format(from0), d.Format(to0)
	dated := d.Weekday+d.Year+d.Month+d.Day != ""
	sameYear := start.Year() == end.Year()
	sameMonth := sameYear && start.Month() == end.Month()
	sameDay := sameMonth && start.Day() == end.Day()
	timed := d.Hour+d.Minute+d.Second != "" || d.FractionDigits > 0
	switch {
	case Text(first) == Text(last) && (sameDay || dated && !timed):
		return from("shared", first)
	case timed && sameDay && d.appended(start) == nil:
		return d.rangeOfTimes(start, end)
	case timed && !dated && !sameDay:
		whole := *d
		whole.Year, whole.Month, whole.Day = "numeric", "numeric", "numeric"
		return whole.rangeOfAll(start, end)
	case timed, d.Month == "numeric", d.Month == "2-digit", d.Era != "":
		return d.rangeOfAll(start, end)
	case !sameYear && d.Year == "" && d.Month != "":
		whole := *d
		whole.Year = "numeric"
		return whole.rangeOfAll(start, end)
	case !sameYear || d.Month == "":
		return d.rangeOfAll(start, end)
	}
	return d.rangeOfDays(start, end, sameMonth)
}

func (d *Date) rangeOfAll(start, end time.Time) []Ranged {
	out := append(from("startRange", narrowed(d.Format(start.UnixMilli()))), between...)
	return append(out, from("endRange", narrowed(d.Format(end.UnixMilli())))...)
}

// rangeOfTimes is a range within a day.
func (d *Date) rangeOfTimes(start, end time.Time) []Ranged {
	first, last := narrowed(d.clock(start)), narrowed(d.clock(end))
	n := len(first)
	if n > 2 && first[n-1].Type == "dayPeriod" && first[n-1] == last[len(last)-1] {
		first = first[:n-2]
	}
	out := append(from("startRange", first), between...)
	out = append(out, from("endRange", last)...)
	date := d.date(start)
	if len(date) == 0 && d.TimeZoneName == "" {
		return out
	}
	around := from("shared", d.join(date, []Part{{Type: "here"}}, start))
	for i, part := range around {
		if part.Type == "here" {
			return append(append(around[:i:i], out...), around[i+1:]...)
		}
	}
	return out
}

// rangeOfDays is a range within a year, whose months are names.
func (d *Date) rangeOfDays(start, end time.Time, sameMonth bool) []Ranged {
	first, second := *d, *d
	first.Year = ""
	second.Year = ""
	if sameMonth && d.Weekday == "" {
		second.Month = ""
	}
	out := append(from("startRange", first.date(start)), between...)
	out = append(out, from("endRange", second.date(end))...)
	if d.Year != "" {
		gap := ", "
		if d.Day == "" {
			gap = " "
		}
		out = append(out, from("shared", []Part{literal(gap), d.year(start)})...)
	}
	return out
}

// narrowed has a narrow space before AM and PM, as parts and ranges have.
func narrowed(parts []Part) []Part {
	for i := 1; i < len(parts); i++ {
		if parts[i].Type == "dayPeriod" && parts[i-1].Value == " " && (parts[i].Value == "AM" || parts[i].Value == "PM") {
			parts[i-1].Value = "\u202f"
		}
	}
	return parts
}
