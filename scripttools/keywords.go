package scripttools

import "github.com/scriptrun/scriptrun/hostapi/spelling"

// schemaKeywords are those of JSON Schema, of the drafts that people write, and those that
// OpenAPI and editors add. How a subschema lies in each follows.
var schemaKeywords = map[string]subschemas{
	"$anchor": noSchema, "$comment": noSchema, "$dynamicAnchor": noSchema, "$dynamicRef": noSchema, "$id": noSchema, "$recursiveAnchor": noSchema, "$recursiveRef": noSchema,
	"$ref": noSchema, "$schema": noSchema, "$vocabulary": noSchema, "const": noSchema, "contentEncoding": noSchema, "contentMediaType": noSchema, "default": noSchema,
	"dependentRequired": noSchema, "deprecated": noSchema, "description": noSchema, "enum": noSchema, "examples": noSchema, "exclusiveMaximum": noSchema,
	"exclusiveMinimum": noSchema, "format": noSchema, "id": noSchema, "maxContains": noSchema, "maxItems": noSchema, "maxLength": noSchema, "maxProperties": noSchema, "maximum": noSchema,
	"minContains": noSchema, "minItems": noSchema, "minLength": noSchema, "minProperties": noSchema, "minimum": noSchema, "multipleOf": noSchema, "pattern": noSchema,
	"readOnly": noSchema, "required": noSchema, "title": noSchema, "type": noSchema, "uniqueItems": noSchema, "writeOnly": noSchema,

	"discriminator": noSchema, "example": noSchema, "externalDocs": noSchema, "nullable": noSchema, "xml": noSchema, "enumNames": noSchema, "enumDescriptions": noSchema,
	"errorMessage": noSchema, "markdownDescription": noSchema, "defaultSnippets": noSchema, "propertyOrder": noSchema, "propertyOrdering": noSchema,

	"additionalItems": oneSchema, "additionalProperties": oneSchema, "contains": oneSchema, "contentSchema": oneSchema, "else": oneSchema, "if": oneSchema, "items": oneSchema, "not": oneSchema,
	"propertyNames": oneSchema, "then": oneSchema, "unevaluatedItems": oneSchema, "unevaluatedProperties": oneSchema,
	"allOf": oneSchema, "anyOf": oneSchema, "oneOf": oneSchema, "prefixItems": oneSchema,
	"$defs": namedSchemas, "definitions": namedSchemas, "dependencies": namedSchemas, "dependentSchemas": namedSchemas, "patternProperties": namedSchemas, "properties": namedSchemas,
}

// subschemas is how schemas lie in the value of a keyword.
type subschemas int

const (
	noSchema     subschemas = iota
	oneSchema               // it is one, or a list of them
	namedSchemas            // its fields are
)

// keywords refuses those that are misspelt: JSON Schema ignores what it does not know, and
// what the author asked for would be gone. Others, such as x-ui, are the author's own.
func (r *fieldReader) keywords(key string, n *node, names []string) {
	for _, item := range n.items {
		r.keywords(key, item, names)
	}
	for _, f := range n.fields {
		lie, known := schemaKeywords[f.key]
		if !known {
			if near := spelling.Nearest(f.key, names); near != "" {
				r.fail(f.at, "did you mean "+near+"?", "%s: %s is no keyword of JSON Schema, and would be ignored", key, quote(f.key))
			}
			continue
		}
		switch lie {
		case noSchema:
		case oneSchema:
			r.keywords(key, f.value, names)
		case namedSchemas:
			for _, inner := range f.value.fields {
				r.keywords(key, inner.value, names)
			}
		}
	}
}
