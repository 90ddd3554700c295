package protect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The result of a command names the files that were put away. If the run was over before, they
// are kept in a file beside the trash, and the result of the next command in the
// workspace names them, also of another host.

// untold is an [Away] as that file has it.
type untold struct {
	Away

	Except, Err string
}

// The bounds of the file: entries that are added at once, and bytes.
const (
	mostUntold     = 100
	mostUntoldFile = 1 << 20
)

// Keep keeps what [Visit.Leave] returned for the next visit, because no result named it.
func (v *Visit) Keep(came []Away) {
	g := v.guard
	g.turn <- struct{}{}
	defer g.free()
	g.later(came)
}

func (g *Guard) later(came []Away) {
	if len(came) > 0 && g.keep(came) != nil {
		g.untold = append(g.untold, came...)
	}
}

// Untold returns, and forgets, the files that were put away and that no result has named yet.
func (g *Guard) Untold() []Away {
	g.turn <- struct{}{}
	defer g.free()
	defer func() { g.untold = nil }()
	return slices.Concat(g.untold, g.recall())
}

// untoldFile is the path of the file; empty if there is no trash.
func (g *Guard) untoldFile() string {
	if g.paths.Trash == "" {
		return ""
	}
	return g.trash() + ".untold"
}

// keep adds entries to the file.
func (g *Guard) keep(came []Away) error {
	var lines strings.Builder
	if more := len(came) - mostUntold; more > 0 {
		came = append(slices.Clone(came[:mostUntold]), g.moreAway(fmt.Sprintf("%d more", more)))
	}
	for _, away := range came {
		kept := untold{Away: away, Except: away.except}
		if kept.Path = cutPath(away.Path); away.Err != nil {
			kept.Err = cutPath(away.Err.Error())
		}
		if err := json.NewEncoder(&lines).Encode(kept); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(g.untoldFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(lines.String())
	return errors.Join(err, f.Close())
}

// moreAway stands for what is put away and not told one by one.
func (g *Guard) moreAway(how string) Away {
	return Away{Path: how, To: filepath.Join(g.trash(), "more"), Reason: "programs would run it by themselves"}
}

// cutPath bounds a name that a command chose.
func cutPath(path string) string {
	const most = 500
	if len(path) > most {
		return strings.ToValidUTF8(path[:most], "") + "…"
	}
	return path
}

// recall takes the entries out of the file. If two hosts do so, one gets them.
func (g *Guard) recall() (came []Away) {
	file := g.untoldFile()
	taken := file + half
	if file == "" || os.Rename(file, taken) != nil {
		return nil
	}
	defer func() { _ = os.Remove(taken) }()
	f, err := regular.Open(taken)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostUntoldFile)) // what there is of it
	if len(text) == mostUntoldFile {
		came = append(came, g.moreAway("more than can be told"))
	}
	for line := range strings.Lines(string(text)) {
		var kept untold
		if json.Unmarshal([]byte(line), &kept) != nil {
			continue // the line was cut
		}
		if kept.except = kept.Except; kept.Err != "" {
			kept.Away.Err = errors.New(kept.Err)
		}
		came = append(came, kept.Away)
	}
	return came
}
