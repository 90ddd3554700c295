package upward_test

import (
	"fmt"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

func ExampleWithin() {
	for folder := range upward.Within("/work", "/work/app/src") {
		fmt.Println(filepath.ToSlash(folder))
	}
	// Output:
	// /work/app/src
	// /work/app
	// /work
}
