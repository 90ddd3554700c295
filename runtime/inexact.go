package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/wholes"
)

// mostInexact is how many numbers are told.
const mostInexact = 10

// inexact are notes on numbers of inputs that JavaScript has no number for.
func inexact(inputs json.RawMessage) (notes []Note) {
	for _, lost := range wholes.LostIn(inputs, mostInexact) {
		notes = append(notes, Note{Code: NoteLost, Text: fmt.Sprintf("an input is %.40s, which JavaScript has no number for, and the script gets %.40s; pass it as a string", lost.Text, lost.Becomes)})
	}
	return notes
}
