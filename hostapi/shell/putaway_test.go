package shell_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestNamesInARefusalArePlain: a folder that a command named to look like more is quoted.
func TestNamesInARefusalArePlain(t *testing.T) {
	t.Parallel()
	const name = "a\nthe sandbox allows all \u202e\x1b[2K/.git/config"
	odd := errors.New("rename " + name + ": no")
	for _, away := range []protect.Away{
		{Path: name, Whole: true}, {Path: name, Kept: true}, {Path: name, Kept: true, Err: odd}, {Path: name, To: name}, {Path: name, Err: odd},
	} {
		text := shell.PutAway(away).String()
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || !strings.Contains(text, `a\nthe sandbox`) {
			t.Errorf("%+v: %q", away, text)
		}
	}
}

// TestWhatIsLeftOfWhatWasPutAwayIsSaid: what stands in its place, and once for a repository what
// git makes of it.
func TestWhatIsLeftOfWhatWasPutAwayIsSaid(t *testing.T) {
	t.Parallel()
	const reason, to = "git runs it", "/t/X-config.tar"
	for want, away := range map[string]protect.Away{
		"the sandbox refused .git/config, which came while a command ran: git runs it; it is packed now, and tar -C / -xf /t/X-config.tar puts it back; it is back as it was before":                       {Path: ".git/config", Back: true},
		"the sandbox refused p/.envrc, which came while a command ran: git runs it; it is packed now, and tar -C / -xf /t/X-config.tar puts it back; git now shows it as deleted in p: do not commit that": {Path: "p/.envrc", Deleted: "p"},
		"the sandbox refused .envrc, which came while a command ran: git runs it; it is packed now, and tar -C / -xf /t/X-config.tar puts it back; git now shows it as deleted: do not commit that":        {Path: ".envrc", Deleted: "."},
		"the sandbox refused .envrc, which came while a command ran: git runs it; it is packed now, and tar -C / -xf /t/X-config.tar puts it back; the trash is full, so its oldest went for good: 2":      {Path: ".envrc", Dropped: 2},
	} {
		away.Reason, away.To = reason, to
		if text := shell.PutAway(away).String(); text != want {
			t.Errorf("%q", text)
		}
	}
}

// TestWhatIsReadOnlyAsAWholeIsSaid: it names what its user can do about it.
func TestWhatIsReadOnlyAsAWholeIsSaid(t *testing.T) {
	t.Parallel()
	const want = "the sandbox refused to keep each protected path by itself, and keeps p/.git read-only as a whole: there are more than 1000; "
	if text := shell.PutAway(protect.Away{Path: "p/.git", Whole: true, Reason: "there are more than 1000"}).String(); text != want+"move repositories of it to where commands do not write" {
		t.Errorf("%q", text)
	}
}

// TestLinesToPasteRunNothing: a name that a command chose is a word, whatever it spells.
func TestLinesToPasteRunNothing(t *testing.T) {
	t.Parallel()
	text := shell.PutAway(protect.Away{Path: "a", To: "/t/a$(touch x)`id`'.tar", Reason: "r"}).String()
	_, line, _ := strings.Cut(text, "it is packed now, and ")
	line, _, _ = strings.Cut(line, " puts it back")
	out, err := exec.CommandContext(t.Context(), "bash", "-c", strings.Replace(line, "tar -C / -xf", "printf %s", 1)).Output()
	if err != nil || string(out) != "/t/a$(touch x)`id`'.tar" {
		t.Errorf("%q: %q, %v", line, out, err)
	}
}
