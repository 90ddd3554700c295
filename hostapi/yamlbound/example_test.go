package yamlbound_test

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/scriptrun/scriptrun/hostapi/yamlbound"
)

// A text is refused before a parser takes its time over it.
func Example() {
	bounds := yamlbound.Bounds{Tokens: 10, Depth: 3, Keys: 100, Paths: 100, Empty: 10}
	for _, text := range []string{"a: 1", "a: {b: {c: {d: 1}}}"} {
		_, what := bounds.Exceeded(lexer.Tokenize(text))
		fmt.Printf("%q\n", what)
	}
	// Output:
	// ""
	// "values"
}
