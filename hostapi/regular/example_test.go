package regular_test

import (
	"errors"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// A device is no file, and is not waited for.
func Example() {
	_, err := regular.Read("/dev/zero", 1<<20)
	var shape *regular.ShapeError
	fmt.Println(errors.As(err, &shape))
	// Output: true
}
