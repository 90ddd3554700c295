package settings

import (
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// sandboxLimits are those of commands; what the file leaves out is zero.
func (f *file) sandboxLimits() sandbox.Limits {
	l := f.Sandbox.Limits
	return sandbox.Limits{MemoryBytes: l.MemoryBytes, Processes: l.Processes, OpenFiles: l.OpenFiles, FileBytes: l.FileBytes}
}

// limitOf is one of the limits, by its key.
func limitOf(l sandbox.Limits, key string) int64 {
	return map[string]int64{
		"memoryBytes": l.MemoryBytes, "processes": int64(l.Processes), "openFiles": int64(l.OpenFiles), "fileBytes": l.FileBytes,
	}[key]
}

// checkSandboxLimits refuses limits with which no command could run.
func (f *file) checkSandboxLimits(about toml.MetaData, text string) error {
	limits := f.sandboxLimits()
	refused := func(key string, err error) error {
		return &placedError{path: f.path, line: lineOfKey(text, toml.Key{"sandbox", "limits", key}), err: err}
	}
	for _, key := range []string{"memoryBytes", "processes", "openFiles", "fileBytes"} {
		if about.IsDefined("sandbox", "limits", key) && limitOf(limits, key) <= 0 {
			return refused(key, fmt.Errorf("sandbox.limits.%s is %d; expected more than zero", key, limitOf(limits, key)))
		}
	}
	var low *sandbox.LimitError
	if errors.As(limits.Check(), &low) {
		return refused(low.Name, fmt.Errorf("sandbox.limits.%s is %d; expected at least %d", low.Name, low.Value, low.Min))
	}
	return nil
}

// aboveDefault is the rule of a limit. Of two the lower one counts, but what is
// above the default widens where the operator has none.
func aboveDefault(key string) func(any, *file) bool {
	return func(value any, operator *file) bool {
		usual := limitOf(sandbox.Limits{}.OrDefault(), key)
		asked, ok := value.(int64)
		return !ok || usual > 0 && asked > usual && limitOf(operator.sandboxLimits(), key) == 0
	}
}
