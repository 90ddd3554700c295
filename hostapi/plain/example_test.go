package plain_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/plain"
)

func ExampleLine() {
	fmt.Println(plain.Line("done\n\x1b[2Kdeploy: ok"))
	// Output: done��[2Kdeploy: ok
}
