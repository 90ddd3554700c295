// Package hostapi is what a script may reach: host tools, the rules that allow
// them, and the one door through which every call goes.
//
// A host implements [Tool] for each capability and puts them in a [Registry].
// For every run there is one [Gate], which takes each [Call] of the script
// through the same steps:
//
//	policies → arguments → budget → approval → around → Tool.Invoke → cap → record
//
// Nothing is granted that a [Rule] does not name: an empty list allows no
// tool. What is refused is refused with a typed error ([DeniedError],
// [QuotaError], [ArgumentError]) before anything runs; what ran is a [Result],
// also when it failed. Either way there is a [Record], and [Gate.Records] is
// complete whatever way the run ended.
//
// A tool says more about itself through small optional interfaces:
// [Describer] (schema and effect), [Scoper] (patterns in rules), [Granter]
// (further names that grant it), [Checker] (refusals a schema cannot state).
//
// The one trap: Invoke is called by the Gate alone. A test that calls a tool
// directly tests less than what a script gets; package hosttest has a kit that
// goes through the door.
package hostapi
