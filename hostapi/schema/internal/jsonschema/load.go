// Package jsonschema is github.com/santhosh-tekuri/jsonschema/v6 with one
// change: what that package compiles when a process starts, the metaschemas of
// five drafts, is compiled by [Load]. Every process of ours pays for a start
// (a worker is one), few of them ever read a schema.
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

import "sync"

// Load compiles the metaschemas, once. It has to return before anything else
// of this package is used. It is safe for concurrent use.
var Load = sync.OnceFunc(loadMetaschemas)
