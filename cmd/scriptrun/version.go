package main

import (
	"fmt"
	"runtime/debug"
)

// version is the version in the build's own information.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			text += " " + s.Value[:12]
		}
	}
	return fmt.Sprintf("%s (%s)", text, info.GoVersion)
}
