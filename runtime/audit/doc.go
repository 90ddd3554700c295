// Package audit keeps a log of what scripts did: a line for each run, call and operation,
// refused ones too. A line has who asked, what was decided by which rule, what the call
// resolved to, and how it ended.
//
//	log := audit.New(audit.Options{To: audit.File("/var/log/scriptrun.jsonl"), Require: true})
//	runner, err := runtime.New(runtime.Options{
//		Around: []hostapi.Around{log.Around}, AroundRuns: []runtime.AroundRun{log.AroundRun}, ...
//	})
//
// A call, an operation and a run have their line when they end. A run has a first line
// before it begins.
package audit
