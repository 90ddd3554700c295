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

// Parts are what Format gives, with a narrow space before AM and PM, as in Node.
func (d *Date) Parts(ms int64) []Part { return narrowed(d.Format(ms)) }

// join puts date, time and zone together, and behind them what has no place in the time.
func (d *Date) join(date, clock []Part, t time.Time) []Part {
	between := ", "
	switch {
	case d.Month == "long":
		between = " at "
	case d.Day == "" && d.Month == "" && d.Year == "" && d.Era == "" && d.besideWeekday():
		between = " "
	}
	out := date
	add := func(before string, parts ...Part) {
		if len(out) > 0 {
			out = append(out, literal(before))
		}
		out = append(out, parts...)
	}
	if len(clock) > 0 {
		add(between, clock...)
	}
	if d.TimeZoneName != "" {
		if len(clock) > 0 {
			between = " "
		}
		add(between, Part{Type: "timeZoneName", Value: zoneName(t, d.ZoneName, d.TimeZoneName)})
	}
	return append(out, d.appended(t)...)
}

// besideWeekday reports whether there is a pattern of a weekday and these parts of a time.
func (d *Date) besideWeekday() bool {
	return d.Hour != "" && d.TimeZoneName == "" && d.FractionDigits == 0 && (d.Minute != "" || d.Second == "" && d.twelve())
}

func (d *Date) twelve() bool { return d.HourCycle == "h12" || d.HourCycle == "h11" }

func literal(text string) Part { return Part{Type: "literal", Value: text} }

// date is the part of days and longer.
func (d *Date) date(t time.Time) (out []Part) {
	month, day, year := d.month(t), digits("day", t.Day(), d.Day), d.year(t)
	weekday, era := Part{Type: "weekday", Value: styled(t.Weekday().String(), d.Weekday)}, Part{Type: "era", Value: era(t, d.Era)}
	if unusual := d.unusual(month, day, year, weekday, era); unusual != nil {
		return unusual
	}
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
		between(" ", era)
	}
	if d.Weekday == "" {
		return out
	}
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
		if len(out) > 0 {
			out = append(out, literal(before))
		}
		out = append(out, part)
	}
	if d.Hour != "" {
		add("", d.hour(t, d.twelve()))
	}
	seconds := d.Second != "" && !d.apart() || d.Minute != "" && d.FractionDigits > 0
	if d.Minute != "" {
		style := "numeric"
		if d.Hour != "" || seconds {
			style = "2-digit"
		}
		add(":", digits("minute", t.Minute(), style))
	}
	if seconds {
		style := "numeric"
		if len(out) > 0 {
			style = "2-digit"
		}
		add(":", digits("second", t.Second(), style))
	}
	if d.FractionDigits > 0 && !d.apart() {
		add(".", d.fraction(t))
	}
	switch {
	case d.DayPeriod != "" && (d.Hour != "" && d.twelve() || d.Hour == "" && len(out) == 0 && d.TimeZoneName == ""):
		add(" ", Part{Type: "dayPeriod", Value: d.dayPeriod(t)})
	case d.Hour != "" && d.twelve():
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

// Text joins the values of parts.
func Text(parts []Part) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Value)
	}
	return b.String()
}
