package protect_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// A tool that writes one path asks first.
func ExamplePaths_Match() {
	paths := protect.Paths{Except: []string{".vscode"}}
	for _, at := range []string{"src/main.go", ".git/hooks/pre-commit", ".vscode/tasks.json"} {
		_, ok := paths.Match("/home/me/project", "/home/me/project/"+at)
		fmt.Println(at, ok)
	}
	// Output:
	// src/main.go false
	// .git/hooks/pre-commit true
	// .vscode/tasks.json false
}
