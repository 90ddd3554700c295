//go:build !unix

package protect

// presence does nothing on a system where commands are not confined.
type presence struct{}

func (presence) enter(string) (others bool) { return false }

func (presence) where() string { return "" }

func (presence) leave() {}
