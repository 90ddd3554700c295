package realm

import (
	"fmt"
	goruntime "runtime"
	"strings"
)

// engineError is a panic of the engine at a source.
type engineError struct{ text string }

// Error implements error.
func (e *engineError) Error() string { return "the engine cannot read this: " + e.text }

// recovered makes an error of a panic; no script has run that could have a say
// in how it is spelled.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case goruntime.Error:
		*err = &engineError{p.Error()}
	case error:
		*err = &engineError{p.Error()}
	default:
		*err = &engineError{fmt.Sprint(p)}
	}
}

// place finds what made the engine panic, where that is known: it takes the
// last character there is for none, when an escape names it.
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
