package shell

// guarded says for each word of a simple command why no wildcard of a pattern
// may cover it; "" where one may.
func guarded(words []string) []string {
	return make([]string, len(words))
}
