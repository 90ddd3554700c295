//go:build !unix

package main

import (
	"context"
	"errors"
)

// ask says that nobody can be asked on this system; the call is denied.
func (*keys) ask(context.Context, func(), func(), func(byte) bool) error {
	return errors.New("a terminal cannot be asked on this system")
}
