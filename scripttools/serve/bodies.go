package serve

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// bodies bounds the bytes that the bodies of all of a handler's requests hold together.
// Bodies that announce a small size have a budget of their own. No client has more than
// half of either budget, or the one body that it may always have.
type bodies struct{ small, large budget }

// maxSmallBodies bounds all small bodies together, in bytes.
const maxSmallBodies = 64 << 20

func newBodies(most, mostOfOne int64) *bodies {
	small := min(most, maxSmallBodies)
	return &bodies{
		small: budget{most: small, mostOfClient: max(small/2, smallBody), clients: map[string]int64{}},
		large: budget{most: most, mostOfClient: max(most/2, mostOfOne+1), clients: map[string]int64{}},
	}
}

func (b *bodies) of(r *http.Request) *budget {
	if r.ContentLength >= 0 && r.ContentLength <= smallBody {
		return &b.small
	}
	return &b.large
}

// budget is a number of bytes that clients share.
type budget struct {
	most, mostOfClient int64

	mu      sync.Mutex
	held    int64
	clients map[string]int64
}

var errManyBodies = errors.New("the requests of all clients, or of this one, are too large together; try again later")

// room reports whether size bytes could be taken now.
func (b *budget) room(client string, size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fits(client, size)
}

// fits is called with mu held.
func (b *budget) fits(client string, size int64) bool {
	return b.held+size <= b.most && b.clients[client]+size <= b.mostOfClient
}

func (b *budget) take(client string, size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.fits(client, size) {
		return false
	}
	b.count(client, size)
	return true
}

func (b *budget) leave(client string, size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count(client, -size)
}

// count is called with mu held.
func (b *budget) count(client string, more int64) {
	b.held += more
	if b.clients[client] += more; b.clients[client] == 0 {
		delete(b.clients, client)
	}
}

// A body is read in pieces, each twice as large as the one before, up to lastPiece.
const (
	firstPiece = 16 << 10
	lastPiece  = 1 << 20
)

// read reads a body of at most most bytes. It allocates memory as the body arrives,
// whatever size was announced. The caller gives held back, after an error too.
func (b *budget) read(r *http.Request, most int64) (body []byte, held int64, err error) {
	client := who(r)
	if r.ContentLength > most {
		return nil, 0, &http.MaxBytesError{Limit: most}
	}
	if !b.room(client, max(r.ContentLength, 0)) {
		return nil, 0, errManyBodies
	}
	left := most + 1 // one byte over the bound
	if r.ContentLength >= 0 {
		left = r.ContentLength + 1 // one more, to see the end
	}
	var pieces [][]byte
	for size := min(firstPiece, left); left > 0; size = min(2*size, lastPiece, left) {
		if !b.take(client, size) {
			return nil, held, errManyBodies
		}
		held += size
		left -= size
		piece, ended, err := readPieceOf(r.Body, size)
		if err != nil {
			return nil, held, err
		}
		if ended && pieces == nil {
			return piece, held, nil
		}
		pieces = append(pieces, piece)
		if ended {
			return slices.Concat(pieces...), held, nil
		}
	}
	return nil, held, &http.MaxBytesError{Limit: most}
}

// readPieceOf reads size bytes, or fewer if the body ends.
func readPieceOf(body io.Reader, size int64) (piece []byte, ended bool, err error) {
	piece = make([]byte, size)
	for n := 0; n < len(piece); {
		more, err := body.Read(piece[n:])
		n += more
		if errors.Is(err, io.EOF) {
			return piece[:n], true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return piece, false, nil
}

// handedOver is a body whose memory is released once it has been read.
type handedOver struct{ rest []byte }

// Read implements [io.Reader].
func (h *handedOver) Read(p []byte) (int, error) {
	if len(h.rest) == 0 {
		h.rest = nil
		return 0, io.EOF
	}
	n := copy(p, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// Close implements [io.Closer].
func (h *handedOver) Close() error {
	h.rest = nil
	return nil
}

const (
	// pause is how long a client may take to send another pace bytes.
	pause = 5 * time.Second
	pace  = 64 << 10
)

// hurry gives up on a client that sends its body too slowly. It does not limit the
// answer's time.
func hurry(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &hurriedBody{ReadCloser: r.Body, last: time.Now().Add(limit), control: http.NewResponseController(w)}
	if b.extend() == nil {
		r.Body = b
	}
}

// hurriedBody must arrive at a pace, and be complete by last.
type hurriedBody struct {
	io.ReadCloser
	last    time.Time
	come    int // bytes since the deadline was extended
	control *http.ResponseController
}

func (b *hurriedBody) extend() error {
	b.come = 0
	next := time.Now().Add(pause)
	if next.After(b.last) {
		next = b.last
	}
	return b.control.SetReadDeadline(next)
}

// Read implements [io.Reader].
func (b *hurriedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.come += n
	switch {
	case errors.Is(err, io.EOF):
		_ = b.control.SetReadDeadline(time.Time{})
	case b.come >= pace:
		_ = b.extend()
	}
	return n, err
}
