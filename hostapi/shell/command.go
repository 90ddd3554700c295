package shell

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"mvdan.cc/sh/v3/syntax"
)

// arguments are those of a call, as decoded from JSON.
type arguments struct {
	Command     string            `json:"command"`
	Argv        []string          `json:"argv"`
	Cwd         string            `json:"cwd"`
	Stdin       *string           `json:"stdin"`
	Input       bool              `json:"input"`
	Pty         bool              `json:"pty"`
	Cols        uint16            `json:"cols"`
	Rows        uint16            `json:"rows"`
	Env         map[string]string `json:"env"`
	Environment string            `json:"environment"`
	TimeoutMs   int64             `json:"timeoutMs"`
}

// inputSchema is the schema of a call's arguments. [Tool.Check] checks that there is
// either command or argv, since it can say so in words.
const inputSchema = `{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "command": {"type": "string", "minLength": 1, "description": "A shell line, run by bash -c."},
    "argv": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "A program and its arguments, run without a shell; instead of command."},
    "cwd": {"type": "string", "description": "Directory to run in, relative to the workspace."},
    "stdin": {"type": "string", "description": "Text for its standard input; without it there is none."},
    "input": {"type": "boolean", "description": "Leave the input open, after stdin, for write; in the background only."},
    "pty": {"type": "boolean", "description": "Run it on a terminal; all that it writes is then stdout, and in the background the input is open."},
    "cols": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Columns of the terminal; 80 if it is left out."},
    "rows": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Rows of the terminal; 24 if it is left out."},
    "env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Further environment variables."},
    "environment": {"type": "string", "description": "Name of an environment that the host configured."},
    "timeoutMs": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Milliseconds after which it is ended."}
  }
}`

// pty is the size of the terminal that a call asks for; nil for none.
func (a arguments) pty() *sandbox.Size {
	if !a.Pty {
		return nil
	}
	return &sandbox.Size{Cols: cmp.Or(a.Cols, defaultCols), Rows: cmp.Or(a.Rows, defaultRows)}
}

// decode decodes the arguments of a call, and refuses those that cannot be run.
func (t *Tool) decode(raw json.RawMessage) (args arguments, err error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return arguments{}, fmt.Errorf("expected an object with command or argv: %w", err)
	}
	switch {
	case args.Command == "" && len(args.Argv) == 0:
		return arguments{}, errors.New("expected command, a shell line, or argv, a program and its arguments")
	case args.Command != "" && len(args.Argv) > 0:
		return arguments{}, errors.New("command and argv are both given; give one of them")
	case len(args.Argv) == 0 && strings.TrimSpace(args.Command) == "":
		return arguments{}, errors.New("command is blank; expected a shell line")
	case len(args.Argv) > 0 && args.Argv[0] == "":
		return arguments{}, errors.New("argv[0] is empty; expected a program")
	}
	if !args.Pty && (args.Cols != 0 || args.Rows != 0) {
		return arguments{}, errors.New("cols and rows are for a terminal; ask for one with pty: true, or leave them out")
	}
	if _, err := t.asked(args.Environment); err != nil {
		return arguments{}, err
	}
	hasNul := func(s string) bool { return strings.ContainsRune(s, 0) }
	if hasNul(args.Command) || hasNul(args.Cwd) || slices.ContainsFunc(args.Argv, hasNul) {
		return arguments{}, errors.New("a NUL character cannot be passed to a command, except through stdin")
	}
	for name, value := range args.Env {
		if !syntax.ValidName(name) || hasNul(value) {
			return arguments{}, fmt.Errorf("env: %q cannot be set; a name is letters, digits and _, a value has no NUL", name)
		}
	}
	if _, err := t.timeout(args); err != nil {
		return arguments{}, err
	}
	return args, nil
}

// The bounds of a command's time.
const (
	defaultTimeout = 2 * time.Minute
	maxTimeout     = 10 * time.Minute
	defaultGrace   = 2 * time.Second
)

// timeouts are how long a command may run by default and at most.
func (t *Tool) timeouts() (usual, most time.Duration) {
	if t.Timeout <= 0 {
		return defaultTimeout, maxTimeout
	}
	return t.Timeout, t.Timeout
}

// timeout is how long the command of a call may run.
func (t *Tool) timeout(args arguments) (time.Duration, error) {
	usual, most := t.timeouts()
	if args.TimeoutMs == 0 {
		return usual, nil
	}
	if args.TimeoutMs < 0 || args.TimeoutMs > most.Milliseconds() {
		return 0, fmt.Errorf("timeoutMs is %d; expected 1 to %d", args.TimeoutMs, most.Milliseconds())
	}
	return time.Duration(args.TimeoutMs) * time.Millisecond, nil
}

// The limits of the strings that a program is started with, in bytes, each and together:
// those of the kernel, less what a sandbox adds.
const (
	maxString  = 120 << 10
	maxStrings = 1 << 20
)

// checkSize refuses arguments and variables that are too large for any program.
func checkSize(args arguments, where ExecContext) error {
	total := 0
	check := func(what string, size int) error {
		if total += size + 1; size > maxString {
			return fmt.Errorf("%s has %d bytes; %d is the most that a program can be started with; pass it through stdin, or a file", what, size, maxString)
		}
		return nil
	}
	if err := check("command", len(args.Command)); err != nil {
		return err
	}
	for i, word := range args.Argv {
		if err := check(fmt.Sprintf("argv[%d]", i), len(word)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(where.env)) {
		if err := check("the variable "+clip.Head(name, 100), len(name)+1+len(where.env[name])); err != nil {
			return err
		}
	}
	if total > maxStrings {
		return fmt.Errorf("command, argv and env have %d bytes together; %d is the most that a program can be started with; pass it through stdin, or a file", total, maxStrings)
	}
	return nil
}
