package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// Options configure a [Server]. Runner must be set.
type Options struct {
	Runner *runtime.Runner
	// Catalog is offered first; nil means an empty one. It must have been loaded with
	// Runner.
	Catalog *scripttools.Catalog
	// Name and Version are what the server calls itself; empty means "scriptrun" and
	// "0".
	Name, Version string
	// Limits lowers the limits of each run; zero fields lower nothing.
	Limits runtime.Limits
	// Eval offers one more tool, which runs code that the model writes; nil
	// offers none.
	Eval *Eval
	// Direct names host tools that clients may call themselves, such as those of
	// other MCP servers.
	Direct []string
	// SpillDir is where host tools put the whole of outputs that were cut, in a folder
	// for each run, named by its ID. If it is empty, clients cannot fetch such outputs.
	SpillDir string
	// Settings is the file in which the operator can allow what a sandbox refused.
	// Models are told of it when a refusal made a run fail. If it is empty, they are
	// told of no file.
	Settings string
	// MaxResultBytes bounds the text of a result, from [MinResultBytes]: of a longer one a
	// model gets the beginning and the end, and reads the rest with a tool, read_output,
	// which is offered then. A value comes as structured content as well, unless its text
	// was cut and its tool has no output schema. 0 bounds nothing but what the limits of
	// tools bound.
	MaxResultBytes int
	// Ask asks the person behind a client for required inputs that a call lacks, if the
	// client can do so. Many agents say that they can and have no person: leave it false
	// for those, and the model is told what is missing. Calls that a policy asks about are
	// not concerned.
	Ask bool
	// Instructions are told to models, before any call, of the server as a whole; empty
	// means a text of a few sentences about tools, errors and results that are cut.
	Instructions string
	// Workspace makes the host tools of one session; nil means that all sessions share
	// the runner's.
	Workspace Workspace
	// SessionRuns limits how many runs a session has at once; 0 means 32. A client has
	// at most three times as many as are free of all that the runner makes at once.
	// Further runs wait.
	SessionRuns int
	// SessionAnswerBytes bounds the values that runs of one session have returned and
	// that are not being written yet; AnswerBytes bounds those of all sessions. 0 means
	// 64 MiB and 256 MiB. Answers being written have half as much, counted with their
	// text. Over the bound, answers wait, within the time of their runs: the session
	// that holds least is next, and a client that does not read is cut off when others
	// wait.
	SessionAnswerBytes, AnswerBytes int64
	// Logger gets a record of each session, request and catalog; nil logs nothing.
	Logger *slog.Logger
}

// Workspace makes the host tools for the scripts of one session, and a function to call
// when the session has ended. The tools must have the same names as the runner's.
type Workspace func(ctx context.Context, session string) (tools []hostapi.Tool, closing func(), err error)

// Server offers a catalog to clients. It is safe for concurrent use.
type Server struct {
	options  Options
	log      *slog.Logger
	mcp      *mcp.Server
	current  atomic.Pointer[offer]
	receipts receipts
	callers  callers
	answers  answers
	runs     *hall          // a place for each at once
	asking   *hall          // a place for each that waits for a person
	routed   sync.Map       // names of the tools that the library routes here
	leaving  sync.WaitGroup // sessions whose workspaces are not closed yet

	updating sync.Mutex

	mu       sync.Mutex
	sessions map[*mcp.ServerSession]*session
	left     map[*mcp.ServerSession]bool // sessions that nobody waits for
	opened   int64                       // sessions, so far
}

// offer is a catalog as clients see it; it never changes.
type offer struct {
	catalog *scripttools.Catalog
	tools   []*mcp.Tool // sorted by name
	outputs map[string]output
}

// sizeOf estimates the bytes of a list of tools while it is encoded and written.
func sizeOf(tools []*mcp.Tool) (size int64) {
	for _, tool := range tools {
		size += int64(300 + len(tool.Name) + len(tool.Description))
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if text, ok := schema.(json.RawMessage); ok {
				size += int64(len(text))
			}
		}
	}
	return 2 * size
}

