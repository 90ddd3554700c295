package jsonbound_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
)

// A text is refused for what a decoder would make of it, before it does.
func Example() {
	for _, text := range []string{`{"a": [1, 2, 3]}`, `[[[[[[[[[[]]]]]]]]]]`} {
		deepest := 0
		marks := jsonbound.Scan([]byte(text))
		for marks.Next() {
			deepest = max(deepest, marks.Depth)
		}
		fmt.Println(deepest, marks.Parts)
	}
	// Output:
	// 2 14
	// 10 21
}
