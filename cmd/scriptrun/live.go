package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
)

// liveEvery is how often the line is drawn, for the first time after as long. Output above
// it is drawn at once, but not again before outputEvery has passed.
const (
	liveEvery   = 100 * time.Millisecond
	outputEvery = 50 * time.Millisecond
)

// liveLine shows on a terminal what a run is doing: how long, how many calls, which
// tool, and above that the output of the script and its commands. If stderr is no
// terminal, it does nothing.
type liveLine struct {
	out   io.Writer
	width func() int

	drawing sync.Mutex // held while something is written, which may take long

	mu      sync.Mutex
	scroll  scroll
	name    string
	began   time.Time
	calls   int
	current []string // tools under way, the latest last
	told    string   // the script's own progress
	timer   *time.Timer
	last    time.Time // when it was drawn
	waiting bool      // for a drawing of new output
	drawn   bool
	over    bool
}

func newLiveLine(e env) *liveLine {
	if !e.terminal {
		return nil
	}
	return &liveLine{out: e.screen, width: e.width, scroll: scroll{page: e.lines}}
}

func (l *liveLine) observer() runtime.Observer {
	if l == nil {
		return runtime.Observer{}
	}
	return runtime.Observer{CallStarted: l.callStarted, CallEnded: l.callEnded, Progressed: l.progressed, CallOutput: l.callOutput, Logged: l.logged}
}

func (l *liveLine) start(name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name, l.began = name, time.Now()
	l.timer = time.AfterFunc(liveEvery, l.draw)
}

func (l *liveLine) callStarted(c hostapi.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.current = append(l.current, c.Tool)
}

func (l *liveLine) callEnded(r hostapi.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, tool := range l.current {
		if tool == r.Tool {
			l.current = append(l.current[:i], l.current[i+1:]...)
			return
		}
	}
}

func (l *liveLine) callOutput(o hostapi.CallOutput) {
	l.mu.Lock()
	defer l.mu.Unlock()
	who := o.Tool
	if l.calls > 1 {
		who = fmt.Sprintf("%s %d", o.Tool, o.Seq)
	}
	l.scroll.output(who, o)
	l.soon()
}

func (l *liveLine) logged(e runtime.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scroll.log(e)
	l.soon()
}

// soon has new output drawn, with l.mu held. What draws is the timer's goroutine: a slow
// terminal delays no run.
func (l *liveLine) soon() {
	if l.timer == nil || l.waiting || l.scroll.empty() {
		return
	}
	l.waiting = true
	l.timer.Reset(time.Until(l.last.Add(outputEvery)))
}

func (l *liveLine) progressed(p runtime.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = plain.Line(p.Message)
	if p.Total > 0 {
		l.told = fmt.Sprintf("%g/%g %s", p.Done, p.Total, l.told)
	}
}

// draw writes the new output, and the line below it. It delays nobody but stop.
func (l *liveLine) draw() {
	l.drawing.Lock()
	defer l.drawing.Unlock()
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	above, line := l.scroll.take(), ""
	l.last, l.waiting = time.Now(), false
	wait := liveEvery - l.last.Sub(l.began)
	if wait <= 0 {
		// A terminal may show a character wider than its class says: it must not wrap
		// the line meanwhile.
		l.drawn, wait, line = true, liveEvery, "\x1b[?7l"+l.line()+"\x1b[?7h"
	}
	l.timer.Reset(wait)
	l.mu.Unlock()
	fmt.Fprintf(l.out, "\r\x1b[K%s%s", above, line)
}

// pause removes the line until the other function is called.
func (l *liveLine) pause() (resume func()) {
	l.drawing.Lock()
	l.mu.Lock()
	above := l.scroll.take()
	l.mu.Unlock()
	fmt.Fprintf(l.out, "\r\x1b[K%s", above)
	return l.drawing.Unlock
}

// line is the line as it is now, with l.mu held.
func (l *liveLine) line() string {
	line := fmt.Sprintf("%s %.1fs", plain.Line(l.name), time.Since(l.began).Seconds())
	if l.calls > 0 {
		line += fmt.Sprintf(" · %d call", l.calls)
		if l.calls > 1 {
			line += "s"
		}
	}
	if n := len(l.current); n > 0 {
		line += " · " + l.current[n-1]
		if n > 1 {
			line += fmt.Sprintf(" and %d more", n-1)
		}
	}
	if l.told != "" {
		line += " · " + l.told
	}
	return columns(line, l.width()-1)
}

// stop removes the line, and writes the remaining output. It reports whether all of the
// console was shown.
func (l *liveLine) stop() (shown bool) {
	if l == nil {
		return false
	}
	l.drawing.Lock()
	defer l.drawing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.scroll.end()
	above := l.scroll.take()
	if l.drawn || above != "" {
		fmt.Fprintf(l.out, "\r\x1b[K%s", above)
	}
	return !l.scroll.logs
}
