// Package regex matches the regular expressions of ECMAScript exactly as the standard says: by
// UTF-16 code units or code points, with every flag (d, g, i, m, s, u, v, y), named and
// duplicate groups, look-behind, modifiers, Unicode properties and sets.
//
//	pattern, flags ─▶ parse ─▶ tree ─▶ compile ─▶ Program ─▶ Matcher ─▶ offsets of the groups
//
// A [Program] is immutable and shared by all realms of the process, through [Get]. A [Matcher]
// has the memory of one goroutine's matches. It backtracks, as the standard describes it. When
// that takes long, it remembers what has failed where: patterns without back references then
// take time in proportion to the text. What still takes long ends when Matcher.Stop says so,
// and the memory of a match is bounded.
//
// The trap: offsets count UTF-16 code units, also in a text that is kept as bytes, which is
// ASCII for that reason.
package regex
