// Package removal removes what commands left, whatever they made of it: folders that
// their owner cannot enter, and trees so deep that a path to their end would cost more
// with each step. On Linux the time is proportional to what there is.
package removal
