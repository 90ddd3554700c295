package runtime

import (
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestNotesThatAreLeftOutAreTold: a report says that it does not have all.
func TestNotesThatAreLeftOutAreTold(t *testing.T) {
	t.Parallel()
	e := &execution{report: &Report{}}
	for range maxReportNotes {
		e.addNote(hostapi.Record{}, NoteTool, "note")
	}
	if notes := e.report.Notes; len(notes) != maxReportNotes || notes[maxReportNotes-1].Text != "note" {
		t.Fatalf("%d notes, the last of which is %+v", len(notes), notes[len(notes)-1])
	}
	for range 2 {
		e.addNote(hostapi.Record{Seq: 7}, NoteTool, "note")
	}
	notes := e.report.Notes
	if last := notes[len(notes)-1]; len(notes) != maxReportNotes+1 || last != (Note{Code: NoteTruncated, Text: "there were more notes than a report holds; the rest is left out"}) {
		t.Errorf("%d notes, the last of which is %+v", len(notes), last)
	}
}
