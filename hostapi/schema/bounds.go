package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// The limits of a schema. They are far above what a person or a generator writes, and
// keep the time to compile one within a fraction of a second: the library compares
// each subschema with every other, and names each by its whole path.
const (
	maxSchemaBytes = 256 << 10
	// maxSubschemas counts objects and booleans, whatever they stand for.
	maxSubschemas  = 6000
	maxSchemaDepth = 128
	// maxPathBytes bounds the JSON Pointers of all of them together: a long name
	// is repeated in the path of everything below it.
	maxPathBytes = 1 << 20
	// maxIdentifiers counts $id, $anchor and $dynamicAnchor.
	maxIdentifiers = 200
	// maxReference is the longest $id, $ref or anchor, in bytes.
	maxReference = 2048
	// maxApplied is how many subschemas may apply to one value.
	maxApplied = 5000
	// maxChain is how many subschemas may lead to one another for one value, by $ref,
	// allOf and the like: at each, the library walks back along all of them.
	maxChain = 200
	// maxCompileWork limits references to places where no schema is expected: the
	// library checks each such place by itself, and copies its index.
	maxCompileWork = 50_000
)

// source counts the parts of a schema before the library sees it.
type source struct {
	subschemas, pathBytes, identifiers int
	draft4                             bool // id is $id there
	older                              bool // it names a draft other than the latest
	broken                             *Error
}

// checkSource refuses a schema that would take long to compile. It reports whether the
// schema names a draft older than the latest.
func checkSource(root any, size int) (older bool, _ error) {
	if size > maxSchemaBytes {
		return false, refuse("", "the schema has %d bytes; %d is the most", size, maxSchemaBytes)
	}
	s := source{draft4: isDraft4(root)}
	s.walk(root, nil, 0)
	if s.broken == nil {
		s.broken = checkReferences(root, s.subschemas)
	}
	if s.broken == nil {
		return s.older, nil
	}
	return false, s.broken
}

// walk visits a node; path is that of the node, and pathSize its length.
func (s *source) walk(node any, path []string, pathSize int) {
	if s.broken != nil {
		return
	}
	switch v := node.(type) {
	case map[string]any:
		if s.count(path, pathSize); s.broken != nil {
			return
		}
		for key, value := range v {
			if text, ok := value.(string); ok {
				s.identifier(key, text, path)
				continue
			}
			s.walk(value, append(path, key), pathSize+1+len(key))
		}
	case []any:
		for i, item := range v {
			key := strconv.Itoa(i)
			s.walk(item, append(path, key), pathSize+1+len(key))
		}
	case bool:
		s.count(path, pathSize)
	}
}

func (s *source) count(path []string, pathSize int) {
	s.subschemas++
	s.pathBytes += pathSize
	switch {
	case len(path) > maxSchemaDepth:
		s.broken = refuse(pointer(path), "the schema is nested more than %d levels deep here; move parts to $defs", maxSchemaDepth)
	case s.subschemas > maxSubschemas:
		s.broken = refuse("", "the schema has more than %d subschemas; share equal ones by $ref, or describe less", maxSubschemas)
	case s.pathBytes > maxPathBytes:
		s.broken = refuse(pointer(path), "the paths of the subschemas are longer than %d bytes together; shorten the names, or nest less", maxPathBytes)
	}
}

func (s *source) identifier(key, text string, path []string) {
	switch key {
	case "$id", "$anchor", "$dynamicAnchor":
		s.identifiers++
	case "id":
		if s.draft4 {
			s.identifiers++
		}
	case "$ref", "$dynamicRef", "$recursiveRef", "$schema":
	default:
		return
	}
	s.older = s.older || strings.Contains(text, "json-schema.org/") && !strings.Contains(text, "://json-schema.org/draft/2020-12/")
	switch {
	case s.broken != nil:
	case len(text) > maxReference:
		s.broken = refuse(pointer(append(path, key)), "%s has %d bytes; %d is the most", key, len(text), maxReference)
	case s.identifiers > maxIdentifiers:
		s.broken = refuse(pointer(append(path, key)), "the schema has more than %d of $id and $anchor; name parts under $defs instead", maxIdentifiers)
	}
}

func isDraft4(root any) bool {
	keys, _ := root.(map[string]any)
	name, _ := keys["$schema"].(string)
	return strings.Contains(name, "draft-04")
}

// refuse is an error of one violation.
func refuse(path, format string, args ...any) *Error {
	return &Error{Violations: []Violation{{Path: path, Message: fmt.Sprintf(format, args...)}}}
}
