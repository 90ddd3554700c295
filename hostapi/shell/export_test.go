package shell

import "net"

// LookUpWith has names on a list looked up by r.
func (t *Tool) LookUpWith(r *net.Resolver) { t.local.reaching.Resolver = r }

// PutAway is what is said of something that was put away.
var PutAway = putAway
