package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/scriptrun/scriptrun/scripttools"
)

// warnBroken logs a line for each broken file, with its first problem.
func warnBroken(log *slog.Logger, message string, err error) {
	var broken *scripttools.LoadError
	if !errors.As(err, &broken) {
		log.Warn(message, "error", err)
		return
	}
	problems := map[string]int{}
	for _, p := range broken.Problems {
		problems[p.Pos.File]++
	}
	for _, p := range broken.Problems {
		if n := problems[p.Pos.File]; n > 0 {
			args := []any{"error", fmt.Sprintf("%s: %s", p.Pos, p.Msg)}
			if n > 1 {
				args = append(args, "problems", n)
			}
			log.Warn(message, args...)
		}
		problems[p.Pos.File] = 0
	}
}
