package files

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// A rule that denies or asks about a file is about every tool that does the same to
// it, by the name it has and by the one it was given, and about a folder in which it
// may lie.

// alike are the tools of which a rule that denies or asks is about a tool's calls, too.
var alike = map[string][]string{
	"read":   {"json", "yaml", "grep", "search", "edit", "move", "delete"}, // what is deleted lies in the trash
	"write":  {"edit", "move", "delete"},
	"edit":   {"write", "move", "delete"},
	"delete": {"move", "write"},
	"grep":   {"search"},
	"glob":   {"search", "ls"},
	"ls":     {"glob", "search"},
}

// Concerns implements [hostapi.Toucher].
func (t *tool) Concerns(rule hostapi.Rule) bool {
	return rule.Tool == t.def.name || slices.Contains(alike[rule.Tool], t.def.name)
}

// Touches implements [hostapi.Toucher].
func (t *tool) Touches(ctx context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	resolved, err := call.Resolve(ctx)
	if err != nil {
		return true, &hostapi.OpaqueError{Reason: err.Error()}
	}
	p, ok := resolved.(*plan)
	if !ok {
		return true, &hostapi.OpaqueError{Reason: "it was resolved by another tool"}
	}
	for _, at := range p.at {
		if !at.output && (rule.Pattern == "" || t.mayBe(at, rule.Pattern)) {
			return true, nil
		}
	}
	return false, nil
}

// mayBe reports whether a place is what a pattern names, or holds it.
func (t *tool) mayBe(at place, pattern string) bool {
	given := strings.TrimPrefix(path.Clean("/"+at.given), "/")
	for _, name := range []string{at.rel, given} {
		if matched, known := matches(pattern, name); matched || !known {
			return true
		}
	}
	info, err := t.workspace.lstat(at.rel)
	if folder := at.folder || err == nil && info.IsDir(); !folder {
		return false
	}
	return mayHold(pattern, at.rel) || mayHold(pattern, given)
}

// mayHold reports whether something that a pattern names may lie below a folder.
func mayHold(pattern, folder string) bool {
	if strings.Contains(pattern, "{") && strings.Contains(pattern, "/") {
		return true // a brace may hold slashes
	}
	parts := strings.Split(pattern, "/")
	// at[i] is whether the folder so far is matched by the first i parts.
	at := make([]bool, len(parts)+1)
	reach := func(i int) {
		for at[i] = true; i < len(parts) && parts[i] == "**"; i++ {
			at[i+1] = true
		}
	}
	reach(0)
	for segment := range strings.SplitSeq(folder, "/") {
		if segment == "" || segment == "." {
			continue
		}
		before := slices.Clone(at)
		clear(at)
		for i, part := range parts {
			if !before[i] {
				continue
			}
			if part == "**" {
				reach(i)
			} else if matched, known := matches(part, segment); matched || !known {
				reach(i + 1)
			}
		}
	}
	return slices.Contains(at[:len(parts)], true)
}
