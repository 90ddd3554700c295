package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/landlock"
	"golang.org/x/sys/unix"
)

// systemFolders can be read in every profile. Homes, /run, /var, /mnt and the like are
// not among them.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu", "/snap", "/proc", "/sys",
}

// keysInEtc are entries of /etc with secrets in them.
var keysInEtc = []string{
	"shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "kubernetes", "rancher", "wireguard", "ipsec.secrets", "ppp",
	"NetworkManager", "krb5.keytab", "docker", "letsencrypt", "opasswd", "master.passwd",
}

// devices are those that ordinary programs open, with their rights besides reading.
var devices = map[string]uint64{
	"/dev/null": unix.LANDLOCK_ACCESS_FS_WRITE_FILE, "/dev/zero": unix.LANDLOCK_ACCESS_FS_WRITE_FILE,
	"/dev/full": unix.LANDLOCK_ACCESS_FS_WRITE_FILE, "/dev/random": 0, "/dev/urandom": 0,
	"/dev/tty": unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
}

// inEtc lists the entries of etc without secrets, one by one: a rule cannot leave out
// anything beneath its path.
func inEtc(etc string) (paths []string) {
	entries, _ := os.ReadDir(etc) // what can be read
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

// rules are what Landlock grants commands.
type rules struct {
	abi     int // 0 where there is no Landlock
	network bool
	view    bool     // the root folder is the holder's own
	system  []string // to read
	read    []string // to read, with links followed: a link that appears later grants nothing
	write   []string // likewise
}

// restrict puts the rules on the calling thread alone, with a folder for temporary
// files of its own.
func (r *rules) restrict(temp string) error {
	set, err := landlock.New(r.abi, r.network)
	if err != nil {
		return err
	}
	defer func() { _ = set.Close() }()
	for _, path := range r.system {
		if err := set.Allow(path, landlock.Read); err != nil {
			return err
		}
	}
	for _, path := range r.read {
		if err := set.AllowDirect(path, landlock.Read); err != nil {
			return err
		}
	}
	if r.view { // to list folders only: the view has nothing that is not granted
		if err := set.Allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return err
		}
		if err := set.Allow("/dev/pts", unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil { // of the box alone
			return err
		}
	}
	if err := set.Allow(temp, landlock.Read|landlock.Write); err != nil {
		return err
	}
	for _, path := range r.write {
		if err := set.AllowDirect(path, landlock.Read|landlock.Write); err != nil {
			return err
		}
	}
	for device, rights := range devices {
		if err := set.Allow(device, rights|unix.LANDLOCK_ACCESS_FS_READ_FILE); err != nil {
			return err
		}
	}
	return set.Restrict()
}

// limitFiles makes the rules and reports what Landlock can enforce.
func (r *room) limitFiles() {
	p := r.policy
	abi, err := landlock.ABI()
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
		r.has("secrets", "", fmt.Sprintf("%s holds more than %d files and folders: a command can read keys that are replaced there while it runs, until they are hidden", place, maxListed),
			"let commands read only the folders in it that they need")
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
		r.has("files", by, "the workspace is the whole file system", "work in a folder of its own")
	case !r.spaces.View && p.showsHome() != "":
		r.has("files", by, p.showsHome()+" holds the home folder, with the keys in it", "work in a folder of its own, and do not grant the home folder")
	case abi < 3 && !r.spaces.View:
		r.has("files", by, "a command can truncate, and before ABI 2 not move, files of the host's user", "use Linux 6.2 or newer")
	default:
		r.has("files", by, "", "")
	}
}
