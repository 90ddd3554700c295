package upward_test

import (
	"fmt"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

func ExampleWithin() {
	for folder := range upward.Within("/srv/app", "/srv/app/web/src") {
		fmt.Println(filepath.ToSlash(folder))
	}
	// Output:
	// /srv/app/web/src
	// /srv/app/web
	// /srv/app
}
