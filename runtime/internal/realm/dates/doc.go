// Package dates corrects the engine's dates: how a text is read as one, the milliseconds of times
// before 1970, years that have more or fewer than four digits in the ISO form, and the names of
// time zones.
//
// [Parse] reads a text as Node does. [Install] puts functions of ours in the place of the
// engine's; the realm calls it only for a source that has the word Date.
package dates
