package files

import "sync/atomic"

// held is an open folder that several have. The last one closes it.
type held struct {
	folder

	by atomic.Int32
}

func hold(d folder) *held {
	h := &held{folder: d}
	h.by.Store(1)
	return h
}

func (h *held) keep() *held {
	h.by.Add(1)
	return h
}

func (h *held) release() {
	if h.by.Add(-1) == 0 {
		h.close()
	}
}
