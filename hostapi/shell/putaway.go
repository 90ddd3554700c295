package shell

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// putAways report files that came while commands ran. One line reports all that a setting
// allows and that are in one place now. It does not say who made them: it may have been a
// person.
func putAways(all []protect.Away) (out []Refusal) {
	told := func(a protect.Away) bool { return a.Name() != "" && a.To != "" && !a.Whole && !a.Kept && !a.Loose }
	together := map[string][]protect.Away{}
	for _, a := range all {
		if told(a) {
			together[filepath.Dir(a.To)] = append(together[filepath.Dir(a.To)], a)
		}
	}
	for _, a := range all {
		if some := together[filepath.Dir(a.To)]; !told(a) || len(some) < 2 {
			out = append(out, putAway(a))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(together)) {
		if some := together[at]; len(some) > 1 {
			out = append(out, severalPutAway(some))
		}
	}
	return out
}

// putAway reports one of them, or another finding of a guard.
func putAway(a protect.Away) Refusal {
	path := named(a.Path)
	switch {
	case a.Whole && a.Name() != "":
		return Refusal{What: fmt.Sprintf("to keep each protected path by itself, and keeps %s read-only as a whole: %s; to write in a repository there, give its folder as cwd", path, a.Reason)}.adding(keyUnprotect, a.Name())
	case a.Whole:
		return Refusal{What: fmt.Sprintf("to keep each protected path by itself, and keeps %s read-only as a whole: %s; move repositories of it to where commands do not write", path, a.Reason)}
	case a.Kept && a.Err != nil:
		return Refusal{What: fmt.Sprintf("to rely on %s, which could not be read (%v): %s; what it leads to may have been written, look at it before you go on", path, worded(a.Err), a.Reason)}
	case a.Kept:
		return Refusal{What: fmt.Sprintf("to take %s for unchanged, which was replaced while commands ran: %s; look at it before you go on", path, a.Reason)}
	}
	what := fmt.Sprintf("%s, which came while a command ran: %s; it is packed now, and tar -C / -xf %s puts it back", path, a.Reason, pasted(a.To)) + leftBy([]protect.Away{a})
	switch {
	case a.Loose:
		what = fmt.Sprintf("%s, which came while a command ran: %s; it is in %s now, as it was, since it could not be packed: run nothing in there", path, a.Reason, named(a.To)) + leftBy([]protect.Away{a})
	case a.To == "":
		what = fmt.Sprintf("%s, which came while a command ran: %s; it is still there, look at it before you go on (%v)", path, a.Reason, worded(a.Err))
	}
	if a.Name() == "" { // no setting allows it
		return Refusal{What: what}
	}
	return Refusal{What: what}.adding(keyUnprotect, a.Name())
}

// severalPutAway reports several at once.
func severalPutAway(some []protect.Away) Refusal {
	slices.SortFunc(some, func(a, b protect.Away) int { return strings.Compare(a.Path, b.Path) })
	var paths, entries []string
	for _, a := range some {
		paths = append(paths, a.Path)
		if a.Name() != "" && !slices.Contains(entries, a.Name()) {
			entries = append(entries, a.Name())
		}
	}
	what := fmt.Sprintf("%s, which came while a command ran: programs outside run what they name; they are packed in %s now, and tar -C / -xf FILE puts one back", someOf(paths), named(filepath.Dir(some[0].To)))
	return Refusal{What: what + leftBy(some)}.adding(keyUnprotect, entries...)
}

// leftBy says what is left where files were put away, and what git shows.
func leftBy(some []protect.Away) (text string) {
	var back, deleted []string
	dropped := 0
	for _, a := range some {
		dropped += a.Dropped
		switch {
		case a.Back:
			back = append(back, a.Path)
		case a.Deleted != "" && !slices.Contains(deleted, a.Deleted):
			deleted = append(deleted, a.Deleted)
		}
	}
	switch {
	case len(back) > 0 && len(some) == 1:
		text += "; it is back as it was before"
	case len(back) > 0:
		text += "; put back as before: " + someOf(back)
	}
	if len(some) == 1 && some[0].Rest {
		text += "; the rest of its settings stays"
	}
	if len(deleted) > 0 {
		where := ""
		if len(deleted) > 1 || deleted[0] != "." {
			where = " in " + someOf(deleted)
		}
		text += "; git now shows " + pronoun(some) + " as deleted" + where + ": do not commit that"
	}
	if dropped > 0 {
		text += fmt.Sprintf("; the trash is full, so its oldest went for good: %d", dropped)
	}
	return text
}

func pronoun(some []protect.Away) string {
	if len(some) == 1 {
		return "it"
	}
	return "files of these"
}

// Untold takes what nobody was told of, in words: what commands left in the workspace whose
// run had ended before them. The next command there tells of what was not taken.
func (t *Tool) Untold() (lines []string) {
	where, _, err := t.resolve(arguments{})
	if err != nil {
		return nil
	}
	confined := t.sandbox(where)
	away := protect.NewGuard(where.root, confined.protected(where.granted().home)).Untold()
	for _, refused := range confined.settled(putAways(away)) {
		lines = append(lines, refused.String())
	}
	return lines
}
