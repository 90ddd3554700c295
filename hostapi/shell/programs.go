package shell

import "github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"

// guarded says for each word of a simple command why no wildcard of a pattern
// may cover it; "" where one may.
func guarded(words []string) []string { return programs.Guard(words) }
