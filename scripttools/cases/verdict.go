package cases

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// Verdict is how a replay ended.
type Verdict struct {
	Case   *Case
	Report *runtime.Report
	// Failures are why the case failed; none if it holds.
	Failures []Failure
}

// Kind is what a failure is about.
type Kind string

// The kinds of failures.
const (
	KindOutcome   Kind = "outcome"   // the run ended otherwise
	KindValue     Kind = "value"     // the value is another
	KindError     Kind = "error"     // the error is another
	KindCall      Kind = "call"      // a call was made that was not recorded
	KindOperation Kind = "operation" // so was an operation on a handle
	KindUnused    Kind = "unused"    // a recorded call, or operation, was not made
)

// Failure is one way in which a run is not as its case says.
type Failure struct {
	Kind Kind `json:"kind"`
	// Message is a sentence, or lines; it is empty where Differences say all.
	Message     string       `json:"message,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// maxDifferences is how many differences of a failure are shown.
const maxDifferences = 12

// String is the failure in lines.
func (f Failure) String() string {
	var lines []string
	indent := ""
	if f.Message != "" {
		lines, indent = append(lines, f.Message), "    "
	}
	for i, d := range f.Differences {
		if i == maxDifferences {
			lines = append(lines, fmt.Sprintf("%s… and %d more differences", indent, len(f.Differences)-i))
			break
		}
		lines = append(lines, indent+d.String())
	}
	return strings.Join(lines, "\n")
}

// OK reports whether the case holds.
func (v *Verdict) OK() bool { return len(v.Failures) == 0 }

// String says on a line whether the case holds, and below it why not.
func (v *Verdict) String() string {
	if v.OK() {
		return "ok: " + v.Case.Name
	}
	lines := []string{"FAIL: " + v.Case.Name}
	for _, f := range v.Failures {
		lines = append(lines, "    "+strings.ReplaceAll(f.String(), "\n", "\n    "))
	}
	return strings.Join(lines, "\n")
}

func (v *Verdict) fail(kind Kind, differences []Difference, format string, args ...any) {
	v.Failures = append(v.Failures, Failure{Kind: kind, Message: fmt.Sprintf(format, args...), Differences: differences})
}

// verdict compares a run with what was expected of it.
func (c *Case) verdict(report *runtime.Report, r *replay) *Verdict {
	v := &Verdict{Case: c, Report: report}
	r.overtaken(report)
	ended := report.Outcome == cmp.Or(c.Outcome, runtime.OutcomeOK)
	r.told(v, ended)
	if !c.says() {
		v.fail(KindValue, nil, "the case does not say what to expect: write value, or outcome, or record it")
	}
	if !ended {
		why := described(report)
		if len(r.strange) > 0 { // which is told already
			why = ""
		}
		v.fail(KindOutcome, []Difference{{Path: "outcome", Got: string(report.Outcome), Want: string(cmp.Or(c.Outcome, runtime.OutcomeOK))}}, "%s", why)
		return v
	}
	if c.Limit != "" && report.Limit != c.Limit {
		v.fail(KindOutcome, []Difference{{Path: "limit", Got: report.Limit, Want: c.Limit}}, "")
	}
	if c.Value != nil {
		if d := compare("value", c.Value, report.Value); len(d) > 0 {
			v.fail(KindValue, d, "")
		}
	}
	if c.Error != nil {
		part, _ := encode(map[string]json.RawMessage{matchHas: c.Error}) // it was JSON
		if d := compare("error", part, errorOf(report)); len(d) > 0 {
			v.fail(KindError, d, "")
		}
	}
	return v
}

// described says how a run failed; empty if it did not.
func described(report *runtime.Report) string {
	if report.Failure == nil {
		return ""
	}
	return report.Failure.Describe()
}

// errorOf is what a case can say of a run's error.
func errorOf(report *runtime.Report) json.RawMessage {
	if report.Failure == nil {
		return nil
	}
	text, _ := encode(struct {
		Name    string          `json:"name,omitempty"`
		Code    hostapi.Code    `json:"code,omitempty"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{report.Failure.Name, report.Failure.Code, report.Failure.Message, report.Failure.Data}) // of which data is JSON
	return text
}

