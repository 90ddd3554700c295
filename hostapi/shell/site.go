package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
)

// site is what the commands of one [Local] share: a folder for temporary
// files, control groups where there are any, a keeper, and the sandboxes that
// were made ready. It is made for the first command and ends with Close.
type site struct {
	mark   mark
	temp   string
	keeper *keeper
	groups *groups // nil where there are none
	halts  bool    // where there are none: commands are halted to be marked

	processes, hostDeath hostapi.Measure

	starting sync.WaitGroup // commands that are about to be terminals
	running  sync.WaitGroup // terminals that are not cleaned up

	boxes boxes

	mu       sync.Mutex
	free     []*cgroup // nobody is in them
	freeTemp []string  // empty folders, each used by a command before
	serial   int       // of control groups
}

func openSite() (*site, error) {
	keepDescriptors()
	temp, err := os.MkdirTemp("", "scriptrun-")
	if err != nil {
		return nil, fmt.Errorf("a folder for temporary files: %w", err)
	}
	// The paths in rules and in TMPDIR are those that the kernel sees.
	if resolved, err := filepath.EvalSymlinks(temp); err == nil {
		temp = resolved
	}
	s := &site{mark: newMark(), temp: temp}
	groupDir := ""
	if s.groups, s.processes = openGroups(); s.groups != nil {
		groupDir = s.groups.dir
	} else if err := canHalt(); err != nil {
		s.processes.Gap = "a process gets away that a command forks before it is marked, in its first moments (" + err.Error() + ")"
		s.processes.Fix = "let scriptrun write to its control group, or trace its children"
	} else {
		s.halts = true
	}
	s.keeper, err = newKeeper(temp, groupDir, s.mark.text())
	s.hostDeath = hostapi.Measure{Name: "host's death", By: "a keeper process"}
	if err != nil {
		s.hostDeath = hostapi.Measure{
			Name: "host's death", Gap: "if scriptrun is killed, what commands started stays (" + err.Error() + ")", Fix: "see that /bin/sh can be run",
		}
	}
	return s, nil
}

// takeGroup is a control group that nobody is in; nil where there are none.
func (s *site) takeGroup() (*cgroup, error) {
	if s.groups == nil {
		return nil, nil
	}
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		defer s.mu.Unlock()
		var group *cgroup
		group, s.free = s.free[n-1], s.free[:n-1]
		return group, nil
	}
	s.serial++
	name := strconv.Itoa(s.serial)
	s.mu.Unlock()
	return s.groups.add(name)
}

// returnGroup takes a group back, for another command if it is as good as new.
func (s *site) returnGroup(group *cgroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if group.pristine() {
		s.free = append(s.free, group)
		return
	}
	group.close()
}

// takeTemp is an empty folder that no other command uses. Making one costs as
// much as a fifth of a short command, so they are used again.
func (s *site) takeTemp() (string, error) {
	s.mu.Lock()
	if n := len(s.freeTemp); n > 0 {
		defer s.mu.Unlock()
		var temp string
		temp, s.freeTemp = s.freeTemp[n-1], s.freeTemp[:n-1]
		return temp, nil
	}
	s.mu.Unlock()
	return os.MkdirTemp(s.temp, "")
}

// returnTemp removes a command's folder, unless it is as good as new.
func (s *site) returnTemp(temp string) {
	if !emptyFolder(temp) {
		_ = os.RemoveAll(temp) // what cannot be removed goes with the site, or stays
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freeTemp = append(s.freeTemp, temp)
}

// measures are those that all sandboxes share.
func (s *site) measures() []hostapi.Measure { return []hostapi.Measure{s.processes, s.hostDeath} }

// boxFor is a sandbox made ready, to be given back.
func (s *site) boxFor(where ExecContext, sandbox Sandbox) (*readyBox, error) {
	granted := operatorGrants(hostLayer())
	if where.grants != nil {
		granted = *where.grants
	}
	if sandbox.workspace == "" {
		sandbox.workspace = where.Cwd()
	}
	key := sandbox.key() + "\x01" + granted.key() + "\x01" + identity(sandbox.workspace)
	return s.boxes.take(key, func() (*box, error) {
		b, err := newBox(sandbox, s.temp, granted, s.groups != nil)
		if err != nil {
			return nil, err
		}
		if missing := gaps(s.measures()); sandbox.Require && len(missing) > 0 {
			b.close()
			return nil, &SandboxError{Gaps: missing}
		}
		return b, nil
	})
}

// identity tells a folder from another that later has its name.
func identity(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return inode(info)
}

// close ends what the commands shared; none of them may be left.
func (s *site) close() error {
	s.starting.Wait()
	s.running.Wait()
	s.boxes.close()
	if s.groups != nil {
		for _, group := range s.free {
			group.close()
		}
		_ = s.groups.close() // one that is not empty is left to the keeper
	}
	err := os.RemoveAll(s.temp)
	s.keeper.close()
	return err
}
