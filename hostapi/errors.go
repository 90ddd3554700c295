package hostapi

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// The kinds of refusal, for errors.Is. Each also has a type with the details:
// [DeniedError], [QuotaError], [ArgumentError].
var (
	// ErrDenied matches a refusal by a policy, such as an allow-list.
	ErrDenied = errors.New("denied")
	// ErrOverLimit matches a refusal because a budget is used up.
	ErrOverLimit = errors.New("over limit")
	// ErrInvalidArgs matches a refusal of the arguments.
	ErrInvalidArgs = errors.New("invalid arguments")
)

// Code says why a call rejects, in a script's ToolError.code and in reports; the set
// is closed.
type Code string

// The codes of refused and failed calls.
const (
	CodeDenied      Code = "denied"       // a policy or a person does not allow it
	CodeUnknownTool Code = "unknown_tool" // the host offers no such tool
	CodeOverLimit   Code = "over_limit"   // a budget is used up
	CodeInvalidArgs Code = "invalid_args" // the arguments break the tool's schema
	CodeFailed      Code = "failed"       // the tool ran and failed
	CodeTruncated   Code = "truncated"    // the tool ran, and its answer does not fit
	CodeCancelled   Code = "cancelled"    // the run ended first
	CodeNotFound    Code = "not_found"    // the handle was released, or never existed
)

// DeniedError is a call that a policy or a person does not allow; nothing ran.
type DeniedError struct {
	// Unknown is true if the host has no such tool.
	Unknown bool
	// Reason is a sentence that says why, with the rules that decided.
	Reason string
}

// Error implements error.
func (e *DeniedError) Error() string { return e.Reason }

// Is makes errors.Is(err, [ErrDenied]) true.
func (e *DeniedError) Is(target error) bool { return target == ErrDenied }

// UnknownNameError is a rule or a call for a tool that the host does not offer.
type UnknownNameError struct {
	Name    string
	Nearest string   // the most similar name that is offered; empty if none is similar
	Offered []string // all names, sorted
}

// Error suggests the nearest name, or else lists all.
func (e *UnknownNameError) Error() string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("the host offers no tool %q; did you mean %q?", e.Name, e.Nearest)
	case len(e.Offered) == 0:
		return fmt.Sprintf("the host offers no tool %q: it offers none at all", e.Name)
	}
	return fmt.Sprintf("the host offers no tool %q; it offers %s", e.Name, strings.Join(e.Offered, ", "))
}

// QuotaError is a call that exceeds a budget; nothing ran.
type QuotaError struct {
	Tool string
	// Limit is the name of the budget, as in tool files: maxToolCalls, …
	Limit string
	// Max is the budget, in calls or bytes.
	Max int64
	// Asked is what the total would have been with the call.
	Asked int64
	// Raise names the setting that raises the limit; empty means limits.maxToolCalls in the tool
	// file.
	Raise string
}

// Error implements error.
func (e *QuotaError) Error() string {
	switch e.Limit {
	case LimitToolCalls:
		return fmt.Sprintf("exceeded %s=%d: call %d to tool %q was not made; raise %s, or make fewer calls",
			e.Limit, e.Max, e.Asked, e.Tool, cmp.Or(e.Raise, "limits."+e.Limit+" in the tool file"))
	case LimitBackground:
		return fmt.Sprintf("exceeded %s=%d: the call to tool %q was not made, as so many are running; wait for one or release it",
			e.Limit, e.Max, e.Tool)
	case LimitBackgroundBytes:
		return fmt.Sprintf("exceeded %s=%d: the call to tool %q was not made, as calls in the background that have ended keep %d bytes; release those that you have read",
			e.Limit, e.Max, e.Tool, e.Asked)
	default:
		return fmt.Sprintf("exceeded %s=%d: the call to tool %q would bring it to %d bytes and was not made",
			e.Limit, e.Max, e.Tool, e.Asked)
	}
}

// Is makes errors.Is(err, [ErrOverLimit]) true.
func (e *QuotaError) Is(target error) bool { return target == ErrOverLimit }

// ArgumentError is a call whose arguments the tool's schema, or its [Checker],
// refuses; nothing ran.
type ArgumentError struct {
	Tool string
	Err  error
}

// Error implements error.
func (e *ArgumentError) Error() string {
	return fmt.Sprintf("arguments of tool %q: %v", e.Tool, e.Err)
}

// Unwrap gives access to the violations (see package schema).
func (e *ArgumentError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, [ErrInvalidArgs]) true.
func (e *ArgumentError) Is(target error) bool { return target == ErrInvalidArgs }

// OpaqueError is returned by [Scoper.Plan] for a call that cannot be analysed, such as
// a shell line with a computed command name.
type OpaqueError struct {
	// Reason completes the sentence "it cannot be analysed: …".
	Reason string
}

// Error implements error.
func (e *OpaqueError) Error() string { return "it cannot be analysed: " + e.Reason }

// CodeOf is the code of a refusal that a [Gate] returned.
func CodeOf(err error) Code {
	var denied *DeniedError
	var missing *NotFoundError
	switch {
	case errors.As(err, &denied) && denied.Unknown:
		return CodeUnknownTool
	case errors.Is(err, ErrDenied):
		return CodeDenied
	case errors.Is(err, ErrOverLimit):
		return CodeOverLimit
	case errors.Is(err, ErrInvalidArgs):
		return CodeInvalidArgs
	case errors.As(err, &missing):
		return CodeNotFound
	}
	return CodeCancelled
}
