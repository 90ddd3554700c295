package sandbox

import (
	"golang.org/x/sys/unix"
)

// A view may show the folder of all temporary folders: in a workspace that holds it, or
// in a place that is granted. An empty folder covers it there, in which only what is
// granted by name is mounted.

// cover covers the folder of all temporary folders at a path of the view, in the tree
// that was taken last, for a place.
func (c *collection) cover(path, place string) {
	c.trees = append(c.trees, looseTree{fd: -1, path: path, pins: above(path, place)})
	c.covered = append(c.covered, path)
}

// coverTemps makes such a cover, which can still be written.
func (t looseTree) coverTemps(root string) error { return coverWith(root, t.path, t.pins) }

// coverWith covers a path with an empty folder; nobody moves the folders pins.
func coverWith(root, path string, pins []string) error {
	for _, dir := range pins {
		if err := pin(root + dir); err != nil {
			return &exposedError{dir, err}
		}
	}
	if err := unix.Mount("tmpfs", root+path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=64k"); err != nil {
		return &exposedError{path, err}
	}
	return nil
}

// readOnly makes such covers read-only.
func readOnly(root string, covers []string) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, path := range covers {
		if err := unix.MountSetattr(unix.AT_FDCWD, root+path, 0, &attr); err != nil {
			return &exposedError{path, err}
		}
	}
	return nil
}
