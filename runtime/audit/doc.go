// Package audit keeps a log of what scripts did: a line for each run, call and operation,
// refused ones too, with who asked, what was decided by which rule, what the call was
// resolved to, and how it ended.
//
//	log := audit.New(audit.Options{To: audit.File("/var/log/scriptrun.jsonl"), Require: true})
//	runner, err := runtime.New(runtime.Options{
//		Around: []hostapi.Around{log.Around}, AroundRuns: []runtime.AroundRun{log.AroundRun}, ...
//	})
//
// A line is written when what it tells of has ended; one that tells of a run's beginning
// comes before anything of it.
package audit
