package lang

import (
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/intl"
)

// intlNatives are the natives of the files whose names begin with intl. Each has formatters:
// functions of what to do and of what is formatted.
func intlNatives(vm *goja.Runtime, stopped func() bool) *goja.Object {
	return object(vm, map[string]any{
		"number": func(f goja.FunctionCall) goja.Value { return numberFormat(vm, options{f.Argument(0).ToObject(vm)}) },
		"date":   func(f goja.FunctionCall) goja.Value { return dateFormat(vm, options{f.Argument(0).ToObject(vm)}) },
		"collator": func(sensitivity, caseFirst string, numeric, ignorePunctuation bool) func(a, b goja.Value) int {
			c := intl.NewCollator(sensitivity, caseFirst, numeric, ignorePunctuation)
			return func(a, b goja.Value) int { return c.Compare(apart(a), apart(b)) }
		},
		"list":           func(items []string, kind, style string) []any { return flat(intl.List(items, kind, style)) },
		"isUnit":         intl.IsUnit,
		"currencyDigits": intl.CurrencyDigits,
		"relativeUnit": func(name string) string {
			if unit, ok := intl.IsRelativeUnit(name); ok {
				return unit
			}
			return ""
		},
		"zone": func(name string) string {
			_, found, ok := intl.Zone(name)
			if !ok {
				return ""
			}
			return found
		},
		"values": func(key string) goja.Value {
			of := map[string]func() []string{"currency": intl.Currencies, "timeZone": intl.Zones, "unit": intl.Units}[key]
			return array(vm, of())
		},
		"segments": func(text, granularity string) goja.Value {
			var lengths, words []any
			for _, one := range intl.Segments(text, granularity, stopped) {
				lengths, words = append(lengths, one.Units), append(words, one.Word)
			}
			out := vm.NewObject()
			_ = out.Set("lengths", vm.NewArray(lengths...)) // of a new object
			_ = out.Set("words", vm.NewArray(words...))
			return out
		},
	})
}

// apart is a text of which the halves of surrogate pairs are told apart: they are characters for
// private use, as Go has none for them.
func apart(v goja.Value) string {
	text := v.String()
	units, ok := v.(goja.String)
	if !ok || !strings.ContainsRune(text, utf8.RuneError) {
		return text
	}
	var out strings.Builder
	for i, n := 0, units.Length(); i < n; i++ {
		c := rune(units.CharAt(i))
		if utf16.IsSurrogate(c) && i+1 < n {
			if whole := utf16.DecodeRune(c, rune(units.CharAt(i+1))); whole != utf8.RuneError {
				out.WriteRune(whole)
				i++
				continue
			}
		}
		switch {
		case utf16.IsSurrogate(c):
			c += 0xf0000
		case c == utf8.RuneError: // comes behind all others
			c = 0x10fffd
		}
		out.WriteRune(c)
	}
	return out.String()
}

func array[T any](vm *goja.Runtime, items []T) goja.Value {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item
	}
	return vm.NewArray(out...)
}

// options are the members of an object of our own.
type options struct{ object *goja.Object }

func (o options) text(name string) string {
	if v := o.object.Get(name); v != nil && !goja.IsUndefined(v) {
		return v.String()
	}
	return ""
}

func (o options) number(name string) int { return int(o.object.Get(name).ToInteger()) }

func numberFormat(vm *goja.Runtime, o options) goja.Value {
	n := &intl.Number{
		Style: o.text("style"), Currency: o.text("currency"), CurrencyDisplay: o.text("currencyDisplay"), CurrencySign: o.text("currencySign"),
		Unit: o.text("unit"), UnitDisplay: o.text("unitDisplay"), Notation: o.text("notation"), CompactDisplay: o.text("compactDisplay"),
		SignDisplay: o.text("signDisplay"), Grouping: o.text("grouping"), RoundingMode: o.text("roundingMode"), RoundingPriority: o.text("priority"),
		TrailingZero: o.text("trailingZero"), RoundingIncrement: o.number("increment"), MinInteger: o.number("minInteger"),
		MinFraction: o.number("minFraction"), MaxFraction: o.number("maxFraction"), MinDigits: o.number("minDigits"), MaxDigits: o.number("maxDigits"),
	}
	return vm.ToValue(func(f goja.FunctionCall) goja.Value {
		d := intl.ParseDecimal(f.Argument(1).String())
		relative := func() []intl.Part {
			return n.Relative(d, f.Argument(2).String(), f.Argument(3).String(), f.Argument(4).ToBoolean())
		}
		switch f.Argument(0).String() {
		case "parts":
			return vm.NewArray(flat(n.Format(d))...)
		case "range":
			return vm.ToValue(rangeText(n.Range(d, intl.ParseDecimal(f.Argument(2).String()))))
		case "rangeParts":
			return vm.NewArray(flatRange(n.Range(d, intl.ParseDecimal(f.Argument(2).String())))...)
		case "plural":
			return vm.ToValue(n.Plural(d, f.Argument(2).String() == "ordinal"))
		case "relative":
			return vm.ToValue(intl.Text(relative()))
		case "relativeParts":
			var out []any
			for _, part := range relative() {
				out = append(out, part.Type, part.Value, part.Unit)
			}
			return vm.NewArray(out...)
		default:
			return vm.ToValue(intl.Text(n.Format(d)))
		}
	})
}

func dateFormat(vm *goja.Runtime, o options) goja.Value {
	d := intl.Date{
		DateStyle: o.text("dateStyle"), TimeStyle: o.text("timeStyle"), Weekday: o.text("weekday"), Era: o.text("era"), Year: o.text("year"),
		Month: o.text("month"), Day: o.text("day"), DayPeriod: o.text("dayPeriod"), Hour: o.text("hour"), Minute: o.text("minute"), Second: o.text("second"),
		TimeZoneName: o.text("timeZoneName"), FractionDigits: o.number("fraction"), HourCycle: o.text("hourCycle"),
	}.Styled()
	d.Zone, d.ZoneName, _ = intl.Zone(o.text("timeZone"))
	if d.Zone == nil {
		d.Zone, d.ZoneName = intl.LocalZone(time.Now())
	}
	return vm.ToValue(func(f goja.FunctionCall) goja.Value {
		ms := f.Argument(1).ToInteger()
		switch f.Argument(0).String() {
		case "zone":
			return vm.ToValue(d.ZoneName)
		case "parts":
			return vm.NewArray(flat(d.Parts(ms))...)
		case "range":
			return vm.ToValue(rangeText(d.Range(ms, f.Argument(2).ToInteger())))
		case "rangeParts":
			return vm.NewArray(flatRange(d.Range(ms, f.Argument(2).ToInteger()))...)
		default:
			return vm.ToValue(intl.Text(d.Format(ms)))
		}
	})
}

func flat(parts []intl.Part) (out []any) {
	for _, part := range parts {
		out = append(out, part.Type, part.Value)
	}
	return out
}

func flatRange(parts []intl.Ranged) (out []any) {
	for _, part := range parts {
		out = append(out, part.Type, part.Value, part.Source)
	}
	return out
}

func rangeText(parts []intl.Ranged) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.Value)
	}
	return text.String()
}
