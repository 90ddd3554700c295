//go:build unix

package runtime_test

import (
	"context"
	"fmt"
	"os"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// A host watches what the commands of a script write, as it comes.
func ExampleObserver() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{&shell.Tool{Dir: dir}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()
	program, err := runner.Compile(context.Background(), runtime.Source{
		Name: "build.js", Body: []byte(`export default (ctx) => ctx.bash("echo compiling; echo careful >&2")`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	heard := map[string]string{}
	report := runner.Run(context.Background(), runtime.Request{
		Program: program, Allow: []hostapi.Rule{{Tool: "bash"}},
		Observer: runtime.Observer{CallOutput: func(o hostapi.CallOutput) { // one piece at a time
			heard[o.Stream] += string(o.Data)
			if o.Dropped > 0 {
				heard[o.Stream] += fmt.Sprintf("(%d bytes missed)", o.Dropped)
			}
		}},
	})
	fmt.Printf("%s: %q %q\n", report.Outcome, heard["stdout"], heard["stderr"])
	// Output: ok: "compiling\n" "careful\n"
}
