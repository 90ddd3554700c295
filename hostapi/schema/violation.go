package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Violation is one way in which a value, or a schema, breaks its schema.
type Violation struct {
	// Path is the JSON Pointer of the offending value; "" is the value itself.
	// A pointer of more than a thousand bytes is cut, and ends in an ellipsis.
	Path string `json:"path"`
	// Message says what was expected there, in 500 bytes at most.
	Message string `json:"message"`
}

// String is "path: message", with the root shown as "(root)".
func (v Violation) String() string {
	if v.Path == "" {
		return "(root): " + v.Message
	}
	return shorten(v.Path, 200) + ": " + v.Message
}

// Error is an invalid schema, or a value that breaks its schema.
type Error struct {
	// Violations are the first violations by path, at most a hundred and 16 KiB.
	Violations []Violation
	// More is how many more there are.
	More int
}

// Error lists the violations, separated by semicolons.
func (e *Error) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.String()
	}
	if e.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(parts, "; ")
}

// The limits of the violations of one value: each quotes parts of it, and repeats its
// path.
const (
	maxViolations     = 100
	maxViolationBytes = 16 << 10
	maxPathShown      = 1000
	maxMessage        = 500
	maxQuoted         = 200 // of one text inside a message
	maxListed         = 20  // of a list inside a message
	maxExplained      = 64 << 10
)

// violations flattens the library's tree to its leaves. of is the schema; nil if it has no say.
func violations(err error, of *jsonschema.Schema) error {
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return refuse("", "%s", shorten(err.Error(), maxMessage))
	}
	leaves := leavesOf(invalid, nil)
	if len(leaves) > maxViolations {
		slices.SortStableFunc(leaves, func(a, b *jsonschema.ValidationError) int {
			return slices.Compare(a.InstanceLocation, b.InstanceLocation)
		})
	}
	broken := &Error{}
	printer := message.NewPrinter(language.English)
	bytes := 0
	for _, leaf := range leaves {
		v := Violation{
			Path:    shorten(pointer(leaf.InstanceLocation), maxPathShown),
			Message: shorten(brief(leaf.ErrorKind).LocalizedString(printer), maxMessage),
		}
		if unknown, ok := leaf.ErrorKind.(*kind.AdditionalProperties); ok && v.Path == "" {
			v.Message = shorten(v.Message+hint(unknown.Properties, missing(leaves), of), maxMessage)
		}
		if choice, ok := leaf.ErrorKind.(*kind.Enum); ok {
			v.Message = shorten(v.Message+meant(choice), maxMessage)
		}
		if bytes += len(v.Path) + len(v.Message); len(broken.Violations) > 0 && bytes > maxViolationBytes || len(broken.Violations) == maxViolations {
			break
		}
		broken.Violations = append(broken.Violations, v)
	}
	broken.More = len(leaves) - len(broken.Violations)
	slices.SortStableFunc(broken.Violations, func(a, b Violation) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Message, b.Message)
	})
	return broken
}

// hint is which property the first of those that are not known was meant to be, or which there are.
// Where one is missing and one is unknown, that is the one.
func hint(unknown, missing []string, of *jsonschema.Schema) string {
	if of == nil || len(of.Properties) == 0 || len(of.Properties) > maxQuoted {
		return ""
	}
	known := slices.Sorted(maps.Keys(of.Properties))
	if len(unknown[0]) <= maxQuoted {
		if nearest := spelling.Nearest(unknown[0], known); nearest != "" {
			return fmt.Sprintf("; did you mean %q?", nearest)
		}
	}
	if len(unknown) == 1 && len(missing) == 1 && len(missing[0]) <= maxQuoted {
		return fmt.Sprintf("; did you mean %q?", missing[0])
	}
	return "; expected " + strings.Join(briefList(known), ", ")
}

// missing are the properties that a value must have, and has not.
func missing(leaves []*jsonschema.ValidationError) (names []string) {
	for _, leaf := range leaves {
		if required, ok := leaf.ErrorKind.(*kind.Required); ok && len(leaf.InstanceLocation) == 0 {
			names = append(names, required.Missing...)
		}
	}
	return names
}

// meant is which of some texts a misspelt one was meant to be.
func meant(choice *kind.Enum) string {
	got, ok := choice.Got.(string)
	if !ok || len(got) > maxQuoted || len(choice.Want) > maxQuoted {
		return ""
	}
	var texts []string
	for _, want := range choice.Want {
		if text, ok := want.(string); ok && len(text) <= maxQuoted {
			texts = append(texts, text)
		}
	}
	if near := spelling.Nearest(got, texts); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func leavesOf(e *jsonschema.ValidationError, leaves []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 && e.ErrorKind != nil {
		return append(leaves, e)
	}
	for _, cause := range e.Causes {
		leaves = leavesOf(cause, leaves)
	}
	return leaves
}

// brief replaces what would put a large part of the value into a message.
func brief(k jsonschema.ErrorKind) jsonschema.ErrorKind {
	switch k := k.(type) {
	case *kind.Pattern:
		return &kind.Pattern{Got: shorten(k.Got, maxQuoted), Want: shorten(k.Want, maxQuoted)}
	case *kind.Format:
		if text, ok := k.Got.(string); ok && len(text) > maxQuoted { // the reason quotes it too
			reason := "it is too long to say why"
			if len(text) <= maxExplained {
				reason = shorten(k.Err.Error(), maxQuoted)
			}
			return &kind.Format{Got: shorten(text, maxQuoted/2), Want: k.Want, Err: errors.New(reason)}
		}
	case *kind.Enum:
		return &kind.Enum{Got: k.Got, Want: briefValues(k.Want)}
	case *kind.Const:
		return &kind.Const{Got: k.Got, Want: briefValue(k.Want)}
	case *kind.PropertyNames:
		return &kind.PropertyNames{Property: shorten(k.Property, maxQuoted)}
	case *kind.Required:
		return &kind.Required{Missing: briefList(k.Missing)}
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		return &kind.AdditionalProperties{Properties: briefList(k.Properties)}
	case *kind.Dependency:
		return &kind.Dependency{Prop: shorten(k.Prop, maxQuoted), Missing: briefList(k.Missing)}
	case *kind.DependentRequired:
		return &kind.DependentRequired{Prop: shorten(k.Prop, maxQuoted), Missing: briefList(k.Missing)}
	case *kind.MinContains:
		return &kind.MinContains{Got: k.Got[:min(len(k.Got), maxListed)], Want: k.Want}
	case *kind.MaxContains:
		return &kind.MaxContains{Got: k.Got[:min(len(k.Got), maxListed)], Want: k.Want}
	}
	return k
}

func briefValues(values []any) []any {
	out := make([]any, 0, min(len(values), maxListed+1))
	for i, value := range values {
		if i == maxListed {
			return append(out, fmt.Sprintf("… %d more", len(values)-maxListed))
		}
		out = append(out, briefValue(value))
	}
	return out
}

func briefValue(value any) any {
	if text, ok := value.(string); ok {
		return shorten(text, maxQuoted)
	}
	return value
}

func briefList(texts []string) []string {
	var out []string
	for i, text := range texts {
		if i == maxListed {
			return append(out, fmt.Sprintf("… %d more", len(texts)-maxListed))
		}
		out = append(out, shorten(text, maxQuoted))
	}
	return out
}

// shorten cuts a text to at most limit bytes, at the end of a character.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len("…")], "") + "…"
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(t))
	}
	return b.String()
}
