package sandbox

import "github.com/scriptrun/scriptrun/hostapi"

// OpenWithoutPID is [Open] where there is no space of process ids to be had.
func OpenWithoutPID(policy Policy) (*Box, error) {
	less := attempts(policy)[0]
	less.PID = false
	return openIn(policy, less)
}

// OpenWithoutSpaces is [Open] where there are no namespaces to be had.
func OpenWithoutSpaces(policy Policy) (*Box, error) { return openIn(policy, spaces{}) }

func openIn(policy Policy, which spaces) (*Box, error) {
	return openWith(policy, func(policy Policy, temp string) (holder, []hostapi.Measure, error) {
		return openHolderIn(policy, temp, []spaces{which})
	})
}

// EmptyFolder is what cleans up after commands.
var EmptyFolder = emptyFolder

// SweepControlGroups is what removes the groups of killed hosts.
var SweepControlGroups = sweepGroups

// ControlGroupParents are the groups in which those of boxes are made.
func ControlGroupParents() []string {
	return ParentsOfControlGroups("/proc/self/cgroup", "/proc/self/mountinfo")
}

// ParentsOfControlGroups are those that these files tell of.
func ParentsOfControlGroups(groups, mounts string) (parents []string) {
	found, _ := findHierarchies(groups, mounts) // none is no error here
	for _, h := range found {
		parents = append(parents, h.parents()...)
	}
	return parents
}

// Watching is a watch of folders: quiet until something changes in one.
func Watching(folders ...string) (quiet func() bool, stop func(), err error) {
	w, err := newWatch(folders)
	if err != nil {
		return nil, nil, err
	}
	return w.quiet, w.close, nil
}
