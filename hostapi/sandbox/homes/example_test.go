//go:build unix

package homes_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
)

// Each workspace has a home of its own, which stays until it is removed.
func ExampleFolder() {
	dir, err := os.MkdirTemp("", "homes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	folder := homes.Folder{Path: filepath.Join(dir, "homes")}
	home, err := folder.For(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := homes.Introduce(home, homes.Identity{"user.name": "Ada", "user.email": "ada@example.org"}); err != nil {
		fmt.Println(err)
		return
	}
	all, err := folder.List()
	fmt.Println(len(all), all[0].Workspace == dir, all[0].Bytes > 0, err)
	fmt.Println(folder.Remove(dir))
	// Output:
	// 1 true true <nil>
	// <nil>
}