// overtaken takes calls for made that the end of the run came before. A run that does not end
// well ends at once, so what was done with handles then is left out of the verdict.
func (r *replay) overtaken(report *runtime.Report) {
	for _, row := range report.Calls {
		if row.Status == hostapi.StatusCancelled {
			r.take(hostapi.Call{Seq: row.Seq, Tool: row.Tool, Args: row.Args, Background: row.Background})
		}
	}
	if report.Outcome == runtime.OutcomeOK {
		return
	}
	r.strange = slices.DeleteFunc(r.strange, func(s stranger) bool { return s.index >= 0 })
	for _, recorded := range r.calls {
		for j := range recorded.done {
			recorded.done[j] = true
		}
	}
}

// maxStrangers is how many calls that were not recorded are told one by one.
const maxStrangers = 3

// told says which calls were not recorded, and which recorded ones were not made; one by one
// if the run ended as it should.
func (r *replay) told(v *Verdict, ended bool) {
	slices.SortStableFunc(r.strange, func(a, b stranger) int { return cmp.Compare(a.call.Seq, b.call.Seq) })
	near := map[int]bool{}
	for i, s := range r.strange {
		if i == maxStrangers {
			v.fail(KindCall, nil, "%d more calls were not recorded", len(r.strange)-i)
			break
		}
		if s.index >= 0 {
			v.fail(KindOperation, nil, "call %d, %s: this operation was not recorded, or not once more: %s", s.call.Seq, title(*r.calls[s.index].Call), operationTitle(s.call.Operation, s.call.Args))
			continue
		}
		made := title(Call{Tool: s.call.Tool, Args: s.call.Args, Background: s.call.Background})
		if s.call.Site != "" {
			made += ", at " + s.call.Site
		}
		if s.why != "" {
			v.fail(KindCall, nil, "call %d cannot be answered: %s: %s", s.call.Seq, s.why, made)
			continue
		}
		index, differences := r.nearest(s.call)
		switch {
		case index < 0:
			v.fail(KindCall, nil, "call %d was not recorded: %s; no call of %s was", s.call.Seq, made, s.call.Tool)
		case len(differences) == 0:
			v.fail(KindCall, nil, "call %d was recorded less often than it was made: %s", s.call.Seq, made)
		default:
			near[index] = true
			v.fail(KindCall, differences, "call %d was not recorded: %s\nthe nearest recorded call is %s", s.call.Seq, made, title(*r.calls[index].Call))
		}
	}
	unused := 0
	for i, recorded := range r.calls {
		switch {
		case recorded.taken || recorded.Pending || near[i]: // the end may overtake what is pending
		case !ended:
			unused++
		default:
			v.fail(KindUnused, nil, "recorded, and not made: %s", title(*recorded.Call))
		}
		for j, o := range recorded.Operations {
			if recorded.taken && !recorded.done[j] && !o.Pending && ended {
				v.fail(KindUnused, nil, "recorded, and not made: %s of %s", operationTitle(o.Name, o.Args), title(*recorded.Call))
			}
		}
	}
	if unused > 0 {
		v.fail(KindUnused, nil, "%d recorded calls were not made", unused)
	}
}

// title is a call in a line.
func title(c Call) string {
	text := c.Tool + " " + compact(c.Args)
	if c.Background {
		text += " in the background"
	}
	return text
}

func operationTitle(name string, args json.RawMessage) string {
	if len(args) == 0 || compact(args) == "{}" {
		return name
	}
	return name + " " + compact(args)
}

func compact(args json.RawMessage) string { return shown(decoded(object(args))) }
