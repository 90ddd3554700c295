package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// The choices in the form that a person gets.
const (
	answerKey = "answer"
	answerYes = "yes"
	answerRun = "yes, for all of this run"
	answerNo  = "no"
)

// approver asks the person behind a client.
type approver struct {
	session *mcp.ServerSession
	tool    string
	atMost  time.Duration // for all questions of the run
	asking  *hall
	of      claimant
}

// maxAsking and maxAskingOfAll limit how many runs may wait for a person at once, per
// session and in all: each keeps its place and its worker meanwhile.
const maxAsking, maxAskingOfAll = 4, 16

// approverFor returns the approver of a run's calls; nil where the client cannot ask a
// person, or cannot do so during a call, as in later versions of the protocol.
func (s *Server) approverFor(request *mcp.CallToolRequest, tool string, of claimant) hostapi.Approver {
	if !canAsk(request) || !mayAskNow(request) {
		return nil
	}
	return &approver{asking: s.asking, of: of, session: request.Session, tool: tool, atMost: s.askTimeOf(request.Extra)}
}

// Approve implements [hostapi.Approver].
func (a *approver) Approve(ctx context.Context, q hostapi.Question) (hostapi.Answer, error) {
	place := a.asking.try(a.of, 1, nil)
	if place == nil {
		return hostapi.AnswerNo, errors.New("too many runs are waiting for a person; try again when some have been answered")
	}
	defer place.shrink(0)
	if a.atMost <= 0 {
		return hostapi.AnswerNo, errors.New("the run has used up its time to wait for a person")
	}
	began := time.Now()
	defer func() { a.atMost -= time.Since(began) }()
	choices := []string{answerYes, answerNo}
	if !q.Once {
		choices = []string{answerYes, answerRun, answerNo}
	}
	result, err := ask(ctx, a.session, &mcp.ElicitParams{
		Message: a.message(q),
		RequestedSchema: map[string]any{
			"type": "object", "required": []string{answerKey},
			"properties": map[string]any{answerKey: map[string]any{"type": "string", "title": "May it be done?", "enum": choices}},
		},
	}, a.atMost)
	switch {
	case err != nil:
		return hostapi.AnswerNo, err
	case result.Action != "accept":
		return hostapi.AnswerNo, nil
	}
	switch result.Content[answerKey] {
	case answerYes:
		return hostapi.AnswerOnce, nil
	case answerRun:
		return hostapi.AnswerRun, nil
	case answerNo:
		return hostapi.AnswerNo, nil
	}
	return hostapi.AnswerNo, errors.New("the client answered with none of the choices offered")
}

// maxMessage limits the preview of a call that a client is sent, in bytes.
const maxMessage = 16 << 10

// message is the question as text.
func (a *approver) message(q hostapi.Question) string {
	var b strings.Builder
	at := ""
	if q.Call.Site != "" {
		at = ", at " + q.Call.Site
	}
	switch {
	case q.Call.Tool == hostapi.ToolApprove:
		fmt.Fprintf(&b, "The tool %s asks%s: %s", a.tool, at, q.Text)
	case q.Call.Operation != "":
		fmt.Fprintf(&b, "May the tool %s write to what %s%s has started?", a.tool, q.Call.Tool, at)
	default:
		fmt.Fprintf(&b, "May the tool %s call %s%s?", a.tool, q.Call.Tool, at)
	}
	if because := q.Because(); because != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimSuffix(because, "\n"))
	}
	if q.Once && q.Call.Tool != hostapi.ToolApprove { // it says why
		fmt.Fprintf(&b, "\n%s", q.Text)
	}
	fmt.Fprintf(&b, "\n\n%s", clip.Warned(q.Preview, maxMessage))
	// No line of a script can look like the first one.
	return strings.ReplaceAll(plain.Text(b.String()), "\n", "\n| ")
}
