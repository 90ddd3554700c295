package jsonschema

// DynamicTarget is the schema that a $dynamicRef to an anchor finds in the
// resource of s; nil if that has no such $dynamicAnchor.
func (s *Schema) DynamicTarget(anchor string) *Schema { return s.resource.dynamicAnchors[anchor] }

// RecursiveTarget reports whether a $recursiveRef stops at s, as it does where
// the resource of s says $recursiveAnchor.
func (s *Schema) RecursiveTarget() bool { return s.resource.RecursiveAnchor }
