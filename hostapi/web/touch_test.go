package web_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/web"
)

// TestDenyingRulesOfAddresses: whichever way an address is written, and by either
// scheme.
func TestDenyingRulesOfAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, url string
		touched      bool
	}{
		{"https://x.example/admin/**", "https://x.example/admin/users", true},
		{"https://x.example/admin/**", "https://X.EXAMPLE./admin/users?q=1", true},
		{"https://x.example/admin/**", "https://x.example:443/admin/users", true},
		{"https://x.example/admin/**", "http://x.example/admin/users", true},
		{"https://x.example/admin/**", "https://x.example/%61dmin/users", true},
		{"https://x.example/admin/**", "https://x.example/%2561dmin/users", true},
		{"https://x.example/admin/**", "https://x.example//admin/users", true},
		{"https://x.example/admin/**", "https://x.example/admin;v=1/users", true},
		{"https://x.example/admin/**", `https://x.example/admin\users`, true},
		{"https://x.example/admin/**", "https://x.example/ADMIN/users", true},
		{"https://x.example/admin", "https://x.example/admin/", true},
		{"https://x.example/Admin", "https://x.example/admin", true},
		{"https://x.example/admin", "https://x.example/admin%00", true},
		{"https://x.example/admin", "https://x.example/admin%20", true},
		{"https://x.example/admin", "https://x.example/admin.", true},
		{"https://x.example/admin", "https://x.example/;x/admin", true},
		{"https://x.example/admin", "https://x.example/a;x/../admin", true},
		{"https://x.example/admin", "https://x.example/admin%00.html", true},
		{"https://x.example/admin", "https://x.example/admin%23x", true},
		{"https://x.example/admin", "https://x.example/admin%3Fx", true},
		{"https://x.example/admin", "https://x.example/admin%09", true},
		{"https://x.example/caf%C3%A9", "https://x.example/caf%c3%a9", true},
		{"http://127.0.0.1:8765/secret", "http://[::ffff:127.0.0.1]:8765/secret", true},
		{"https://*.example/**", "https://x.example/", true},
		{"https://x.example/**", "https://x.example:8443/", false},
		{"https://x.example/admin/**", "https://x.example/users", false},
		{"https://x.example/**", "https://y.example/", false},
		{"https://x.example/**", "ftp://x.example/", true}, // it cannot be told
	} {
		args, err := json.Marshal(map[string]string{"url": c.url})
		if err != nil {
			t.Fatal(err)
		}
		touched, err := new(web.Fetch).Touches(t.Context(), hostapi.Call{Tool: "fetch", Args: args}, hostapi.Rule{Tool: "fetch", Pattern: c.pattern})
		var opaque *hostapi.OpaqueError
		if touched != c.touched || err != nil && !errors.As(err, &opaque) {
			t.Errorf("fetch(%s) and %s: %v, %v", c.pattern, c.url, touched, err)
		}
	}
}

// TestPreviewOfARequest: the values of headers are shown, but for those that may be
// secrets.
func TestPreviewOfARequest(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"url":"https://x.example/","method":"POST","body":"hi","headers":{"X-HTTP-Method-Override":"DELETE","Content-Type":"text/plain","Authorization":"Bearer 12","X-Api-Key":"abc"}}`)
	text, err := (&web.Fetch{Hosts: []string{"x.example"}}).Preview(t.Context(), hostapi.Call{Tool: "fetch", Args: args})
	if want := "POST https://x.example/\nAuthorization: 9 bytes that are not shown\nContent-Type: text/plain\nX-Api-Key: 3 bytes that are not shown\nX-HTTP-Method-Override: DELETE\n\nhi"; err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
}
