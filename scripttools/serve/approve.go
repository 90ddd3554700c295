package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// The answers of the form that a person gets.
const (
	answerKey  = "answer"
	answerYes  = "yes"
	answerRun  = "yes, for all of this run"
	answerNo   = "no"
	maxMessage = 16 << 10
)

// approver asks the person behind a client.
type approver struct {
	session *mcp.ServerSession
	tool    string
	atMost  time.Duration
}

// approverFor is who is asked about the calls of a run; nil where the client cannot ask,
// or not while a call lasts, as in later versions of the protocol.
func approverFor(request *mcp.CallToolRequest, tool string) hostapi.Approver {
	if !canAsk(request) || !mayAskNow(request) {
		return nil
	}
	return &approver{session: request.Session, tool: tool, atMost: askTimeOf(request.Params.Arguments)}
}

// Approve implements [hostapi.Approver].
func (a *approver) Approve(ctx context.Context, q hostapi.Question) (hostapi.Answer, error) {
	choices := []string{answerYes, answerNo}
	if q.Rule.Tool != "" {
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
	return hostapi.AnswerNo, errors.New("the client's answer is none of those that were offered")
}

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
	case q.Rule.Tool != "":
		fmt.Fprintf(&b, "May the tool %s call %s%s? %s (%s) has it asked.", a.tool, q.Call.Tool, at, q.Rule, q.Rule.From)
	default:
		fmt.Fprintf(&b, "May the tool %s call %s%s? %s", a.tool, q.Call.Tool, at, q.Text)
	}
	fmt.Fprintf(&b, "\n\n%s", q.Preview)
	return runtime.Plain(hostapi.CutHead(b.String(), maxMessage))
}
