package lower

import (
	"errors"
	"io/fs"
)

// MissingError is a file that is not there, for a [Reader]. It is an fs.ErrNotExist.
type MissingError struct {
	// Nearest is a name beside it that it may have been meant to be; empty for none.
	Nearest string
}

// Error implements error.
func (e *MissingError) Error() string { return fs.ErrNotExist.Error() }

// Is makes it an fs.ErrNotExist.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

func nearestOf(err error) string {
	var missing *MissingError
	if errors.As(err, &missing) {
		return missing.Nearest
	}
	return ""
}

// near keeps what is near to a package that is not there.
func (b *bundle) near(folder string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if name := nearestOf(err); name != "" {
		b.nearest[folder] = name
	}
}
