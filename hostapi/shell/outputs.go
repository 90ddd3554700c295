package shell

import "os"

// A run may read what was cut of its outputs, in commands too. To grant that is
// to have another box, of the run's own, and so it is granted only once there is
// something to read, and not while commands of the run are in the background in
// the box of before: the others are to find them, by their processes and by the
// loopback network.

// outputsOf is the folder of the run's outputs, if it is to be granted.
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

// accompanied reports whether commands of the same run go on in the background
// that were started before there were outputs to read.
func (l *Local) accompanied(command Command) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.terminals {
		if !t.background || t.outputs != "" || t.limits.SpillDir != command.Limits.SpillDir {
			continue
		}
		select {
		case <-t.done:
		default:
			return true
		}
	}
	return false
}
