package main

import (
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/runtime"
)

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

// exitCodes are all of them, in words.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "ok"},
	{exitFailed, "the script failed, or its value does not fit"},
	{exitUsage, "nothing ran: usage, a tool file, inputs"},
	{exitLimit, "a limit"},
	{exitDenied, "denied"},
	{exitCrashed, "crashed"},
	{exitTimeout, "timeout"},
	{exitCancelled, "cancelled"},
}

// exitCodeLines are a line for each.
func exitCodeLines() string {
	var b strings.Builder
	for _, row := range exitCodes {
		fmt.Fprintf(&b, "%5d  %s\n", row.code, row.means)
	}
	return b.String()
}

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
