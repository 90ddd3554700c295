package wire

// Check asks whether a source is a program, and what its entry is.
type Check struct {
	// Name is the file, as stack frames show it.
	Name string `json:"name"`
	// Digest identifies the program in a later start.
	Digest string `json:"digest"`
	Source string `json:"source"`
	// Body says that the source is the body of a function.
	Body bool `json:"body,omitempty"`
	// Module says that the source is strict even if it exports nothing.
	Module bool `json:"module,omitempty"`
	// Imports says that the host gives files that the source needs.
	Imports bool `json:"imports,omitempty"`
	// Warn asks for warnings.
	Warn bool `json:"warn,omitempty"`
	// Shapes asks for those warnings that are about the shapes of values: of members that they have not.
	Shapes bool `json:"shapes,omitempty"`
	// Granted are the host tools that the script may call, for the warnings.
	Granted []string `json:"granted,omitempty"`
	// Arguments are the names that a granted tool takes, by the tool, for the warnings. A tool
	// that is not among them may take any.
	Arguments map[string][]string `json:"arguments,omitempty"`
	// Required are the arguments without which a granted tool takes no call, by the tool, each
	// with its other names behind it.
	Required map[string][][]string `json:"required,omitempty"`
	// MaxMemoryBytes is the memory limit of the cell.
	MaxMemoryBytes int64 `json:"maxMemoryBytes"`
}

// Checked answers a check, with flaws or with the other fields.
type Checked struct {
	// File says that a source that was to be a function's body is a file with an entry.
	File     bool   `json:"file,omitempty"`
	Entry    string `json:"entry,omitempty"`
	CommonJS bool   `json:"commonjs,omitempty"`
	Strict   bool   `json:"strict,omitempty"`
	// Lowered is the source after its syntax was lowered, with its exports; empty if the engine
	// reads it as it is.
	Lowered string `json:"lowered,omitempty"`
	// Map leads from Lowered to the source.
	Map string `json:"map,omitempty"`
	// Files are those that Lowered was made of besides the source. Places name them by their
	// numbers, from 1.
	Files []string `json:"files,omitempty"`
	// Edits lower the exports, in the order of the source.
	Edits []Edit `json:"edits,omitempty"`
	Flaws []Flaw `json:"flaws,omitempty"`
	// Warnings are calls that are not awaited, or not granted.
	Warnings []Flaw `json:"warnings,omitempty"`
}

// Edit replaces as many bytes of a source as its text has.
type Edit struct {
	At   int    `json:"at"`
	Text string `json:"text"`
}

// Flaw is one reason why a source is not a program, or a warning.
type Flaw struct {
	// File is the one that it is in, if that is not the source.
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Msg  string `json:"msg"`
}

// Need asks for a file that the source imports.
type Need struct {
	// Path leads to it from the folder of the source.
	Path string `json:"path"`
}

// Given answers a need: with a text, or with why there is none.
type Given struct {
	Text    string `json:"text"`
	Missing bool   `json:"missing,omitempty"`
	// Nearest is the name of a file or package beside what is missing that it may have been meant
	// to be; empty if there is none.
	Nearest string `json:"nearest,omitempty"`
	Refused string `json:"refused,omitempty"`
}
