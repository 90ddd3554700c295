package spelling_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

func ExampleNearest() {
	fmt.Printf("%q %q\n", spelling.Nearest("gerp", []string{"glob", "grep"}), spelling.Nearest("deploy", []string{"glob", "grep"}))
	fmt.Printf("%q %q\n", spelling.Nearest("cmd", []string{"command", "cwd"}), spelling.Nearest("cdw", []string{"command", "cwd"}))
	// Output:
	// "grep" ""
	// "command" "cwd"
}
