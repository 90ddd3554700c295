package main

import "github.com/scriptrun/scriptrun/runtime"

// The exit codes. People script against them.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitLimit     = 3
	exitDenied    = 4
	exitCrashed   = 70
	exitTimeout   = 124
	exitCancelled = 130
)

// exitCode is the exit code of an outcome.
func exitCode(o runtime.Outcome) int {
	switch o { //exhaustive:enforce
	case runtime.OutcomeOK:
		return exitOK
	case runtime.OutcomeScriptError, runtime.OutcomeFailed, runtime.OutcomeInvalidOutput:
		return exitFailed
	case runtime.OutcomeInvalidInput:
		return exitUsage
	case runtime.OutcomeLimit:
		return exitLimit
	case runtime.OutcomeDenied:
		return exitDenied
	case runtime.OutcomeTimeout:
		return exitTimeout
	case runtime.OutcomeCancelled:
		return exitCancelled
	case runtime.OutcomeCrashed:
		return exitCrashed
	}
	return exitCrashed
}
