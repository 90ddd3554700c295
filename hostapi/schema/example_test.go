package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// Complete fills in defaults, and names every way in which a value breaks its schema.
func Example() {
	limit, err := schema.Compile(json.RawMessage(`{
		"type": "object", "required": ["path"], "additionalProperties": false,
		"properties": {"path": {"type": "string"}, "top": {"type": "integer", "default": 5}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(complete(limit, `{"path": "src"}`))
	fmt.Println(complete(limit, `{"top": "all"}`))
	// Output:
	// {"path":"src","top":5}
	// (root): missing property 'path'; /top: got string, want integer
}

func complete(s *schema.Schema, value string) string {
	whole, err := s.Complete(json.RawMessage(value))
	if err != nil {
		return err.Error()
	}
	return string(whole)
}
