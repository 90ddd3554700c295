package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of Landlock, as <linux/landlock.h> has them.
const (
	mayRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	mayMakeDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

	// ofFiles are the rights that a file has, as opposed to a directory.
	ofFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockABI is the kernel's version of Landlock; an error if it has none.
func landlockABI() (int, error) {
	abi, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}

// ruleset is a Landlock ruleset that is being written.
type ruleset struct {
	fd      int
	handled uint64
}

// newRuleset handles everything that the kernel's version knows.
func newRuleset(abi int, network bool) (*ruleset, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: mayRead | mayWrite | mayMakeDevices}
	switch { // what older versions do not know
	case abi < 2:
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	case abi < 3:
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	case abi >= 5:
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 4 && !network {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, errno
	}
	return &ruleset{fd: int(fd), handled: attr.Handled_access_fs}, nil
}

// allow grants rights beneath a path. A path that is not there grants nothing.
func (r *ruleset) allow(path string, rights uint64) error { return r.allowBy(path, rights, 0) }

// allowBy is allow of a path that is looked up in some way, as openat2 has it.
func (r *ruleset) allowBy(path string, rights, how uint64) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: how})
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.handled, Parent_fd: int32(fd)}
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}

// restrict puts the ruleset on the calling thread alone.
func restrict(fd int) error {
	_, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// systemFolders are read in every profile. Homes, /run, /var, /mnt and the
// like are not among them.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu", "/snap", "/proc", "/sys",
}

// keysInEtc are entries of /etc with secrets in them.
var keysInEtc = []string{
	"shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "kubernetes", "rancher", "wireguard", "ipsec.secrets", "ppp",
	"NetworkManager", "krb5.keytab", "docker", "letsencrypt", "opasswd", "master.passwd",
}

// devices are opened by ordinary programs; those that take writing lose what
// is written.
var devices = map[string]uint64{
	"/dev/null": unix.LANDLOCK_ACCESS_FS_WRITE_FILE, "/dev/zero": unix.LANDLOCK_ACCESS_FS_WRITE_FILE,
	"/dev/full": unix.LANDLOCK_ACCESS_FS_WRITE_FILE, "/dev/random": 0, "/dev/urandom": 0,
	"/dev/tty": unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
}

// inEtc lists the entries of etc that hold no secrets, one by one: a rule
// cannot leave out what is beneath it.
func inEtc(etc string) (paths []string) {
	entries, _ := os.ReadDir(etc) // what there is of it
	for _, entry := range entries {
		path := filepath.Join(etc, entry.Name())
		switch {
		case slices.Contains(keysInEtc, entry.Name()):
		case entry.Name() == "ssl", entry.Name() == "pki":
			inside, _ := os.ReadDir(path)
			for _, e := range inside {
				if e.Name() != "private" {
					paths = append(paths, filepath.Join(path, e.Name()))
				}
			}
		case entry.Name() == "ssh":
			paths = append(paths, filepath.Join(path, "ssh_config"), filepath.Join(path, "ssh_known_hosts"))
		default:
			paths = append(paths, path)
		}
	}
	return paths
}

// rules are what Landlock lets commands have.
type rules struct {
	abi     int // 0 where there is no Landlock
	network bool
	view    bool     // the root folder is the holder's own
	system  []string // that may be read
	read    []string // with links followed: one that comes later grants nothing
	write   []string // so are these
}

// restrict puts the rules on the calling thread alone, with a folder for
// temporary files of its own.
func (r *rules) restrict(temp string) error {
	set, err := newRuleset(r.abi, r.network)
	if err != nil {
		return err
	}
	defer unix.Close(set.fd)
	for _, path := range r.system {
		if err := set.allow(path, mayRead); err != nil {
			return err
		}
	}
	for _, path := range r.read {
		if err := set.allowBy(path, mayRead, unix.RESOLVE_NO_SYMLINKS); err != nil {
			return err
		}
	}
	if r.view { // names alone, of what is granted and of nothing else
		if err := set.allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return err
		}
		if err := set.allow("/dev/pts", unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil { // of the box alone
			return err
		}
	}
	if err := set.allow(temp, mayRead|mayWrite); err != nil {
		return err
	}
	for _, path := range r.write {
		if err := set.allowBy(path, mayRead|mayWrite, unix.RESOLVE_NO_SYMLINKS); err != nil {
			return err
		}
	}
	for device, rights := range devices {
		if err := set.allow(device, rights|unix.LANDLOCK_ACCESS_FS_READ_FILE); err != nil {
			return err
		}
	}
	return restrict(set.fd)
}

// limitFiles finds out what Landlock can keep.
func (r *room) limitFiles() {
	p := r.policy
	abi, err := landlockABI()
	switch {
	case r.spaces.PID:
		r.has("signals", "a space of process ids", "", "")
	case err == nil && abi >= 6:
		r.has("signals", fmt.Sprintf("Landlock ABI %d", abi), "", "")
	default:
		r.has("signals", "", "a command can signal other processes of the host's user", "use Linux 6.12 or newer")
	}
	if err != nil {
		gap := "a command can read and write all files of the host's user"
		if r.spaces.View {
			gap = ""
		}
		r.has("files", "a view of its own", gap, "use Linux 5.13 or newer with Landlock among its security modules (lsm=landlock,…)")
		return
	}
	listed := newListing(p, p.readable(), r.hangs)
	if place := listed.tooMany(p); place != "" {
		r.has("secrets", "", fmt.Sprintf("%s holds more than %d files and folders: a command that keeps looking sees keys that are replaced there while it runs, until they are covered", place, maxListed),
			"let commands read the folders in it that they need, and not all of it")
	}
	r.rules = rules{
		abi: abi, view: r.spaces.View, network: p.Network.sockets() || p.Refuser,
		system: slices.Concat(systemFolders, inEtc("/etc"), p.network()), read: listed.paths,
	}
	places := p.places()
	for _, path := range append(p.writable(), p.Own) {
		if at, ok := follow(path, r.hangs, places.Hold); ok && path != "" {
			r.rules.write = append(r.rules.write, at)
		}
	}
	if r.names {
		r.rules.system = append(r.rules.system, resolver())
	}
	if r.spaces.View {
		r.rules.write = append(r.rules.write, "/dev/pts", "/dev/shm")
	}
	by := fmt.Sprintf("Landlock ABI %d", abi)
	if r.spaces.View {
		by += ", a view of its own"
	}
	switch {
	case p.Workspace == "/":
		r.has("files", by, "the workspace is all there is", "work in a folder of its own")
	case !r.spaces.View && p.showsHome() != "":
		r.has("files", by, p.showsHome()+" holds the home folder, with the keys in it", "work in a folder of its own, and do not grant the home folder")
	case abi < 3 && !r.spaces.View:
		r.has("files", by, "a command can truncate, and before ABI 2 not move, files of the host's user", "use Linux 6.2 or newer")
	default:
		r.has("files", by, "", "")
	}
}
