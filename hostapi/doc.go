// Package hostapi is what a script may reach: host tools, the rules that allow
// them, and the one door that every call goes through.
//
// A host implements [Tool] for each capability and puts them in a [Registry].
// Each run has a [Gate], which takes every [Call] through the same steps:
//
//	policies → arguments → budget → approval → around → Tool.Invoke → cap → record
//
// Only what a [Rule] names is allowed: an empty list allows no tool. A refusal is
// a typed error ([DeniedError], [QuotaError], [ArgumentError]), and nothing has
// run. A tool that ran gives a [Result], even if it failed. Either way the call
// has a [Record], and [Gate.Records] is complete however the run ended.
//
// A tool says more about itself through small optional interfaces, which [As]
// finds: [Describer] (schema and effect), [Scoper] and [Toucher] (patterns in
// rules), [Granter] (more names that grant it), [Checker] (arguments that a schema
// cannot rule out), [Previewer] (what a person is shown), [Starter] (background
// work), [Confiner], [Validator] and [Unwrapper].
//
// The one trap: only the Gate calls Invoke. A test that calls a tool directly
// tests less than what a script gets; use package hosttest.
package hostapi
