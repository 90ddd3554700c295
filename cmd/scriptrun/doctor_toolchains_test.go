package main

import "testing"

// TestDoctorKnowsWhichNodeAsksAProxy: a list of hosts does nothing for the fetch of other
// versions.
func TestDoctorKnowsWhichNodeAsksAProxy(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"v18.1.0": false, "v20.20.2": false, "v22.20.0": false, "v22.21.0": true, "v23.11.1": false, "v24.0.0": true, "v26.1.0": true, "odd": true} {
		if got := asksProxy(version); got != want {
			t.Errorf("%s: %t", version, got)
		}
	}
}
