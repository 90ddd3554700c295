package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The kernel counts for each user who watches folders (inotify), and refuses more
// beyond a number. One command could take all, and neither the user's editors nor
// another holder would be told of anything.

// shareOfWatches is which part of the user's number a box has, its holder included.
const shareOfWatches = 8

// Fewer than these would keep ordinary programs from watching at all.
const (
	fewestWatchers = 8
	fewestWatches  = 1024
)

// boundWatches bounds them for all of a box, which its own namespace of users counts.
// Commands of root have no such namespace. It is done before /proc is read-only.
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
