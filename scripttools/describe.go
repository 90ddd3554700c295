package scripttools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/runtime"
)

// Description is what a model, or a person, is told of a tool. Its JSON is
// stable: keys are added, never renamed.
type Description struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// InputSchema is always there; a tool without one takes any object.
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	// AllowedTools are the rules as they were written; empty means no tool.
	AllowedTools []string          `json:"allowed_tools"`
	Limits       DescriptionLimits `json:"limits"`
	Path         string            `json:"path"`
	// Source is the script, where it is another file than Path.
	Source string `json:"source,omitempty"`
	SHA256 string `json:"sha256"`
	// Imports are the files and packages that the script imports, from its folder on.
	Imports []runtime.Imported `json:"imports,omitempty"`
}

// DescriptionLimits are the limits of a run, in the words of a tool file.
type DescriptionLimits struct {
	TimeoutMS      int64 `json:"timeoutMs"`
	MaxToolCalls   int   `json:"maxToolCalls"`
	MaxOutputBytes int64 `json:"maxOutputBytes"`
	MaxResultBytes int64 `json:"maxResultBytes"`
	MaxMemoryBytes int64 `json:"maxMemoryBytes"`
}

// anyObject is the input schema of a tool that declares none.
var anyObject = json.RawMessage(`{"type":"object"}`)

// Describe returns the description of a tool.
func (s *ScriptToolSpec) Describe() Description {
	d := Description{
		Name:         s.Name,
		Description:  s.Description,
		InputSchema:  s.InputSchema.Source(),
		OutputSchema: s.OutputSchema.Source(),
		AllowedTools: make([]string, len(s.AllowedTools)),
		Limits: DescriptionLimits{
			TimeoutMS:      s.Limits.Timeout.Milliseconds(),
			MaxToolCalls:   s.Limits.MaxToolCalls,
			MaxOutputBytes: s.Limits.MaxOutputBytes,
			MaxResultBytes: s.Limits.MaxResultBytes,
			MaxMemoryBytes: s.Limits.MaxMemoryBytes,
		},
		Path:   s.Path,
		SHA256: s.Digest,
	}
	for i, rule := range s.AllowedTools {
		d.AllowedTools[i] = rule.String()
	}
	if d.InputSchema == nil {
		d.InputSchema = anyObject
	}
	if s.Source != s.Path {
		d.Source = s.Source
	}
	if s.Program != nil {
		d.Imports = s.Program.Imported()
	}
	return d
}

// maxListed bounds what a line lists, in bytes.
const maxListed = 2 << 10

// Reach is what the tool can call, in one line: its rules, of many the first ones
// and how many more there are; "nothing" if there is none.
func (d Description) Reach() string {
	if len(d.AllowedTools) == 0 {
		return "nothing"
	}
	return listed(d.AllowedTools, ", ")
}

// ImportedFiles are the files and packages that the tool imports, in one line: of many the first ones and how
// many more there are; empty if there is none.
func (d Description) ImportedFiles() string {
	var paths []string
	for _, file := range d.Imports {
		if file.Version != "" {
			file.Path += " " + file.Version
		}
		paths = append(paths, file.Path)
	}
	return listed(paths, ", ")
}

// listed is a list in one line, of many the first ones, and of a long one its beginning.
func listed[T ~string | ~[]byte](all []T, between string) string {
	var told []string
	size := 0
	for _, one := range all {
		text := shortened(one)
		if size += len(text) + len(between); size > maxListed && len(told) > 0 {
			break
		}
		told = append(told, text)
	}
	text := strings.Join(told, between)
	if more := len(all) - len(told); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
