package sandbox

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
