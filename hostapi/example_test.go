package hostapi_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi"
)

func ExampleFunc() {
	weather := &hostapi.Func{
		ToolName: "weather",
		About: hostapi.Description{
			Summary: "the weather of a city",
			Input:   json.RawMessage(`{"type":"object","required":["city"]}`),
			Effect:  hostapi.EffectNetwork,
		},
		Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
			return hostapi.Succeed("sunny"), nil
		},
	}
	registry, err := hostapi.NewRegistry(weather)
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := hostapi.NewGate(context.Background(), hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "weather"}}},
	})
	defer gate.Close(0)
	for i, args := range []string{`{"city":"Rome"}`, `{}`} {
		result, err := gate.Invoke(context.Background(), hostapi.Call{Seq: i + 1, Tool: "weather", Args: json.RawMessage(args)})
		fmt.Printf("%q %v\n", result.Output, err)
	}
	// Output:
	// "sunny" <nil>
	// "" arguments of tool "weather": (root): missing property 'city'
}
