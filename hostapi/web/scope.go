package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// CheckPattern implements [hostapi.Scoper]: scheme://host/path, where the host
// may begin with *. and the path may hold * and end in /**.
func (f *Fetch) CheckPattern(pattern string) error {
	_, err := parsePattern(pattern)
	return err
}

type pattern struct {
	scheme string
	host   dialguard.Pattern // with a port
	path   string
}

func parsePattern(text string) (pattern, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return pattern{}, fmt.Errorf("%q does not begin with https:// or http://; write one such as https://api.example.com/**", text)
	}
	host, below, pathed := strings.Cut(rest, "/")
	named, err := dialguard.ParsePattern(host)
	if err != nil {
		return pattern{}, err
	}
	named.Port = cmp.Or(named.Port, defaultPorts[scheme])
	if _, err := path.Match(below, ""); err != nil || strings.ContainsAny(below, "?#") || strings.Contains(strings.TrimSuffix("/"+below, "/**"), "**") {
		return pattern{}, fmt.Errorf("the path of %q is not a pattern; * stands for a part of one segment, /** at the end for all below", text)
	}
	if !pathed {
		return pattern{}, fmt.Errorf("%q has no path, and names one page; write %[1]s/** for all of the host, or %[1]s/ for that page", text)
	}
	if slices.ContainsFunc(strings.Split(below, "/"), func(part string) bool { return part == "." || part == ".." }) {
		return pattern{}, fmt.Errorf("%q would never match: no address has . or .. in its path; write it without them", text)
	}
	return pattern{scheme, named, "/" + below}, nil
}

// Plan implements [hostapi.Scoper].
func (f *Fetch) Plan(_ context.Context, call hostapi.Call) (hostapi.Plan, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, err
	}
	u, err := parse(args.URL)
	if err != nil {
		return nil, err
	}
	return address{u}, nil
}

// address is where a request goes.
type address struct{ url *url.URL }

// Subjects implements [hostapi.Plan].
func (a address) Subjects() []hostapi.Subject { return []hostapi.Subject{subject(a)} }

// subject is an address without its query.
type subject struct{ url *url.URL }

// String implements [hostapi.Subject].
func (s subject) String() string { return shown(s.url) }

// Match implements [hostapi.Subject].
func (s subject) Match(text string) bool {
	p, err := parsePattern(text)
	if err != nil || p.scheme != s.url.Scheme {
		return false
	}
	return hostMatches(p.host, s.url) && pathMatches(p.path, s.url.EscapedPath())
}
