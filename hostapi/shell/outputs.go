package shell

import "os"

// The commands of a run may read the files with its cut outputs. That needs another
// box. So it is granted only once there are such files, and not while the run has
// commands in the background in the box before: new commands must find those, by
// their processes and on the loopback network.

// outputsOf is the folder of the run's outputs; empty if there is none to grant.
func outputsOf(command Command) string {
	dir := command.Limits.SpillDir
	if dir == "" || command.Sandbox.off() {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// accompanied reports whether the run has commands in the background that started
// before there were outputs to read.
func (l *Local) accompanied(command Command) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.terminals {
		if t.background && t.outputs == "" && t.limits.SpillDir == command.Limits.SpillDir && !closed(t.done) {
			return true
		}
	}
	return false
}
