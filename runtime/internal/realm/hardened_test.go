package realm_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Code at which the engine itself fails ends its run with an error, and nothing else.
func TestEngineFailuresEndTheRun(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"class A extends Array { constructor() { super(Object.setPrototypeOf(A, null)) } }; new A()",
		"await 1; class A extends Array { constructor() { super(Object.setPrototypeOf(A, null)) } }; new A()",
		"await new Promise((f) => setTimeout(() => { class A extends Array { constructor() { super(Object.setPrototypeOf(A, null)) } }; f(new A()) }))",
	} {
		e := run(t, "async function run() { "+code+" }", nil)
		if e.throw == nil || e.throw.Cause != wire.CausePanic && e.throw.Cause != wire.CauseThrown || strings.Contains(e.throw.Message, "goroutine") {
			t.Errorf("%s: %q, %+v", code, e.value, e.throw)
		}
	}
}
