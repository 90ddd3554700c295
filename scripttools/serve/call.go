package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// call runs a tool for a client.
func (s *Server) call(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, ctx := request.Params.Name, traced(ctx, request.Params.Meta)
	if token, ok := request.Params.GetProgressToken().(string); ok && len(token) > maxID { // every notification repeats it
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("a progress token has at most %d bytes", maxID)}
	}
	inputs, asked, err := answered(request)
	if err != nil {
		return nil, err
	}
	if escape, found := halfPair(inputs); found {
		return failed("invalid_input: the arguments hold " + escape + ", half of a surrogate pair, which is no character; send whole characters"), nil
	}
	session, err := s.session(ctx, request.Session, request.Extra)
	if err != nil {
		s.log.Error("a session has no workspace", "error", err)
		return failed("the host could not make a workspace for this session; try again later"), nil
	}
	ctx, done := during(ctx, session.ctx, s.callers.request(request.Extra))
	defer done()
	if s.reads(name) {
		return s.readPart(ctx, session, request)
	}
	observed := observe(ctx, request)
	defer observed.close()
	if question := s.missingOf(request, inputs); question != nil && asked == notAsked {
		if !mayAskNow(request) {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{questionKey: question}}, nil
		}
		// Meanwhile the server holds nothing but the request itself.
		given := inputs
		if inputs, asked, err = askFor(ctx, request.Session, question, given, s.askTimeOf(request.Extra)); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return failed("invalid_input: " + question.Message + " A person was asked, and that failed: " + err.Error() + "; give it as an argument"), nil
		}
		if escape, found := halfPair(inputs); found {
			return failed("invalid_input: the answer holds " + escape + ", half of a surrogate pair, which is no character"), nil
		}
	}
	place, err := s.runs.take(ctx, session.claimant, 1, nil)
	if err != nil {
		return nil, err
	}
	defer place.shrink(0)
	began := time.Now()
	arguments, err := s.mayCheck(ctx, session, s.limitsOf(name), inputs)
	if errors.Is(err, errBusy) {
		return failed("busy: " + err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	defer arguments.shrink(0)
	returned := value{in: s.answers.returned, of: session.claimant}
	defer func() { returned.taken.shrink(0) }()
	options := scripttools.RunOptions{Limits: s.options.Limits, LimitsFrom: limitsFrom, Tools: session.registry, Observer: observed.observer(name), Approver: s.approverFor(request, name, session.claimant), Room: returned.take, Began: began, Checked: func() { arguments.shrink(0) }, Caller: clientName(request)}

	var report *runtime.Report
	var advise func() advice
	var spec *scripttools.ScriptToolSpec
	offered := s.current.Load()
	switch {
	case name == evalName && s.options.Eval != nil:
		var result *mcp.CallToolResult
		if report, result = s.eval(ctx, inputs, options); result != nil {
			return result, s.mayWrite(ctx, session, request.Extra, answerSize(result))
		}
		advise = s.options.Eval.advice
	case s.isDirect(name):
		report = s.direct(ctx, name, inputs, options)
	default:
		if spec, err = offered.catalog.Spec(name); err != nil { // it was gone after the client listed it
			return failed(err.Error() + "; list the tools again"), nil
		}
		advise = func() advice { return adviceFor(spec) }
		report = scripttools.RunSpec(ctx, s.options.Runner, spec, inputs, options)
	}
	var advice advice
	if advise != nil && report.Outcome != runtime.OutcomeOK {
		advice = advise()
	}
	if lacks := missingNames(spec, inputs); len(lacks) > 0 && report.Outcome == runtime.OutcomeInvalidInput {
		advice.inputs = string(asked) + "correct the arguments, and call it again with " + strings.Join(lacks, ", ")
	}
	advice.settings = s.options.Settings
	returned.taken.shrink(int64(len(report.Value)))
	observed.close()
	s.receipts.keep(report, ownerOf(session, request.Extra))
	s.log.Info("run", "run", report.Run, "tool", name, "outcome", report.Outcome, "session", request.Session.ID(), "wall", report.Usage.Wall)
	answer := s.result(report, advice, offered.outputs[name])
	if err := s.mayWrite(ctx, session, request.Extra, answerSize(answer)); err != nil {
		return nil, err
	}
	return answer, nil
}

// limitsFrom names who set the limits of a run, to a model that cannot raise them.
const limitsFrom = "the server's limit"

func raiseLimits(string) string { return limitsFrom }

// limitsOf returns the limits of the tool that a client calls by name.
func (s *Server) limitsOf(name string) runtime.Limits {
	if name == evalName && s.options.Eval != nil {
		return s.options.Eval.Limits.Narrow(s.options.Limits)
	}
	if spec, err := s.current.Load().catalog.Spec(name); err == nil && !s.isDirect(name) {
		return spec.Limits.Narrow(s.options.Limits)
	}
	return runtime.Limits{}.Narrow(s.options.Limits)
}

// asking says how it ended that a person was asked for missing inputs, in words for a model.
type asking string

const (
	notAsked     asking = ""
	askedAndTold asking = "a person was asked and gave an answer; "
	askedInVain  asking = "a person was asked and declined to say it; "
	askedAndLeft asking = "a question was put to a person, and closed without an answer; "
)

// answered returns the arguments of a call, with the answers of a person who was asked.
func answered(request *mcp.CallToolRequest) (inputs json.RawMessage, asked asking, err error) {
	inputs = request.Params.Arguments
	response, ok := request.Params.InputResponses[questionKey]
	if !ok {
		return inputs, notAsked, nil
	}
	answer, ok := response.(*mcp.ElicitResult)
	if !ok {
		return nil, notAsked, errors.New("the response to the elicitation is of another kind")
	}
	return completed(inputs, answer)
}

// completed adds a person's answers to arguments.
func completed(inputs json.RawMessage, answer *mcp.ElicitResult) (json.RawMessage, asking, error) {
	switch answer.Action {
	case "accept":
	case "decline":
		return inputs, askedInVain, nil
	default: // "cancel": nobody may have seen it
		return inputs, askedAndLeft, nil
	}
	merged := map[string]json.RawMessage{}
	if len(inputs) > 0 && json.Unmarshal(inputs, &merged) != nil {
		return inputs, askedAndTold, nil // checking them says what is wrong
	}
	for key, value := range answer.Content {
		if _, given := merged[key]; given {
			continue // a person adds to the model's arguments and changes none
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, notAsked, err
		}
		merged[key] = text
	}
	inputs, err := json.Marshal(merged)
	return inputs, askedAndTold, err
}

// failed is an error result that says what is wrong.
func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
