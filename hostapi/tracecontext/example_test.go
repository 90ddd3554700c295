package tracecontext_test

import (
	"context"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// What comes from outside may be malformed; then it is no parent.
func ExampleWith() {
	ctx := tracecontext.With(context.Background(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	parent, _ := tracecontext.Of(tracecontext.With(ctx, "nonsense", ""))
	fmt.Println(tracecontext.ID(ctx))
	fmt.Println(parent)
	// Output:
	// 0af7651916cd43dd8448eb211c80319c
	// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}
