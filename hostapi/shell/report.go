package shell

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// data is the structured answer of the tool.
type data struct {
	Stdout         string `json:"stdout"`
	Stderr         string `json:"stderr"`
	ExitCode       int    `json:"exitCode"`
	Signal         string `json:"signal"`
	TimedOut       bool   `json:"timedOut"`
	OOMKilled      bool   `json:"oomKilled,omitempty"`
	Truncated      bool   `json:"truncated"`
	DurationMs     int64  `json:"durationMs"`
	StdoutEncoding string `json:"stdoutEncoding,omitempty"` // "base64" where it is not UTF-8
	StderrEncoding string `json:"stderrEncoding,omitempty"`
	// Refused says what the sandbox kept the command from, a line each with the
	// setting that allows it.
	Refused []string `json:"refused,omitempty"`
}

// metadata is about the answer.
type metadata struct {
	StdoutBytes  int64    `json:"stdoutBytes"`
	StderrBytes  int64    `json:"stderrBytes"`
	DroppedBytes int64    `json:"droppedBytes"`         // of both streams together, that are not in the output; -1 if nobody knows how many
	StdoutFile   string   `json:"stdoutFile,omitempty"` // where all of it is, if it was too much
	StderrFile   string   `json:"stderrFile,omitempty"`
	SpillError   string   `json:"spillError,omitempty"` // why the files are not whole
	Cwd          string   `json:"cwd"`
	Environment  string   `json:"environment,omitempty"`
	WithheldEnv  []string `json:"withheldEnv,omitempty"`
}

// told is how a command ended, without its output. What a result cuts, it says all the same.
func told(status ExitStatus, out Output, command Command, dropped []string, refused []Refusal) hostapi.Result {
	result, note := concluded(status, out, command, dropped, refused)
	if result.Truncated = out.Both.Dropped != 0; result.Truncated {
		return result
	}
	limit, room := roomFor(out, command.Limits, note)
	result.Truncated = !out.Both.fits(room) || !dataOf(status, result).fits(out, limit)
	return result
}

// concluded is told without what is cut, and a note that belongs below the output.
func concluded(status ExitStatus, out Output, command Command, dropped []string, refused []Refusal) (result hostapi.Result, note string) {
	limits := command.Limits
	result = hostapi.Result{
		Metadata: about(out, command.Context, dropped), Spill: cmp.Or(out.Stdout.File, out.Stderr.File),
		ExitCode: status.told(), Signal: status.Signal,
		Bytes: out.Both.Total, Unheard: out.unheard,
	}
	switch {
	case status.Cancelled:
		result.Outcome, note = hostapi.OutcomeCancelled, "cancelled: the run ended first"
	case status.TimedOut:
		result.Outcome, note = hostapi.OutcomeTimeout, fmt.Sprintf("timed out after %v and was ended", limits.Timeout)
		if limits.most > limits.Timeout {
			note += fmt.Sprintf("; timeoutMs gives it more, up to %d", limits.most.Milliseconds())
		}
	case status.Signal != "":
		result.Outcome, note = hostapi.OutcomeSignaled, "ended by "+status.Signal
	case status.ExitCode == 0:
		result.Outcome = hostapi.OutcomeOK
	default:
		result.Outcome = hostapi.OutcomeFailed
	}
	if status.OOMKilled {
		note = strings.TrimPrefix(note+"; the sandbox's memory ran out, and the kernel ended processes in it", "; ")
	}
	if result.Outcome != hostapi.OutcomeOK {
		result.Reason = cmp.Or(clip.Line(note), gitSays(command, out.Stderr), lastLine(out.Stderr), lastLine(out.Both))
	}
	for _, refusal := range refused {
		result.Notes = append(result.Notes, refusal.String())
	}
	if len(refused) > 0 && result.Outcome != hostapi.OutcomeOK {
		note = strings.TrimPrefix(note+"\n"+strings.Join(result.Notes, "\n"), "\n")
	}
	if status.network != nil {
		result.Traffic = &status.network.Traffic
	}
	return result, note
}

// roomFor is the limit of each part of a result, and how much of it a note leaves to the output.
func roomFor(out Output, limits Limits, note string) (limit, room int64) {
	limit = out.limit(limits)
	if note == "" {
		return limit, limit
	}
	return limit, max(limit-int64(len(note))-1, 0)
}

// dataOf is the structured answer without the streams.
func dataOf(status ExitStatus, result hostapi.Result) data {
	return data{
		ExitCode: result.ExitCode, Signal: status.Signal, TimedOut: status.TimedOut, OOMKilled: status.OOMKilled,
		DurationMs: status.Duration.Milliseconds(), Refused: result.Notes,
	}
}

