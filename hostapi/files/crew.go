package files

import (
	"context"
	goruntime "runtime"
	"sync"
)

// crew is the goroutines that search the files of one grep. What they find is taken in the
// order in which the files came.
type crew struct {
	grepping *grepping
	ctx      context.Context
	cancel   context.CancelFunc
	work     chan *batch
	running  sync.WaitGroup
	workers  int

	next  *batch   // that files go into
	under []*batch // way, the oldest first
}

// batch is some files that one goroutine searches.
type batch struct {
	files []walked
	found []foundIn
	full  bool // more than is kept was found, and the files after that were not searched
	err   error
	done  chan struct{}
}

// batchFiles is how many files a batch has at most, each of which holds its folder open, and
// mostWorkers how many goroutines search, each of which holds a file.
const batchFiles, mostWorkers = 16, 8

// foundIn is what was found in a file.
type foundIn struct {
	path   string
	deep   int // as of walked
	hits   []hit
	count  int
	binary bool
	utf16  bool // and that
	err    error
}

// hire starts the crew. The caller must call dismiss.
func (g *grepping) hire(ctx context.Context) *crew {
	c := &crew{grepping: g, workers: min(goruntime.GOMAXPROCS(0), mostWorkers), next: &batch{}}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.work = make(chan *batch, 4*c.workers)
	for range c.workers {
		c.running.Go(func() {
			var s searcher
			for b := range c.work {
				s.search(c.ctx, c.grepping, b)
				close(b.done)
			}
		})
	}
	return c
}

// dismiss ends the work and waits for that.
func (c *crew) dismiss() {
	c.cancel()
	close(c.work)
	c.running.Wait()
	c.next.release()
}

// search has a file searched, and takes what was found in earlier ones where too much waits.
func (c *crew) search(file walked) error {
	file.in.keep()
	c.next.files = append(c.next.files, file)
	if len(c.next.files) < batchFiles {
		return nil
	}
	return c.send(2 * c.workers)
}

// send has a batch searched, and waits until at most most are under way.
func (c *crew) send(most int) error {
	c.next.done = make(chan struct{})
	c.under = append(c.under, c.next)
	c.work <- c.next
	c.next = &batch{}
	for len(c.under) > most {
		b := c.under[0]
		c.under = c.under[1:]
		<-b.done
		if err := c.take(b); err != nil {
			return err
		}
	}
	return nil
}

// finish takes the rest.
func (c *crew) finish() error { return c.send(0) }

func (c *crew) take(b *batch) error {
	if b.err != nil {
		return b.err
	}
	for _, f := range b.found {
		if err := c.grepping.take(f); err != nil {
			return err
		}
	}
	if b.full { // and what filled it did not fill the list
		c.grepping.list.more, c.grepping.list.short = true, true
		return errEnough
	}
	return nil
}

// release lets go of the folders of what was not searched.
func (b *batch) release() {
	for _, file := range b.files {
		file.in.release()
	}
	b.files = nil
}

// searcher searches one file after the other.
type searcher struct {
	text []byte // is used again
}

func (s *searcher) search(ctx context.Context, g *grepping, b *batch) {
	defer b.release()
	kept, size := 0, 0
	for _, file := range b.files {
		if b.err = ctx.Err(); b.err != nil {
			return
		}
		f := foundIn{path: file.path, deep: file.deep}
		var err error
		s.text, err = file.in.content(file.name, file.path, s.text, maxSearched)
		switch {
		case err != nil:
			f.err = err
		case isBinary(s.text):
			f.binary, f.utf16 = true, isUTF16(s.text)
			if file.path == g.file {
				f.err = binaryError(file.path, int64(len(s.text)), "grep")
			}
		default:
			err = g.matcher.lines(ctx, s.text, func(number, at, end int) bool {
				f.count++
				switch g.mode {
				case "files_with_matches":
					return false
				case "count", "summary":
					return true
				}
				if file.path == g.from.path && number <= g.from.line {
					return true
				}
				h := hit{Line: number, Text: lineText(s.text[at:end])}
				if g.context > 0 {
					h.Before, h.After = around(s.text, at, end, g.context)
				}
				kept, size = kept+1, size+h.size()
				f.hits = append(f.hits, h)
				b.full = kept > g.list.wanted || size > maxShown
				return !b.full
			})
			if b.err = err; err != nil {
				return
			}
		}
		if b.found = append(b.found, f); b.full {
			return
		}
	}
}

func (h *hit) size() int {
	n := len(h.Text)
	for _, around := range [][]string{h.Before, h.After} {
		for _, line := range around {
			n += len(line)
		}
	}
	return n
}
