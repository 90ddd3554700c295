package shell

import "path"

// whereabouts is the folder that a command runs in, as far as the line shows it. The
// zero value is the folder of the call.
type whereabouts struct {
	dir   string // relative to the folder of the call, or absolute
	lost  bool   // it depends on the exit codes of other commands
	never bool   // nothing runs there: the shell has ended
}

// outcomes are the folders after a command that succeeds, and after one that fails.
type outcomes struct{ success, failure whereabouts }

func same(at whereabouts) outcomes { return outcomes{at, at} }

// either is the folder where two branches join.
func either(a, b whereabouts) whereabouts {
	switch {
	case a == b, b.never:
		return a
	case a.never:
		return b
	}
	return whereabouts{lost: true}
}

// place records where each command of a list runs, and returns where it ends.
func (l list) place(at whereabouts) whereabouts {
	for _, s := range l {
		var after outcomes
		for _, p := range s.pipelines {
			switch p.operator {
			case "&&":
				ends := p.place(after.success)
				after = outcomes{ends.success, either(after.failure, ends.failure)}
			case "||":
				ends := p.place(after.failure)
				after = outcomes{either(after.success, ends.success), ends.failure}
			default:
				after = p.place(at)
			}
		}
		if !s.background { // else it is a shell of its own
			at = either(after.success, after.failure)
		}
	}
	return at
}

func (p pipeline) place(at whereabouts) outcomes {
	if len(p.parts) > 1 { // each is a shell of its own; in some shells the last is not
		after := same(at)
		for i, part := range p.parts {
			if ends := part.place(at); i == len(p.parts)-1 && ends != after {
				after = same(whereabouts{lost: true})
			}
		}
		return after
	}
	after := p.parts[0].place(at)
	if p.negated {
		after.success, after.failure = after.failure, after.success
	}
	return after
}

func (p part) place(at whereabouts) outcomes {
	if p.simple != nil {
		p.simple.runs = at
		return p.simple.leads(at)
	}
	switch c := p.compound; c.words[0] {
	case "(":
		c.lists[0].place(at)
		return same(at)
	case "{":
		after := c.lists[0].place(at)
		return outcomes{after, either(after, at)} // a redirection may fail
	default: // conditions, and loops that may repeat
		after := at
		for _, inner := range c.lists {
			after = either(after, inner.place(at))
		}
		if after != at {
			for _, inner := range c.lists {
				inner.place(after)
			}
		}
		return same(after)
	}
}

// leads is the folder after a command.
func (s simple) leads(at whereabouts) outcomes {
	switch s.words[0] {
	case "cd":
		if len(s.words) == 2 && s.words[1] != "" && s.words[1][0] != '-' {
			dir := s.words[1]
			if !path.IsAbs(dir) {
				dir = path.Join(at.dir, dir) // cd resolves .. by names, too
			}
			if dir == "." {
				dir = ""
			}
			return outcomes{whereabouts{dir: dir, lost: at.lost && !path.IsAbs(dir)}, at}
		}
	case "exit":
		return same(whereabouts{never: true})
	case "chdir", "pushd", "popd":
	default:
		return same(at)
	}
	return same(whereabouts{lost: true})
}
