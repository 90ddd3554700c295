package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/wholes"
)

// mostInexact is how many numbers are told.
const mostInexact = 10

// inexact are notes on whole numbers of inputs that JavaScript has no number for.
func inexact(inputs json.RawMessage) (notes []Note) {
	for _, lost := range wholes.LostIn(inputs, mostInexact) {
		notes = append(notes, Note{Code: NoteLost, Text: fmt.Sprintf("the inputs have the whole number %.40s, which no number of JavaScript is; the script gets %s: declare it as a string", lost.Text, lost.Becomes)})
	}
	return notes
}
