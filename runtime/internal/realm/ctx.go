package realm

import (
	_ "embed" // the scripts below
	"errors"
	"fmt"
	"math"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// ownPrefix begins the file names of our own code.
const ownPrefix = "scriptrun:"

var (
	//go:embed ctx.js
	ctxSource string

	ctxProgram   = program("ctx", ctxSource)
	closeProgram = program("close", `(Object.preventExtensions)`)
	// resolveProgram makes a native promise of a value that may be a thenable.
	resolveProgram = program("resolve", `(async (value) => value)`)
)

// The shapes in which a call resolves; ctx.js has the same numbers.
const (
	shapeResult  = iota // the whole result
	shapeOutput         // its output; a failure rejects, and so does an answer that was cut
	shapeText           // its text, or else its output; a failure rejects, and so does an answer that was cut
	shapeData           // its data; none rejects
	shapeStart          // the number of the call, which is the handle of what it started
	shapeWords          // its output, which can be cut; a failure rejects
	shapeDone           // the whole result; a failure rejects
	shapeOperate        // the data of an operation; a failure rejects
)

// pendingCall is a call without a result yet.
type pendingCall struct {
	tool            string
	shape           int
	file, line, col int    // as in wire.Call
	unlike          string // what arguments are that JSON writes as something else
	resolve, reject func(any) error
	promise         *goja.Object // of a call of a tool
}

// newContext builds ctx, frozen. Its properties are native getters that are not writable
// from the start: getters in JavaScript that are frozen afterwards take twice as long, and
// this is a third of the time that a realm takes.
func (r *Realm) newContext() (goja.Value, error) {
	r.calls = map[int]pendingCall{}
	build, err := r.function(ctxProgram())
	if err != nil {
		return nil, err
	}
	made, err := build(goja.Undefined(), r.vm.ToValue(r.hostCall), r.vm.ToValue(r.rare))
	if err != nil {
		return nil, err
	}
	makePart, ok := goja.AssertFunction(made)
	if !ok {
		return nil, errors.New("the parts of ctx are not a function")
	}
	ctx := r.vm.NewObject()
	for _, p := range parts {
		get := r.vm.ToValue(func(goja.FunctionCall) goja.Value {
			value, err := makePart(goja.Undefined(), r.vm.ToValue(p.name))
			if err != nil {
				panic(err) // the engine throws it
			}
			return value
		})
		if err := ctx.DefineAccessorProperty(p.name, get, nil, goja.FLAG_FALSE, goja.FLAG_TRUE); err != nil {
			return nil, err
		}
	}
	closed, err := r.function(closeProgram())
	if err != nil {
		return nil, err
	}
	return closed(goja.Undefined(), ctx)
}

// rare is rare(what, ...): what few scripts do is behind one function, as each costs every realm.
func (r *Realm) rare(f goja.FunctionCall) goja.Value {
	what := f.Argument(0).String()
	f.Arguments = f.Arguments[1:]
	switch what {
	case "progress":
		return r.progress(f)
	case "operate":
		return r.operate(f)
	case "copied":
		return r.input(f)
	case "failed":
		return r.failure(f)
	default:
		return r.toolNames()
	}
}

// toolNames are the host tools that are granted.
func (r *Realm) toolNames() goja.Value {
	names := make([]any, len(r.start.Tools))
	for i, name := range r.start.Tools {
		names[i] = name
	}
	return r.vm.NewArray(names...)
}

// hostCall is call(name, args, shape): it sends a call frame and returns a promise. Invalid
// arguments reject the promise, as a refusal by the host does.
func (r *Realm) hostCall(f goja.FunctionCall) goja.Value {
	promise, resolve, reject := r.vm.NewPromise()
	call := pendingCall{shape: int(f.Argument(2).ToInteger()), resolve: resolve, reject: reject}
	object := r.vm.ToValue(promise).(*goja.Object)
	call.promise = object
	if err := r.send(&call, object, f.Argument(0), f.Argument(1)); err != nil {
		r.fail(&call, err)
	}
	return object
}

// fail rejects a call that was not sent.
func (r *Realm) fail(call *pendingCall, err error) {
	mustPropagate(err)
	var thrown *goja.Exception
	var reason any
	if errors.As(err, &thrown) {
		reason = thrown.Value()
	} else {
		reason = r.vm.NewTypeError(err.Error())
	}
	if err := call.reject(reason); err != nil {
		panic(err)
	}
}

// operate is rare("operate", call, tool, operation, args): it sends an operation on what a call
// started, and returns a promise.
func (r *Realm) operate(f goja.FunctionCall) goja.Value {
	promise, resolve, reject := r.vm.NewPromise()
	call := pendingCall{shape: shapeOperate, resolve: resolve, reject: reject}
	call.tool, _ = f.Argument(1).Export().(string)
	operation := f.Argument(2).String()
	if operation == "wait" {
		call.shape = shapeData // waiting for a command that failed succeeds
	}
	body, tooLarge, err := r.arguments(f.Argument(3))
	if err == nil {
		call.file, call.line, call.col = r.site()
		seq := r.operation - 1
		err = r.post(&call, seq, wire.KindOperate, wire.Operate{
			Seq: seq, Handle: int(f.Argument(0).ToInteger()), Operation: clip.Head(operation, maxName), TooLarge: tooLarge,
		}, body)
		if err == nil {
			r.operation = seq
		}
	} else if errors.Is(err, errNoJSON) {
		err = errors.New("the options are not JSON")
	}
	if err != nil {
		r.fail(&call, err)
	}
	return r.vm.ToValue(promise)
}

// post sends a frame that the host answers.
func (r *Realm) post(call *pendingCall, seq int, kind wire.Kind, head any, body []byte) error {
	frame, err := wire.New(kind, head, body)
	if err != nil {
		return err
	}
	if r.stopped.Load() {
		return errors.New("the run is over")
	}
	if err := r.config.Emit(frame); err != nil {
		r.stopped.Store(true)
		return errors.New("the run is over")
	}
	r.calls[seq] = *call
	return nil
}

func (r *Realm) send(call *pendingCall, promise *goja.Object, name, args goja.Value) error {
	tool, ok := name.Export().(string)
	if _, object := name.(*goja.Object); object || !ok {
		return errors.New(`ctx.tool needs a name and an object, as in ctx.tool("grep", {pattern: "x"})`)
	}
	body, tooLarge := []byte("{}"), int64(0)
	if !goja.IsUndefined(args) && !goja.IsNull(args) {
		object, isObject := args.(*goja.Object)
		if !isObject || object.ClassName() == "Array" {
			return fmt.Errorf("the arguments of tool %q must be an object", tool)
		}
		var err error
		if body, tooLarge, err = r.arguments(args); err != nil {
			if errors.Is(err, errNoJSON) {
				return fmt.Errorf("the arguments of tool %q are not JSON", tool)
			}
			if flaw := (*flawError)(nil); errors.As(err, &flaw) {
				return fmt.Errorf("the arguments of tool %q: %w", tool, err)
			}
			return err
		}
		call.unlike = r.unlike(object, body)
	}
	call.tool = tool
	call.file, call.line, call.col = r.site()
	seq := r.seq + 1
	head := wire.Call{
		Seq: seq, Tool: clip.Head(tool, maxName), Background: call.shape == shapeStart, TooLarge: tooLarge,
		File: call.file, Line: call.line, Col: call.col,
		Part: partOf(call.shape), Whole: call.shape == shapeText || call.shape == shapeOutput,
	}
	if err := r.post(call, seq, wire.KindCall, head, body); err != nil {
		return err
	}
	r.seq = seq
	if call.shape != shapeStart { // what is started ends with the run
		r.watch(promise, seq)
	}
	return nil
}

// partOf is the part of a result that a shape takes.
func partOf(shape int) string {
	switch shape {
	case shapeText:
		return "text"
	case shapeOutput, shapeWords:
		return "output"
	case shapeData:
		return "data"
	}
	return ""
}

// maxName bounds the names that are sent, in bytes. No tool has a longer one.
const maxName = 200

// arguments encodes the arguments of a call or an operation. If they are too large, only the
// size is sent, so that the host can refuse and record it.
func (r *Realm) arguments(args goja.Value) (body []byte, tooLarge int64, err error) {
	body, err = r.valueJSON(args)
	if err == nil && len(body) > wire.MaxArguments {
		return nil, int64(len(body)), nil
	}
	return body, 0, err
}

// site is the current place in the author's file.
func (r *Realm) site() (number, line, col int) {
	var space [24]goja.StackFrame
	for _, f := range r.vm.CaptureCallStack(len(space), space[:0]) {
		if f.SrcName() != r.start.Name {
			continue
		}
		p := f.Position()
		if number, written := r.from.file(p.Filename, r.start.Name); written {
			return number, p.Line - r.start.LineOffset, p.Column
		}
	}
	return 0, 0, 0
}

// deliver settles the call that a result frame answers.
func (r *Realm) deliver(f wire.Frame) error {
	if f.Kind != wire.KindResult {
		return fmt.Errorf("a realm does not take a %s frame", f.Kind)
	}
	var head wire.Result
	if err := f.Decode(&head); err != nil {
		return err
	}
	call, ok := r.calls[head.Seq]
	if !ok {
		return fmt.Errorf("there is no call %d", head.Seq)
	}
	delete(r.calls, head.Seq)
	delete(r.unawaited.pending, call.promise)
	if head.Refusal != nil && len(f.Body) == 0 {
		message := head.Refusal.Message
		if call.unlike != "" && head.Refusal.Code == "invalid_args" {
			message += "; " + call.unlike
		}
		return r.refuse(call, head.Seq, head.Refusal.Code, message, nil)
	}
	result, err := r.fromJSON(f.Body)
	if err != nil {
		return err
	}
	object, ok := result.(*goja.Object)
	if !ok {
		return errors.New("the result is not an object")
	}
	if head.Refusal != nil {
		return r.refuse(call, head.Seq, head.Refusal.Code, head.Refusal.Message, object)
	}
	bare := call.shape == shapeData && missing(object.Get("data")) // nothing was started, or the data did not fit
	if bare || head.Failed && (head.Throws || call.shape != shapeResult && call.shape != shapeData) {
		return r.refuse(call, head.Seq, "failed", failedText(call.tool, object, head.Why), object)
	}
	if call.shape == shapeStart {
		return call.resolve(r.vm.ToValue(head.Seq))
	}
	if head.Failed && call.shape == shapeResult {
		r.watchFailure(object, head.Seq, call.tool)
	}
	return call.resolve(shaped(object, call.shape))
}

// shaped picks the part of a result that a helper returns.
func shaped(result *goja.Object, shape int) goja.Value {
	switch shape {
	case shapeOutput, shapeWords:
		return result.Get("output")
	case shapeText:
		if text := result.Get("text"); !missing(text) {
			return text
		}
		return result.Get("output")
	case shapeOperate, shapeData:
		return result.Get("data")
	}
	return result
}

func missing(value goja.Value) bool { return value == nil || goja.IsNull(value) }

// failure is rare("failed", error, data): it marks the error of a ctx.fail. Data that is too large is
// left out, as the words are what counts.
func (r *Realm) failure(f goja.FunctionCall) goja.Value {
	object, ok := f.Argument(0).(*goja.Object)
	if !ok {
		return goja.Undefined()
	}
	var data []byte
	if given := f.Argument(1); !goja.IsUndefined(given) {
		var err error
		if data, err = r.valueJSON(given); err != nil {
			mustPropagate(err)
			panic(r.vm.NewTypeError("the data of ctx.fail is not JSON: " + err.Error()))
		}
		if most := min(r.start.MaxOutputBytes, wire.MaxHead/2); int64(len(data)) > most {
			data = fmt.Appendf(nil, `{"truncated":true,"bytes":%d}`, len(data))
		}
	}
	if r.failures == nil {
		r.failures = map[*goja.Object][]byte{}
	}
	r.failures[object] = data
	return goja.Undefined()
}

// progress is ctx.progress({done, total, message}).
func (r *Realm) progress(f goja.FunctionCall) goja.Value {
	report, ok := f.Argument(0).(*goja.Object)
	if !ok {
		panic(r.vm.NewTypeError("ctx.progress needs an object, as in ctx.progress({done: 1, total: 10, message: \"reading\"})"))
	}
	head := wire.Progress{Done: finite(report.Get("done")), Total: finite(report.Get("total"))}
	if m := report.Get("message"); m != nil && !goja.IsUndefined(m) {
		head.Message = clip.Head(m.String(), 200)
	}
	if frame, err := wire.New(wire.KindProgress, head, nil); err == nil {
		r.emit(frame)
	}
	return goja.Undefined()
}

func finite(v goja.Value) float64 {
	if v == nil {
		return 0
	}
	if n := v.ToFloat(); !math.IsNaN(n) && !math.IsInf(n, 0) {
		return n
	}
	return 0
}

// emit sends a frame that has no answer.
func (r *Realm) emit(f wire.Frame) {
	if r.stopped.Load() {
		return
	}
	if err := r.config.Emit(f); err != nil {
		r.stopped.Store(true)
	}
}
