package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/web"
)

// Fetch asks hosts that are allowed, and public unless they are named as private.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "sunny") }))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for _, private := range [][]string{{host}, nil} {
		fetch := &web.Fetch{Private: private}
		registry, err := hostapi.NewRegistry(fetch)
		if err != nil {
			fmt.Println(err)
			return
		}
		gate := hostapi.NewGate(context.Background(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "fetch"}}}})
		result, err := gate.Invoke(context.Background(), hostapi.Call{Tool: "fetch", Args: fmt.Appendf(nil, `{"url": %q}`, server.URL)})
		gate.Close(0)
		fmt.Println(result.Outcome, strings.Contains(result.Output, "sunny"), err)
		_ = fetch.Close()
	}
	// Output:
	// ok true <nil>
	// failed false <nil>
}