// report is the tool's result for a command that ended, every part of it within the
// limit. files are those of the command.
func report(status ExitStatus, out Output, command Command, dropped []string, refused []Refusal, files *wholeFiles) hostapi.Result {
	limits := command.Limits
	written := files.name(&out)
	result, note := concluded(status, out, command, dropped, refused)
	limit, room := roomFor(out, limits, note)
	d := dataOf(status, result)
	var missing int64
	render := func() {
		var cut bool
		result.Data, cut = encode(d, out, limit)
		result.Output, missing = out.Both.text(room, out.where())
		result.Truncated = cut || missing != 0
	}
	if render(); result.Truncated && out.Both.Dropped == 0 && limits.SpillDir != "" && !written {
		files.write(limits, &out) // all of it was kept, but a result cannot carry it
		result.Spill = cmp.Or(out.Stdout.File, out.Stderr.File)
		render()
	}
	out.Both.Dropped = missing // what the output lacks, and not only what was not kept
	result.Metadata = about(out, command.Context, dropped)
	if note != "" {
		if result.Output != "" && !strings.HasSuffix(result.Output, "\n") {
			result.Output += "\n"
		}
		result.Output = clip.Head(result.Output+note, int(limit))
	}
	return result
}

// about is the metadata of a command's result.
func about(out Output, where ExecContext, dropped []string) json.RawMessage {
	about := metadata{
		StdoutBytes: out.Stdout.Total, StderrBytes: out.Stderr.Total, DroppedBytes: out.Both.Dropped,
		StdoutFile: out.Stdout.File, StderrFile: out.Stderr.File, Cwd: where.Cwd(), Environment: where.Name(), WithheldEnv: dropped,
	}
	if out.SpillErr != nil {
		about.SpillError = out.SpillErr.Error()
	}
	raw, _ := json.Marshal(about)
	return raw
}

// lastLine is the last line of a stream, which says best why a command failed.
func lastLine(c Captured) string {
	lines := lastLines(c)
	return lines[strings.LastIndexByte(lines, '\n')+1:]
}

func lastLines(c Captured) string {
	const most = 4 << 10
	kept := c.bytes()
	return strings.TrimSpace(strings.ToValidUTF8(string(kept[max(len(kept)-most, 0):]), "\uFFFD"))
}

// gitSays is the line in which git says why it failed, before its advice and its usage; empty if
// there is none.
func gitSays(command Command, stderr Captured) (line string) {
	if !strings.Contains(command.Line, "git") && !slices.Contains(command.Argv, "git") {
		return ""
	}
	for text := range strings.Lines(lastLines(stderr)) {
		switch text = strings.TrimSpace(text); {
		case strings.HasPrefix(text, "fatal: "):
			line = text
		case strings.HasPrefix(text, "error: ") && line == "":
			line = text
		}
	}
	return line
}

// told is the exit code that a script gets: -1 for what did not finish, whatever code it ended with.
func (s ExitStatus) told() int {
	if s.Cancelled || s.TimedOut {
		return -1
	}
	return s.ExitCode
}

// room is how much of limit the text of both streams together may have.
func (d data) room(limit int64) int64 {
	shape, _ := marshal(d)
	return max(limit-max(clip.JSONSize(shape)-clip.Shape, 0), 0)
}

// encode is data with at most limit bytes of text in both streams together.
func encode(d data, out Output, limit int64) (encoded json.RawMessage, cut bool) {
	room := d.room(limit)
	var missing [2]int64
	// What one stream does not need is the other's.
	half := room / 2
	d.Stdout, d.StdoutEncoding, missing[0] = out.Stdout.encoded(max(half, room-out.Stderr.Total), "")
	d.Stderr, d.StderrEncoding, missing[1] = out.Stderr.encoded(max(half, room-int64(len(d.Stdout))), "")
	d.Truncated = missing != [2]int64{}
	encoded, _ = marshal(d)
	return encoded, d.Truncated
}

// fits reports whether encode cuts nothing.
func (d data) fits(out Output, limit int64) bool {
	room := d.room(limit)
	half := room / 2
	first, whole := out.Stdout.encodes(max(half, room-out.Stderr.Total))
	if !whole {
		return false
	}
	_, whole = out.Stderr.encodes(max(half, room-first))
	return whole
}

// marshal is json.Marshal without escapes for HTML.
func marshal(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}

// encoded is a stream as text of at most limit bytes, with words on where all of it is,
// and the number of bytes that are missing, below zero where nobody knows. What is not
// UTF-8 comes as base64: when it is cut only its beginning, or where that was not kept,
// its end.
func (c Captured) encoded(limit int64, where string) (text, encoding string, missing int64) {
	if c.valid() {
		if where == "" && c.File != "" {
			where = "; all of it is in " + c.File
		}
		text, missing = c.text(limit, where)
		return text, "", missing
	}
	most := int(limit / 4 * 3)
	raw := c.Head
	switch {
	case c.Dropped == 0:
		raw = c.bytes()
		raw = raw[:min(len(raw), most)]
	case len(raw) == 0:
		raw = c.Tail[max(len(c.Tail)-most, 0):]
	default:
		raw = raw[:min(len(raw), most)]
	}
	return base64.StdEncoding.EncodeToString(raw), "base64", c.without(len(raw))
}

// encodes is how long the text of encoded is where nothing is missing, and whether that is so.
func (c Captured) encodes(limit int64) (length int64, whole bool) {
	kept := len(c.Head) + len(c.Tail)
	if c.valid() {
		return int64(kept), c.fits(limit)
	}
	return int64(base64.StdEncoding.EncodedLen(kept)), c.Dropped == 0 && int64(kept) <= limit/4*3
}

// notStarted is the result of a command that never ran.
func notStarted(err error) hostapi.Result {
	return hostapi.Result{Outcome: hostapi.OutcomeNotStarted, ExitCode: -1, Output: err.Error()}
}
