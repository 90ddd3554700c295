// Package jsonschema is github.com/santhosh-tekuri/jsonschema/v6 with one
// change: what that package compiles when a process starts, the metaschemas of
// five drafts, is compiled by [Load] and [LoadOlder]. Every process of ours pays for
// a start (a worker is one), few of them ever read a schema, and hardly one of an
// older draft.
//
// Beside it stands anchors.go, which shows where a dynamic reference leads to
// who counts what a check will take. Every other Go file here is written by a
// test, from the version that go.mod names; nobody edits them:
//
//	go test ./hostapi/schema/internal/jsonschema -update
//
// Messages come from the library's own package kind. When the library itself
// compiles its metaschemas on demand, this folder goes.
package jsonschema

import (
	"strings"
	"sync"
)

// Load compiles the metaschema of the latest draft, once. It has to return before
// anything else of this package is used. It is safe for concurrent use.
var Load = sync.OnceFunc(func() { load(Draft2020) })

// LoadOlder does the same for the drafts before it, which schemas have to name.
var LoadOlder = sync.OnceFunc(func() { load(Draft4, Draft6, Draft7, Draft2019) })

// load is loadMetaschemas for some drafts.
func load(drafts ...*Draft) {
	c := NewCompiler()
	c.AssertFormat()
	for _, d := range drafts {
		d.sch = c.MustCompile(d.url)
		for name := range d.allVocabs {
			d.allVocabs[name] = c.MustCompile(strings.TrimSuffix(d.url, "schema") + "meta/" + name)
		}
	}
}