// New makes a server. It refuses options without a runner or with negative bounds, and
// rules of Eval or names in Direct for which the runner has no host tool.
func New(options Options) (*Server, error) {
	if options.Runner == nil {
		return nil, errors.New("serving a catalog needs a runner; see runtime.New")
	}
	if err := options.Limits.Check(); err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	if err := options.Eval.check(options.Runner.Registry()); err != nil {
		return nil, err
	}
	if err := checkDirect(options.Direct, options.Runner.Registry()); err != nil {
		return nil, err
	}
	if options.SessionRuns < 0 {
		return nil, fmt.Errorf("SessionRuns is %d; it must not be negative", options.SessionRuns)
	}
	if options.MaxResultBytes != 0 && options.MaxResultBytes < MinResultBytes {
		return nil, fmt.Errorf("MaxResultBytes is %d; it must be 0 or at least %d", options.MaxResultBytes, MinResultBytes)
	}
	if options.SessionAnswerBytes < 0 || options.AnswerBytes < 0 {
		return nil, fmt.Errorf("SessionAnswerBytes is %d and AnswerBytes is %d; they must not be negative", options.SessionAnswerBytes, options.AnswerBytes)
	}
	options.SessionAnswerBytes = cmp.Or(options.SessionAnswerBytes, defaultSessionAnswers)
	options.AnswerBytes = cmp.Or(options.AnswerBytes, defaultAnswers)
	if options.SessionRuns == 0 {
		options.SessionRuns = 32
	}
	s := &Server{options: options, log: options.Logger, sessions: map[*mcp.ServerSession]*session{}}
	s.answers = newAnswers(options.AnswerBytes, options.SessionAnswerBytes)
	s.runs = newHall(cmp.Or(int64(options.Runner.MaxRuns()), 1<<20), int64(options.SessionRuns))
	s.runs.spare = true
	s.asking = newHall(maxAskingOfAll, maxAsking)
	s.asking.spare = true
	s.callers = callers{sessions: map[callerKey]*caller{}, posts: map[string]*posted{}, clients: map[string]int{}, resumed: newHall(maxResumedOfAll, maxResumed)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if options.Name == "" {
		options.Name = "scriptrun"
	}
	if options.Version == "" {
		options.Version = "0"
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: options.Name, Version: options.Version}, &mcp.ServerOptions{
		Instructions: instructions(&options),
		Capabilities: &mcp.ServerCapabilities{
			Logging: &mcp.LoggingCapabilities{}, //nolint:staticcheck // clients of the versions before 2026-07-28 ask for it
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
		},
		// No cache may give one client's answers to another.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	s.mcp.AddReceivingMiddleware(s.listing)
	s.offerReceipts()
	s.current.Store(&offer{})
	s.Update(options.Catalog)
	return s, nil
}

// instructions are what a model is told of the server as a whole.
func instructions(options *Options) string {
	if options.Instructions != "" {
		return options.Instructions
	}
	text := "Each tool is a script with a fixed list of what it may call, and limits of time, calls and bytes. " +
		"A result that is an error begins with how the run ended; read it before you try again: the same call with the same arguments mostly ends the same way. " +
		"Notes below a value say what was cut, not awaited or refused. The receipt of a run is the resource scriptrun://runs/ID."
	if options.MaxResultBytes > 0 {
		text += fmt.Sprintf(" Of a text over %d bytes you get the beginning and the end; "+readName+" reads the rest.", options.MaxResultBytes)
	}
	if options.Eval != nil {
		text += " For several calls that depend on each other, write one script for " + evalName + " instead of calling tool after tool."
	}
	return text
}

// Update replaces the catalog in one step: a client sees the tools of the old one or of
// the new one. Runs that have begun keep their tools.
func (s *Server) Update(catalog *scripttools.Catalog) {
	s.updating.Lock()
	defer s.updating.Unlock()
	next := &offer{catalog: catalog, outputs: map[string]output{}}
	own := s.ownTools()
	for spec := range catalog.All() {
		if find(own, spec.Name) != nil {
			s.log.Warn("a tool file has the name of one of the server's own tools, and is not offered; rename it", "file", spec.Path, "tool", spec.Name)
			continue
		}
		listed, wrapped := outputSchema(spec.Describe().OutputSchema)
		of := output{declared: listed != nil, wrapped: wrapped}
		tool := Tool(spec, s.options.Runner.Registry())
		if of.declared || s.options.MaxResultBytes == 0 {
			tool.Meta = sizeMeta(spec.Limits.Narrow(s.options.Limits).MaxOutputBytes)
		}
		next.tools = append(next.tools, tool)
		next.outputs[spec.Name] = of
	}
	for _, name := range s.options.Direct {
		if find(next.tools, name) == nil && find(own, name) == nil {
			next.tools = append(next.tools, directTool(name, s.options.Runner.Registry()))
		}
	}
	next.tools = append(next.tools, own...)
	// The library keeps a list of its own, by which it routes calls and
	// tells clients of changes. What is listed can be called at once, so that it is routed first.
	before := s.current.Load()
	for _, tool := range next.tools {
		if find(before.tools, tool.Name) == nil {
			s.register(tool)
		}
	}
	s.current.Store(next)
	var gone []string
	for _, old := range before.tools {
		if find(next.tools, old.Name) == nil {
			gone = append(gone, old.Name)
		}
	}
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
		for _, name := range gone {
			s.routed.Delete(name)
		}
	}
	for _, tool := range next.tools { // the new ones again: who is told of a change looks at the list
		if old := find(before.tools, tool.Name); old == nil || !reflect.DeepEqual(old, tool) {
			s.register(tool)
		}
	}
}

// ownTools are those that are neither files nor host tools.
func (s *Server) ownTools() (tools []*mcp.Tool) {
	if s.options.Eval != nil {
		tools = append(tools, s.options.Eval.tool(s.options.Runner.Registry()))
	}
	if s.reads(readName) {
		tools = append(tools, readTool())
	}
	return tools
}

// register makes the library route calls of a tool here. The library panics at schemas
// that it rejects; the tool is then listed but cannot be called.
func (s *Server) register(tool *mcp.Tool) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a tool cannot be offered", "tool", tool.Name, "error", fmt.Sprint(p))
		}
	}()
	s.mcp.AddTool(tool, s.call)
	s.routed.Store(tool.Name, true)
}

