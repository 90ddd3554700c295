package intl

import (
	_ "embed" // the table
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a worker opens no files
)

//go:embed data/zones.txt
var zoneTable string

// zone is a time zone with its names: long and short, each standard, daylight and generic.
type zone struct {
	name  string
	names []string
}

// zones are keyed by their names in lower case.
var zones = sync.OnceValue(func() map[string]zone {
	out := map[string]zone{}
	for line := range strings.Lines(zoneTable) {
		names, members, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		columns := strings.Split(names, "|")
		for name := range strings.FieldsSeq(members) {
			out[strings.ToLower(name)] = zone{name, columns}
		}
	}
	for _, name := range []string{"utc", "gmt", "etc/utc", "etc/gmt", "etc/uct", "etc/universal", "etc/zulu", "etc/greenwich", "uct", "universal", "zulu", "greenwich", "gmt0", "gmt+0", "gmt-0", "etc/gmt0", "etc/gmt+0", "etc/gmt-0"} {
		out[name] = zone{"UTC", []string{"Coordinated Universal Time", "", "", "UTC", "", ""}}
	}
	return out
})

// Zone finds a time zone by its name, in any case, or by its offset, such as +05:30. name is
// how it is spelled.
func Zone(text string) (location *time.Location, name string, ok bool) {
	if seconds, ok := offset(text); ok {
		name = offsetName(seconds, true)
		return time.FixedZone(name, seconds), name, true
	}
	found, ok := zones()[strings.ToLower(text)]
	if !ok {
		return nil, "", false
	}
	location, err := time.LoadLocation(found.name)
	return location, found.name, err == nil
}

// Zones are the names of all zones.
func Zones() []string {
	var names []string
	for _, z := range zones() {
		names = append(names, z.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// LocalZone is the zone of this process, by name if it has one.
func LocalZone(now time.Time) (location *time.Location, name string) {
	if found, ok := zones()[strings.ToLower(time.Local.String())]; ok {
		return time.Local, found.name
	}
	_, seconds := now.In(time.Local).Zone()
	if seconds == 0 {
		return time.Local, "UTC"
	}
	return time.Local, offsetName(seconds, true)
}

// offset reads +hh, +hhmm and +hh:mm as seconds.
func offset(text string) (seconds int, ok bool) {
	if len(text) < 3 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	digits := text[1:]
	if len(digits) == 5 && digits[2] == ':' {
		digits = digits[:2] + digits[3:]
	}
	if len(digits) == 2 {
		digits += "00"
	}
	if len(digits) != 4 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	hours, minutes := int(digits[0]-'0')*10+int(digits[1]-'0'), int(digits[2]-'0')*10+int(digits[3]-'0')
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	seconds = hours*3600 + minutes*60
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

func offsetName(seconds int, long bool) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	hours, minutes, rest := seconds/3600, seconds/60%60, seconds%60
	switch {
	case rest != 0 && long:
		return fmt.Sprintf("%s%02d:%02d:%02d", sign, hours, minutes, rest)
	case rest != 0:
		return fmt.Sprintf("%s%d:%02d:%02d", sign, hours, minutes, rest)
	case long:
		return fmt.Sprintf("%s%02d:%02d", sign, hours, minutes)
	case minutes == 0:
		return fmt.Sprintf("%s%d", sign, hours)
	}
	return fmt.Sprintf("%s%d:%02d", sign, hours, minutes)
}

// zoneName names the zone of a time in one of the styles of timeZoneName.
func zoneName(t time.Time, name, style string) string {
	_, seconds := t.Zone()
	long := strings.HasPrefix(style, "long")
	gmt := "GMT" + offsetName(seconds, long)
	found, ok := zones()[strings.ToLower(name)]
	generic := strings.HasSuffix(style, "Generic")
	if !ok || strings.HasSuffix(style, "Offset") || !generic && found.name != "UTC" && !named(t) {
		return gmt
	}
	column := 0 // standard
	switch {
	case generic:
		column = 2
	case daylight(t):
		column = 1
	}
	if !long {
		column += 3
	}
	if found.names[column] == "" {
		return gmt
	}
	return found.names[column]
}

// named reports whether the names of zones hold at a time.
func named(t time.Time) bool {
	return t.Unix() >= 0 && t.Year() < 10000
}

// daylight reports whether a clock is ahead of what it is in the other half of the year.
func daylight(t time.Time) bool {
	_, now := t.Zone()
	_, winter := time.Date(t.Year(), time.January, 15, 12, 0, 0, 0, t.Location()).Zone()
	_, summer := time.Date(t.Year(), time.July, 15, 12, 0, 0, 0, t.Location()).Zone()
	return now > min(winter, summer)
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// LocalName is the long name of the zone of this process at a time, such as Eastern Standard
// Time; empty if it is not known.
func LocalName(t time.Time) string {
	if _, seconds := t.Zone(); seconds == 0 && slices.Contains([]string{"UTC", "Local"}, time.Local.String()) {
		return "Coordinated Universal Time"
	}
	found, ok := zones()[strings.ToLower(time.Local.String())]
	switch {
	case !ok:
		return ""
	case daylight(t) && found.names[1] != "":
		return found.names[1]
	case found.names[0] != "":
		return found.names[0]
	}
	_, seconds := t.Zone()
	return "GMT" + offsetName(seconds, true)
}
