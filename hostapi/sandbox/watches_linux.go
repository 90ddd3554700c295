package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The kernel limits the watches of folders (inotify) of each user.
// One command could take all, and neither the user's editors nor
// another holder would learn of changes.

// shareOfWatches is the part of the user's limit that a box has, its holder included:
// one in so many.
const shareOfWatches = 8

// Ordinary programs need at least these.
const (
	fewestWatchers = 8
	fewestWatches  = 1024
)

// boundWatches bounds them for a whole box, in its own user namespace; commands of root
// have none. It must run before /proc is read-only.
func (r *room) boundWatches() error {
	if !r.spaces.User {
		return nil
	}
	for _, c := range []struct {
		of, in string
		fewest int
	}{
		{"fs/inotify/max_user_instances", "user/max_inotify_instances", fewestWatchers},
		{"fs/inotify/max_user_watches", "user/max_inotify_watches", fewestWatches},
	} {
		text, err := os.ReadFile("/proc/sys/" + c.of)
		if err != nil {
			return err
		}
		most, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return fmt.Errorf("/proc/sys/%s: %w", c.of, err)
		}
		if err := os.WriteFile("/proc/sys/"+c.in, []byte(strconv.Itoa(max(most/shareOfWatches, c.fewest))), 0); err != nil {
			return err
		}
	}
	return nil
}
