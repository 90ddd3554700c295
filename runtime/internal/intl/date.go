package intl

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Date is how times are formatted, with the resolved options of Intl.DateTimeFormat. Its names
// are those of the options; empty ones are not shown.
type Date struct {
	Zone                                          *time.Location
	ZoneName                                      string
	DateStyle, TimeStyle                          string
	Weekday, Era, Year, Month, Day                string
	DayPeriod, Hour, Minute, Second, TimeZoneName string
	FractionDigits                                int
	HourCycle                                     string // if hours are shown
}

// Styled takes the parts of a dateStyle and a timeStyle.
func (d Date) Styled() Date {
	switch d.DateStyle {
	case "full":
		d.Weekday, d.Month, d.Day, d.Year = "long", "long", "numeric", "numeric"
	case "long":
		d.Month, d.Day, d.Year = "long", "numeric", "numeric"
	case "medium":
		d.Month, d.Day, d.Year = "short", "numeric", "numeric"
	case "short":
		d.Month, d.Day, d.Year = "numeric", "numeric", "2-digit"
	}
	switch d.TimeStyle {
	case "full":
		d.Hour, d.Minute, d.Second, d.TimeZoneName = "numeric", "2-digit", "2-digit", "long"
	case "long":
		d.Hour, d.Minute, d.Second, d.TimeZoneName = "numeric", "2-digit", "2-digit", "short"
	case "medium":
		d.Hour, d.Minute, d.Second = "numeric", "2-digit", "2-digit"
	case "short":
		d.Hour, d.Minute = "numeric", "2-digit"
	}
	return d
}

// Format formats milliseconds since 1970.
func (d *Date) Format(ms int64) []Part {
	t := time.UnixMilli(ms).In(d.Zone)
	return d.join(d.date(t), d.clock(t), t)
}

// join puts date, time and zone together.
func (d *Date) join(date, clock []Part, t time.Time) []Part {
	out := date
	if len(date) > 0 && len(clock) > 0 {
		between := ", "
		switch {
		case d.Month == "long":
			between = " at "
		case d.Day == "" && d.Month == "" && d.Year == "": // a weekday
			between = " "
		}
		out = append(out, literal(between))
	}
	out = append(out, clock...)
	if d.TimeZoneName != "" {
		switch {
		case len(clock) > 0:
			out = append(out, literal(" "))
		case len(date) > 0:
			out = append(out, literal(", "))
		}
		out = append(out, Part{Type: "timeZoneName", Value: zoneName(t, d.ZoneName, d.TimeZoneName)})
	}
	return out
}

func literal(text string) Part { return Part{Type: "literal", Value: text} }

// date is the part of days and longer.
func (d *Date) date(t time.Time) (out []Part) {
	month, day, year := d.month(t), digits("day", t.Day(), d.Day), d.year(t)
	between := func(text string, part Part) {
		switch {
		case part.Value == "":
		case len(out) > 0:
			out = append(out, literal(text), part)
		default:
			out = append(out, part)
		}
	}
	textual := d.Month != "numeric" && d.Month != "2-digit"
	switch {
	case d.Month == "" && d.Day != "" && d.Year != "":
		out = []Part{year, literal(" (day: "), day, literal(")")}
	case textual:
		between("", month)
		between(" ", day)
		if d.Day != "" {
			between(", ", year)
		} else {
			between(" ", year)
		}
	default:
		between("/", month)
		between("/", day)
		between("/", year)
	}
	if d.Era != "" {
		between(" ", Part{Type: "era", Value: era(t, d.Era)})
	}
	if d.Weekday == "" {
		return out
	}
	weekday := Part{Type: "weekday", Value: styled(t.Weekday().String(), d.Weekday)}
	if len(out) > 0 && d.Day != "" && d.Month != "" {
		return append([]Part{weekday, literal(", ")}, out...)
	}
	between(" ", weekday)
	return out
}

func (d *Date) month(t time.Time) Part {
	switch d.Month {
	case "", "numeric", "2-digit":
		return digits("month", int(t.Month()), d.Month)
	}
	return Part{Type: "month", Value: styled(t.Month().String(), d.Month)}
}

// styled is a name of English in one of the styles: all short ones have three letters.
func styled(name, style string) string {
	switch style {
	case "short":
		return name[:3]
	case "narrow":
		return name[:1]
	}
	return name
}

// year counts from the beginning of its era.
func (d *Date) year(t time.Time) Part {
	year := t.Year()
	if year <= 0 {
		year = 1 - year
	}
	if d.Year == "2-digit" {
		year %= 100
	}
	return digits("year", year, d.Year)
}

func era(t time.Time, style string) string {
	before := t.Year() <= 0
	switch {
	case style == "long" && before:
		return "Before Christ"
	case style == "long":
		return "Anno Domini"
	case style == "narrow" && before:
		return "B"
	case style == "narrow":
		return "A"
	case before:
		return "BC"
	}
	return "AD"
}

// digits is a number, with two digits at least if its style says so. It is empty without one.
func digits(kind string, n int, style string) Part {
	switch style {
	case "":
		return Part{Type: kind}
	case "2-digit":
		return Part{Type: kind, Value: fmt.Sprintf("%02d", n)}
	}
	return Part{Type: kind, Value: strconv.Itoa(n)}
}

// clock is the part of hours and shorter.
func (d *Date) clock(t time.Time) (out []Part) {
	add := func(before string, part Part) {
		if len(out) > 0 && before != "" {
			out = append(out, literal(before))
		}
		out = append(out, part)
	}
	two := func(alone string) string { // the style behind another number
		if len(out) > 0 || d.Hour != "" {
			return "2-digit"
		}
		return alone
	}
	twelve := d.HourCycle == "h12" || d.HourCycle == "h11"
	if d.Hour != "" {
		add("", d.hour(t, twelve))
	}
	if d.Minute != "" {
		style := two("numeric")
		if d.Second != "" {
			style = "2-digit"
		}
		add(":", digits("minute", t.Minute(), style))
	}
	if d.Second != "" {
		add(":", digits("second", t.Second(), two("numeric")))
	}
	if d.FractionDigits > 0 {
		text := fmt.Sprintf("%03d", t.Nanosecond()/1e6)[:d.FractionDigits]
		add(".", Part{Type: "fractionalSecond", Value: text})
	}
	switch {
	case d.DayPeriod != "" && (d.Hour == "" || twelve):
		add(" ", Part{Type: "dayPeriod", Value: dayPeriod(t)})
	case d.Hour != "" && twelve:
		half := "AM"
		if t.Hour() >= 12 {
			half = "PM"
		}
		add(" ", Part{Type: "dayPeriod", Value: half})
	}
	return out
}

func (d *Date) hour(t time.Time, twelve bool) Part {
	hour, style := t.Hour(), d.Hour
	switch d.HourCycle {
	case "h12":
		if hour %= 12; hour == 0 {
			hour = 12
		}
	case "h11":
		hour %= 12
	case "h24":
		if hour == 0 {
			hour = 24
		}
	}
	if !twelve {
		style = "2-digit"
	}
	return digits("hour", hour, style)
}

func dayPeriod(t time.Time) string {
	switch hour := t.Hour(); {
	case hour == 12 && t.Minute() == 0 && t.Second() == 0:
		return "noon"
	case hour < 6 || hour >= 21:
		return "at night"
	case hour < 12:
		return "in the morning"
	case hour < 18:
		return "in the afternoon"
	}
	return "in the evening"
}

// Text joins the values of parts.
func Text(parts []Part) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Value)
	}
	return b.String()
}
