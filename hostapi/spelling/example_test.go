package spelling_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

func ExampleNearest() {
	fmt.Printf("%q %q\n", spelling.Nearest("gerp", []string{"glob", "grep"}), spelling.Nearest("deploy", []string{"glob", "grep"}))
	// Output: "grep" ""
}
