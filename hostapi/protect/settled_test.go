package protect

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestTimesOfWholeSecondsSettleLate: a file system that keeps whole seconds gives a change
// within one of them the same time.
func TestTimesOfWholeSecondsSettleLate(t *testing.T) {
	t.Parallel()
	second := int64(time.Second)
	for _, c := range []struct {
		changed, after int64
		settled        bool
	}{
		{5*second + 1, int64(settleTime) - 1, false},
		{5*second + 1, int64(settleTime), true},
		{5 * second, second, false},
		{5 * second, 2 * second, false},
		{5 * second, 2*second + int64(settleTime), true},
		{0, 9 * second, false},
	} {
		at := time.Unix(0, c.changed+c.after)
		id := fileID{changed: c.changed}
		read := seekRead{id: id, at: at}
		listed := listing{id: id, at: at, whole: true}
		if id.settled(at) != c.settled || read.holds(id) != c.settled || listed.holds(id) != c.settled {
			t.Errorf("%+v: %v %v %v", c, id.settled(at), read.holds(id), listed.holds(id))
		}
	}
	if id := (fileID{changed: 5 * second}); id.latest() < 7*second {
		t.Error("a command that began in that second may have made it")
	}
}

// TestALookThatIsTornDoesNotHold: a name that appears, goes or is replaced during a look is
// looked at again, whatever is there in the end.
func TestALookThatIsTornDoesNotHold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, path := range []string{a, b} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := func(path string) os.FileInfo {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for name, c := range map[string]struct {
		path string
		saw  os.FileInfo
		torn bool
		hold bool
	}{
		"what it was":         {a, seen(a), false, true},
		"nothing":             {filepath.Join(dir, "c"), nil, false, true},
		"it came":             {a, nil, false, false},
		"it went":             {filepath.Join(dir, "c"), seen(a), true, false},
		"another came for it": {a, seen(b), true, false},
	} {
		w := &ways{there: map[string]noted{}, not: map[string]*lack{}}
		w.note(c.path, c.saw)
		at := time.Now()
		if hold := !w.torn && w.stillHold(at); w.torn != c.torn || hold != c.hold {
			t.Errorf("%s: torn %v, holds %v", name, w.torn, hold)
		}
	}
}

// TestALinkIsKnownByItsTime: a link that is removed and made again may get its number.
func TestALinkIsKnownByItsTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, other := filepath.Join(dir, "link"), filepath.Join(dir, "other")
	turn := func(path, to string) os.FileInfo {
		_ = os.Remove(path) // or it is not there
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	saw := turn(link, "good")
	turn(other, "in between")
	turn(link, "evil")
	w := &ways{there: map[string]noted{}, not: map[string]*lack{}}
	if w.note(link, saw); !w.torn {
		t.Error("it is another link than was seen")
	}
	saw = turn(link, "good")
	w = &ways{there: map[string]noted{}, not: map[string]*lack{}}
	w.note(link, saw)
	at := time.Now().Add(time.Second)
	if w.torn || !w.stillHold(at) {
		t.Error("it is the same")
	}
	if turn(link, "evil"); w.stillHold(at) {
		t.Error("it is another one")
	}
}
