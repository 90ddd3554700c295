package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Concerns implements [hostapi.Toucher].
func (f *Fetch) Concerns(rule hostapi.Rule) bool { return rule.Tool == f.Name() }

// Touches implements [hostapi.Toucher]. A rule that denies or asks is about both
// schemes, and about every spelling of a path that some server may take for its own.
func (f *Fetch) Touches(_ context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	p, err := parsePattern(rule.Pattern)
	if err != nil {
		return true, &hostapi.OpaqueError{Reason: err.Error()}
	}
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return true, &hostapi.OpaqueError{Reason: err.Error()}
	}
	u, err := parse(args.URL)
	if err != nil {
		return true, &hostapi.OpaqueError{Reason: err.Error()}
	}
	if p.host.Port == defaultPorts[p.scheme] && u.Port() == "" {
		p.host.Port = 0 // that of either scheme
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil && address.Is4In6() {
		plain := *u
		plain.Host = strings.Replace(u.Host, "["+u.Hostname()+"]", address.Unmap().String(), 1)
		u = &plain
	}
	patterns := []string{p.path, strings.ToLower(p.path)}
	if decoded, err := url.PathUnescape(p.path); err == nil {
		patterns = append(patterns, decoded, strings.ToLower(decoded))
	}
	return hostMatches(p.host, u) && slices.ContainsFunc(spellings(u), func(text string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return pathMatches(pattern, text) })
	}), nil
}

// spellings are the paths that servers may make of an address.
func spellings(u *url.URL) (found []string) {
	text := u.EscapedPath()
	for range 5 {
		bare := text
		if i := strings.IndexAny(text, "\x00#?"); i >= 0 { // of an address that was decoded
			bare = text[:i]
		}
		bare = strings.TrimRight(bare, ". \t")
		for _, one := range []string{text, strings.ReplaceAll(text, `\`, "/"), strings.ToLower(text), bare, withoutParameters(text)} {
			cleaned := path.Clean("/" + one)
			found = append(found, one, cleaned, cleaned+"/", withoutParameters(cleaned))
		}
		decoded, err := url.PathUnescape(text)
		if err != nil || decoded == text {
			break
		}
		text = decoded
	}
	return found
}

// withoutParameters takes from each segment what follows a semicolon.
func withoutParameters(text string) string {
	segments := strings.Split(text, "/")
	for i, segment := range segments {
		segments[i], _, _ = strings.Cut(segment, ";")
	}
	return strings.Join(segments, "/")
}

// shownHeaders are the headers whose values are no secrets, by how their names begin.
var shownHeaders = []string{"accept", "content-", "cache-", "if-", "range", "user-agent", "origin", "x-http-", "x-method", "prefer", "depth", "destination", "overwrite"}

// Preview implements [hostapi.Previewer]: the request as it is sent, without the
// values of headers that may be secrets.
func (f *Fetch) Preview(_ context.Context, call hostapi.Call) (string, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return "", err
	}
	u, err := f.target(call, args)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", cmp.Or(args.Method, "GET"), u)
	for _, name := range slices.Sorted(maps.Keys(args.Headers)) {
		value := fmt.Sprintf("%d bytes that are not shown", len(args.Headers[name]))
		if slices.ContainsFunc(shownHeaders, func(begins string) bool { return strings.HasPrefix(strings.ToLower(name), begins) }) {
			value = args.Headers[name]
		}
		fmt.Fprintf(&b, "%s: %s\n", name, value)
	}
	if args.Body != "" {
		fmt.Fprintf(&b, "\n%s", args.Body)
	}
	return b.String(), nil
}
