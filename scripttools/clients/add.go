package clients

import (
	"bytes"
	"errors"
	"fmt"
)

// Change says what [Client.Add] did.
type Change string

// The changes.
const (
	Created   Change = "created"   // there was no text
	Added     Change = "added"     // the text has one more server
	Replaced  Change = "replaced"  // the server is another one than before
	Unchanged Change = "unchanged" // the server was there already, as it is to be
)

// ErrDiffers is for a text that has another server of the same name.
var ErrDiffers = errors.New("there is a server of this name already, which differs")

// KeepError is for a text that cannot be added to with all that is in it kept.
type KeepError struct {
	// Why says what is in the way, in a sentence without its full stop.
	Why string
}

// Error is the reason.
func (e *KeepError) Error() string { return e.Why }

func unkept(format string, args ...any) error { return &KeepError{fmt.Sprintf(format, args...)} }

// Add returns the text of a configuration file with a server added. All that is in it stays as
// it is, to the byte, but for space in an object
// without members, and at the end of TOML. A server that is there and has all that this one has, and perhaps more,
// is left alone; one that differs is replaced if force is true, and is [ErrDiffers] otherwise.
// The other error is a *[KeepError].
func (c Client) Add(text []byte, s Server, force bool) ([]byte, Change, error) {
	if len(bytes.Trim(text, blank)) == 0 {
		return []byte(c.Config(s)), Created, nil
	}
	if c.toml {
		return c.addTOML(text, s, force)
	}
	return c.addJSON(text, s, force)
}

// blank is what neither form of file takes for more than space.
const blank = " \t\r\n"

// holds reports whether an entry has all that another one has.
func holds(have, want any) bool {
	of, ok := want.(map[string]any)
	if !ok {
		return equal(have, want)
	}
	in, ok := have.(map[string]any)
	if !ok {
		return false
	}
	for key, value := range of {
		if got, there := in[key]; !there || !holds(got, value) {
			return false
		}
	}
	return true
}
