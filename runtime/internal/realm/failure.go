package realm

import (
	"fmt"
	"strings"
)

// engineError is a panic of the engine while it read a source.
type engineError struct{ text string }

// Error implements error.
func (e *engineError) Error() string { return "the engine cannot read this: " + e.text }

// recovered turns a panic into an error. No script has run yet, so calling Error is safe.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case error:
		*err = &engineError{p.Error()}
	default:
		*err = &engineError{fmt.Sprint(p)}
	}
}

// place finds the cause of the one known panic: the engine does not accept an escape of the
// last Unicode character.
func (e *engineError) place(src string) (offset int, msg string) {
	for from := 0; ; {
		at := strings.Index(src[from:], `\u{`)
		if at < 0 {
			return 0, e.Error()
		}
		from += at + len(`\u{`)
		digits := strings.TrimLeft(src[from:], "0")
		if len(digits) > 6 && strings.EqualFold(digits[:6], "10FFFF") && digits[6] == '}' {
			return from - len(`\u{`), `the engine cannot read \u{10FFFF}; write \uDBFF\uDFFF`
		}
	}
}
