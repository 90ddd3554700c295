package schema

import "strings"

var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

// splitPointer cuts "#/a/b~1c" into its tokens. A reference that is not a
// local JSON Pointer has none that resolve.
func splitPointer(ref string) []string {
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return []string{ref}
	}
	tokens := strings.Split(rest, "/")
	for i, t := range tokens {
		tokens[i] = pointerUnescapes.Replace(t)
	}
	return tokens
}
