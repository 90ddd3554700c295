package clip_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

func ExampleHead() {
	fmt.Printf("%q %q\n", clip.Head("naïve", 3), clip.Tail("naïve", 3)) // ï takes two bytes
	// Output: "na" "ve"
}
