package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
	"golang.org/x/sys/unix"
)

// Host and holder exchange frames, each after its length, with
// descriptors beside them. Both are this program.

// order is a request of the host.
type order struct {
	ID    int64  `json:"id"`              // of the command
	Setup *setup `json:"setup,omitempty"` // the first order, and no other
	// Start starts a command; its streams come as descriptors.
	Start *startOrder `json:"-"`
	// Signal is sent to all of a command; 0 counts.
	Signal *int `json:"signal,omitempty"`
	// Reap forgets a command that has exited.
	Reap bool `json:"reap,omitempty"`
}

// setup is a policy; its paths are apart, because they may have bytes that JSON strings
// cannot hold.
type setup struct {
	Policy                Policy `json:"policy"`
	Workspace, Path, Home []byte
	Own                   []byte
	Read, Write           [][]byte
	Toolchains            [][]byte
	Protect, Pin          [][]byte
	// Temp is the folder of the box for temporary files.
	Temp []byte `json:"temp"`
	// Spaces are the namespaces that the holder started in.
	Spaces spaces `json:"spaces"`
	// MemoryGroup and ProcessGroup say what a control group bounds.
	MemoryGroup, ProcessGroup bool
	// Device and Inode are the workspace as the host knows it.
	Device, Inode uint64
}

// newSetup makes the setup of a policy.
func newSetup(p Policy, temp string) setup {
	s := setup{
		Policy: p, Workspace: []byte(p.Workspace), Path: []byte(p.Path), Home: []byte(p.Home), Own: []byte(p.Own),
		Read: asBytes(p.Read), Write: asBytes(p.Write), Toolchains: asBytes(p.Toolchains), Protect: asBytes(p.Protect), Pin: asBytes(p.Pin), Temp: []byte(temp),
	}
	s.Policy.Workspace, s.Policy.Path, s.Policy.Home, s.Policy.Own, s.Policy.Read, s.Policy.Write, s.Policy.Toolchains, s.Policy.Protect, s.Policy.Pin = "", "", "", "", nil, nil, nil, nil, nil
	return s
}

// policy is the policy of a setup.
func (s setup) policy() Policy {
	p := s.Policy
	p.Workspace, p.Path, p.Home, p.Own = string(s.Workspace), string(s.Path), string(s.Home), string(s.Own)
	p.Read, p.Write, p.Toolchains, p.Protect, p.Pin = asStrings(s.Read), asStrings(s.Write), asStrings(s.Toolchains), asStrings(s.Protect), asStrings(s.Pin)
	return p
}

// startOrder has no NUL in any of its texts.
type startOrder struct {
	Path, Dir string
	Args, Env []string
	// Streams says for stdin, stdout and stderr whether a descriptor comes.
	Streams [3]bool
	// Pty asks for a pseudo-terminal of this size, for all three.
	Pty *Size
}

func asBytes(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, text := range texts {
		out[i] = []byte(text)
	}
	return out
}

func asStrings(texts [][]byte) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = string(text)
	}
	return out
}

// answer is a message of the holder.
type answer struct {
	ID int64 `json:"id"`
	// Ready answers a setup.
	Ready *ready `json:"ready,omitempty"`
	// Started answers a start; our side of a pseudo-terminal comes as a descriptor.
	Started *started `json:"started,omitempty"`
	// Reached answers a signal.
	Reached *int `json:"reached,omitempty"`
	// Exited reports the exit of the first process, unasked, and Ended answers a reap.
	// An exit that left nothing behind has both.
	Exited bool    `json:"exited,omitempty"`
	Ended  *uint32 `json:"ended,omitempty"` // a wait status
	// Failed says, unasked and for no single command, why the holder ends with all of
	// them.
	Failed string `json:"failed,omitempty"`
}

type ready struct {
	Measures []hostapi.Measure `json:"measures"`
	Err      string            `json:"err,omitempty"`
	// Less is why the holder must be started again with fewer namespaces.
	Less string `json:"less,omitempty"`
}

type started struct {
	Errno int    `json:"errno,omitempty"`
	Err   string `json:"err,omitempty"`

	pty *os.File // our side of it; nil for none
}

// maxFrame bounds a frame; arguments and environment take at most some MB.
const maxFrame = 64 << 20

// channel is one end. One goroutine receives; send is safe for concurrent use.
type channel struct {
	file *os.File
	fd   int

	mu       sync.Mutex
	released bool
}

func newChannel(file *os.File) *channel { return &channel{file: file, fd: int(file.Fd())} } // Fd sets it to blocking mode

// send writes a frame; the descriptors go with its first bytes.
func (c *channel) send(frame any, fds ...int) error {
	body, err := encode(frame)
	if err != nil {
		return err
	}
	if len(body) > maxFrame {
		return unix.E2BIG
	}
	data := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.released {
		return unix.EPIPE
	}
	for len(data) > 0 {
		n, err := unix.SendmsgN(c.fd, data, rights, nil, unix.MSG_NOSIGNAL)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		default:
			data, rights = data[n:], nil
		}
	}
	return nil
}

// receive reads a frame and the descriptors that came with it, which the caller closes.
func (c *channel) receive(frame any) (fds []int, err error) {
	var head [4]byte
	if fds, err = c.fill(head[:]); err != nil {
		return fds, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrame {
		return fds, fmt.Errorf("a frame of %d bytes", size)
	}
	body := make([]byte, size)
	more, err := c.fill(body)
	fds = append(fds, more...)
	if err != nil {
		return fds, err
	}
	return fds, decode(body, frame)
}

func (c *channel) fill(into []byte) (fds []int, err error) {
	rights := make([]byte, unix.CmsgSpace(4*4))
	for len(into) > 0 {
		n, oobn, _, _, err := unix.Recvmsg(c.fd, into, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fds, err
		case n == 0:
			return fds, io.EOF
		}
		into = into[n:]
		messages, err := unix.ParseSocketControlMessage(rights[:oobn])
		if err != nil {
			return fds, err
		}
		for _, message := range messages {
			if got, err := unix.ParseUnixRights(&message); err == nil {
				fds = append(fds, got...)
			}
		}
	}
	return fds, nil
}

// shut ends the connection for both ends.
func (c *channel) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.released {
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR)
	}
}

// release closes the descriptor, whose number may be used again: after shut, by the
// goroutine that receives, or if none ever will.
func (c *channel) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = true
	_ = c.file.Close()
}
