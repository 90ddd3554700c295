package toolchains_test

import (
	"fmt"
	"os"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/toolchains"
)

// What commands need to read of the toolchains that the operator has. This machine's
// are not known here.
func Example() {
	nobodyWrites := sandbox.NewPlaces()
	for _, found := range toolchains.Find(os.Getenv("PATH"), os.Getenv("HOME"), nobodyWrites) {
		fmt.Println(found.Name, found.Root, found.Read)
	}
}
