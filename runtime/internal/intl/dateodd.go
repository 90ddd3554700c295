package intl

import (
	"fmt"
	"time"
)

// unusual are the parts of dates for whose parts English has no pattern, so that what is left
// over is appended with its name; nil for all others.
func (d *Date) unusual(month, day, year, weekday, era Part) []Part {
	beside := func(name string, inner ...Part) []Part {
		return append(append([]Part{literal(" (" + name + ": ")}, inner...), literal(")"))
	}
	space := literal(" ")
	switch {
	case d.Month == "" && d.Day != "" && d.Year != "":
		switch short := d.Year == "2-digit" && d.Day == "numeric"; {
		case d.Era != "" && d.Weekday != "" && short:
			return []Part{day, space, weekday, space, year, space, era}
		case d.Era != "" && d.Weekday != "":
			return append([]Part{year, space, era}, beside("day", day, space, weekday)...)
		case d.Era != "":
			return append([]Part{year, space, era}, beside("day", day)...)
		case d.Weekday != "":
			return []Part{day, space, weekday, space, year}
		case short:
			return []Part{day, space, year}
		}
		return append([]Part{year}, beside("day", day)...)
	case d.Year != "":
		if d.Year == "2-digit" && d.Month == "" && d.Day == "" && d.Era == "" && d.Weekday == "short" {
			return []Part{weekday, space, year}
		}
	case d.Month != "" && d.Day == "":
		if d.Era == "short" && d.Weekday == "" {
			return append([]Part{era}, beside("month", month)...)
		}
		if d.Era == "" && (d.Weekday == "short" && d.Month == "long" || d.Month == "narrow" && (d.Weekday == "short" || d.Weekday == "long")) {
			return append([]Part{weekday}, beside("month", month)...)
		}
	case d.Month == "" && d.Day != "" && d.Era == "short":
		if d.Weekday != "" {
			return []Part{day, space, weekday, space, era}
		}
		return append([]Part{era}, beside("day", day)...)
	}
	return nil
}

// apart reports whether seconds stand apart: there are hours and no minutes.
func (d *Date) apart() bool { return d.Hour != "" && d.Minute == "" }

// appended is what has no place in a pattern of English, with its name.
func (d *Date) appended(t time.Time) []Part {
	switch {
	case d.apart() && d.Second != "":
		return []Part{literal(" (second: "), digits("second", t.Second(), "numeric"), literal(")")}
	case d.apart() && d.FractionDigits > 0:
		return []Part{literal(" ├F14: "), d.fraction(t), literal("┤")}
	case d.DayPeriod != "" && d.Hour == "" && (d.Minute+d.Second != "" || d.FractionDigits > 0) != (d.TimeZoneName != ""):
		return []Part{literal(" ├AM/PM: "), {Type: "dayPeriod", Value: d.dayPeriod(t)}, literal("┤")}
	}
	return nil
}

func (d *Date) fraction(t time.Time) Part {
	return Part{Type: "fractionalSecond", Value: fmt.Sprintf("%03d", t.Nanosecond()/1e6)[:d.FractionDigits]}
}

// dayPeriod is a part of the day. It is noon as long as what is shown of the time is.
func (d *Date) dayPeriod(t time.Time) string {
	switch hour := t.Hour(); {
	case hour == 12 && (d.Minute == "" || t.Minute() == 0) && (d.Second == "" || t.Second() == 0):
		if d.DayPeriod == "narrow" {
			return "n"
		}
		return "noon"
	case hour < 12:
		return "in the morning"
	case hour < 18:
		return "in the afternoon"
	case hour < 21:
		return "in the evening"
	}
	return "at night"
}