func find(tools []*mcp.Tool, name string) *mcp.Tool {
	if i := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == name }); i >= 0 {
		return tools[i]
	}
	return nil
}

// listing answers tools/list from one catalog, even if it changes meanwhile, and has
// large results encoded in one step.
func (s *Server) listing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if params, ok := request.GetParams().(*mcp.CallToolParamsRaw); ok && params != nil {
			if _, there := s.routed.Load(params.Name); !there {
				return nil, s.unknown(params.Name)
			}
		}
		result, err := next(ctx, method, request)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil && list.NextCursor == "" {
			if params, ok := request.GetParams().(*mcp.ListToolsParams); !ok || params == nil || params.Cursor == "" {
				list.Tools = slices.Clone(s.current.Load().tools)
			}
		}
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			if of, ok := request.GetSession().(*mcp.ServerSession); ok {
				err = s.mayWrite(ctx, s.known(of), request.GetExtra(), sizeOf(list.Tools))
			}
		}
		if of, ok := result.(*mcp.CallToolResult); ok && of != nil && err == nil {
			return encodeAtOnce(of), nil
		}
		return result, err
	}
}

// unknown is the answer to a call of a tool that there is not, with what may have been meant.
func (s *Server) unknown(name string) error {
	name = clip.Head(name, hostapi.MaxNameBytes)
	text := fmt.Sprintf("unknown tool %q", name)
	if catalog := s.current.Load().catalog; catalog != nil {
		var misspelt *scripttools.UnknownToolError
		if _, err := catalog.Spec(name); errors.As(err, &misspelt) && misspelt.Nearest != "" {
			text += fmt.Sprintf("; did you mean %q?", misspelt.Nearest)
		}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// Close ends every session and its runs, and waits until their workspaces are closed.
// The caller closes the runner.
func (s *Server) Close() {
	var ended sync.WaitGroup
	for session := range s.mcp.Sessions() {
		s.end(session, errEnding)
		if !s.isLeft(session) {
			ended.Go(func() { _ = session.Close() }) // it may be ending by itself
		}
	}
	ended.Wait()
	s.leaving.Wait()
}
