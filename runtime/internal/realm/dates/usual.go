package dates

import "time"

// usual reads what most texts of dates are, as toISOString writes them: 2024-01-02 and
// 2024-01-02T03:04:05Z, perhaps with milliseconds, up to the 28th of a month.
func usual(text string) (ms int64, ok bool) {
	var year, month, day, hour, minute, second, milli int
	switch len(text) {
	case len("2024-01-02T03:04:05.678Z"):
		ok = text[19] == '.' && digits(text[20:23], &milli, 0, 999) && text[23] == 'Z'
	case len("2024-01-02T03:04:05Z"):
		ok = text[19] == 'Z'
	case len("2024-01-02"):
		ok = true
	}
	if !ok || !digits(text[:4], &year, 0, 9999) || text[4] != '-' || !digits(text[5:7], &month, 1, 12) || text[7] != '-' || !digits(text[8:10], &day, 1, 28) {
		return 0, false
	}
	if len(text) > len("2024-01-02") && (text[10] != 'T' || !digits(text[11:13], &hour, 0, 23) || text[13] != ':' ||
		!digits(text[14:16], &minute, 0, 59) || text[16] != ':' || !digits(text[17:19], &second, 0, 59)) {
		return 0, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, milli*int(time.Millisecond), time.UTC).UnixMilli(), true
}

// digits reads nothing but digits.
func digits(text string, n *int, least, most int) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
		*n = *n*10 + int(text[i]-'0')
	}
	return *n >= least && *n <= most
}
