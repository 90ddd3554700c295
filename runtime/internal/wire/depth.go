package wire

// Depth is how deep the arrays and objects of a JSON text are nested: 0 for a scalar, 1 for
// {}. It counts brackets outside strings and never fails; the parser refuses what is not
// JSON.
func Depth(text []byte) int {
	depth, deepest := 0, 0
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
