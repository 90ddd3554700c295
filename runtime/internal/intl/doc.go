// Package intl formats numbers, dates, lists and durations, compares texts and finds their
// parts, as the internationalization API of JavaScript does for American English. It knows
// nothing of an engine, and has no other locale.
//
//	parts := (&intl.Number{Style: "currency", Currency: "USD", MinFraction: 2, MaxFraction: 2}).Format(d)
//
// What it returns are [Part]s, pieces of text that say what they are. All functions are
// linear in their input, and values are immutable once they are made.
//
// The tables in data are facts of Unicode CLDR 48 (unicode.org/license).
package intl
