package sandbox

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// A command without a view of its own reads and writes what its policy does not grant,
// as far as Landlock does not refuse it. That is for machines that make no views. Where
// they do, a view that cannot be made for one policy ends in an error: whatever keeps it
// from being made, a command may have put it there.

// givesViews reports whether the machine makes a view for a policy that grants nothing
// but the system's folders, with one of these namespaces.
func givesViews(attempts []spaces) bool {
	temp, err := MakeTemp()
	if err != nil {
		return true // nothing is known of the machine
	}
	defer func() { _ = RemoveTemp(temp) }()
	for _, spaces := range attempts {
		if !spaces.View {
			continue
		}
		r, err := bear(spaces.attributes())
		if err != nil {
			if passing(err) {
				return true
			}
			continue
		}
		s := newSetup(Policy{Profile: ProfileReadOnly}, temp)
		s.Spaces = spaces
		ready, err := r.prepare(s)
		r.close()
		if err != nil || ready.Less == "" {
			return true
		}
	}
	return false
}

// passing reports whether an error says that there is too little of something just now. A
// command can use it up, so it says nothing of what the machine can do.
func passing(err error) bool {
	return slices.ContainsFunc([]error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EINTR}, func(of error) bool { return errors.Is(err, of) })
}
