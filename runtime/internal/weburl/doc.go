// Package weburl parses addresses as the URL standard (url.spec.whatwg.org) says browsers and
// Node do, which is not what net/url does: "http:\\a\..\b" is "http://a/b".
//
//	u, ok := weburl.Parse("../x?y", base)
//	u.Set("hash", "#top")
//	u.Href()
//
// Texts are valid UTF-8. All of it takes time and memory in proportion to the text, as
// addresses come from scripts that may want to keep the process busy; only the names of hosts
// that are not ASCII take more, and they are bounded.
package weburl
