package realm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/dates"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/lang"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/regexps"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/web"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// maxCallStack bounds the recursion of script functions. The engine takes more than linear
// time to unwind a deep stack; at this depth it takes milliseconds.
const maxCallStack = 1000

// Config configures a realm. Emit and Programs must be set.
type Config struct {
	// Emit sends a frame to the host. Only the goroutine of Run calls it. After an error the
	// realm stops.
	Emit func(wire.Frame) error
	// Programs keeps the compiled program for the next realm.
	Programs *Programs
	// Started, if not nil, is called with the start frame before the program runs.
	Started func(wire.Start)
	// Wait waits until a frame was delivered since the last call, or for a duration; a
	// negative one has no end. Only the goroutine of Run calls it. If it is nil, the realm
	// waits for frames that other goroutines deliver.
	Wait func(time.Duration)
}

// Realm is the JavaScript world of one run. Run can be called once; Deliver is safe for
// concurrent use.
type Realm struct {
	config  Config
	from    *places // of the program
	vm      *goja.Runtime
	regexps *regexps.World
	start   wire.Start
	inbox   *inbox
	stopped atomic.Bool

	ctx        goja.Value    // once it is prepared
	noFunction *goja.Object  // replaces the constructor Function
	sourceOf   goja.Callable // Function.prototype.toString, if functions are mended

	calls      map[int]pendingCall
	unawaited  unawaited
	unheard    unheard
	encoding   bool                    // a value that leaves
	flawed     bool                    // there is a promise or a function in it
	errorIn    bool                    // there is an Error in it
	losses     []string                // of the value, as JSON
	refusals   map[*goja.Object]int    // the calls whose ToolErrors they are
	failures   map[*goja.Object][]byte // the data of the errors of ctx.fail
	rejections []*goja.Promise
	timers     timers
	bytes      *rand.ChaCha8 // random ones, if they have a seed
	web        *web.World    // once one of its globals was read
	rarer      *goja.Object  // methods of console, once one was called
	indent     string        // that of its groups
	operation  int           // number of the last operation; they count down
	nested     int           // how deep JSON is that is being written or revived
	seq        int
	waited     time.Duration
}

// New makes a realm, which does not know its script yet.
func New(config Config) *Realm {
	r := &Realm{config: config, vm: goja.New(), inbox: newInbox()}
	r.vm.SetParserOptions(parser.WithDisableSourceMaps)
	r.vm.SetMaxCallStackSize(maxCallStack)
	r.vm.SetPromiseRejectionTracker(r.trackRejection)
	r.regexps = regexps.New(r.vm, r.stopped.Load)
	return r
}

// Prepare makes what does not depend on the script. Run calls it if nobody has.
func (r *Realm) Prepare() (err error) {
	if r.ctx != nil {
		return nil
	}
	if err := errors.Join(r.harden(), r.furnish()); err != nil {
		return err
	}
	for _, lazy := range []string{"Promise", "JSON"} { // the engine makes them at their first use
		r.vm.Get(lazy)
	}
	if err := errors.Join(r.watchPromises(), r.replaceJSON()); err != nil {
		return err
	}
	r.ctx, err = r.newContext() // before a script can change what ctx is made with
	return err
}

// suit makes what depends on the program.
func (r *Realm) suit(program compiled) error {
	if program.expressions {
		if err := r.regexps.Install(); err != nil {
			return err
		}
		if program.lastMatch {
			if err := r.regexps.InstallLast(); err != nil {
				return err
			}
		}
	}
	if program.operators {
		if err := r.installOperators(); err != nil {
			return err
		}
	}
	if err := r.refuseUnnamed(program); err != nil {
		return err
	}
	if program.dates {
		if err := dates.Install(r.vm); err != nil {
			return err
		}
	}
	if program.number {
		if err := r.replaceNumber(); err != nil {
			return err
		}
	}
	if program.bigints {
		if err := r.stripBigInts(); err != nil {
			return err
		}
	}
	if program.bigint {
		if err := r.replaceBigInt(); err != nil {
			return err
		}
	}
	if err := errors.Join(r.boundLengths(program.lengths), r.mend(program.mendings)); err != nil { // before others take the functions
		return err
	}
	if err := lang.Install(r.vm, program.parts, r.stopped.Load); err != nil {
		return err
	}
	if program.left || program.leftAsync {
		if err := r.installGenerators(program.leftAsync); err != nil {
			return err
		}
	}
	if program.generators {
		if err := r.hardenFrom("GeneratorFunction", generatorProgram()); err != nil {
			return err
		}
	}
	if r.start.CommonJS {
		return r.furnishCommonJS()
	}
	return nil
}

// Deliver gives the realm a result or a stop. It never blocks.
func (r *Realm) Deliver(f wire.Frame) {
	if f.Kind == wire.KindStop {
		r.stopped.Store(true)
		r.vm.Interrupt("stop")
		r.inbox.wake()
		return
	}
	r.inbox.put(f)
}

// Run evaluates the program of a start frame, calls its entry and emits a return or a throw.
// It recovers every panic of the engine.
func (r *Realm) Run(start wire.Frame) {
	began := time.Now()
	r.timers.clock.began = began
	value, ended := r.run(start)
	usage := wire.Usage{RunNS: int64(time.Since(began) - r.waited)}
	var last wire.Frame
	var err error
	if ended != nil {
		ended.Usage, ended.Returned = usage, r.unawaited.returned
		// Once run has returned, nobody awaits what was not; before, a TypeError may come of that.
		// Of a promise inside the value the error says so itself.
		if (ended.Returned || ended.Name == "TypeError") && !strings.HasSuffix(ended.Message, "is a promise; await it") {
			ended.Unawaited = r.unawaited.seqs()
		}
		last, err = wire.New(wire.KindThrow, ended, nil)
	} else {
		head := wire.Return{Usage: usage, Unawaited: r.unawaited.seqs(), Unheard: r.unheard.seqs(), Lost: r.losses}
		limit, text := r.start.MaxOutputBytes, len(value) > 0 && value[0] == '"' && len(value) <= wire.MaxTextValue // the host cuts it
		if limit > 0 && !text && int64(len(value)) > limit && clip.ValueSize(value) > limit {
			head.TooLarge, value = int64(len(value)), nil
		}
		last, err = wire.New(wire.KindReturn, head, value)
	}
	if err != nil {
		last, _ = wire.New(wire.KindThrow, wire.Throw{Usage: usage, Cause: wire.CauseNotJSON, Message: err.Error()}, nil)
	}
	_ = r.config.Emit(last) // an error means that the host is gone
}

func (r *Realm) run(start wire.Frame) (value []byte, ended *wire.Throw) {
	defer func() {
		if p := recover(); p != nil {
			value, ended = nil, r.panicked(p)
		}
	}()
	var err error
	if err = start.Decode(&r.start); err != nil {
		return nil, &wire.Throw{Cause: wire.CauseEntry, Message: err.Error()}
	}
	r.replay()
	if r.config.Started != nil {
		r.config.Started(r.start)
	}
	program, err := r.config.Programs.get(r.start)
	if err != nil {
		return nil, &wire.Throw{Cause: wire.CauseCompile, Name: "SyntaxError", Message: err.Error()}
	}
	r.from = program.from
	if err := errors.Join(r.Prepare(), r.suit(program)); err != nil {
		return nil, r.thrown(err)
	}
	entry, err := r.vm.RunProgram(program.body)
	if err == nil && program.entry != nil {
		entry, err = r.vm.RunProgram(program.entry)
	}
	if err != nil {
		return nil, r.thrown(err)
	}
	if _, ok := goja.AssertFunction(entry); !ok {
		return nil, &wire.Throw{Cause: wire.CauseEntry, Name: "TypeError",
			Message: "the entry is not a function; write export default async function run(ctx, inputs) { … }"}
	}
	inputs, err := r.fromJSON(start.Body)
	if err != nil {
		return nil, r.thrown(err)
	}
	result, err := r.await(entry, r.ctx, inputs)
	if err != nil {
		return nil, r.thrown(err)
	}
	value, failed := r.valueJSON(result)
	if failed == nil {
		r.losses = r.lost(result, value, maxLostLooks)
	}
	if err := r.finish(); err != nil {
		return nil, r.thrown(err)
	}
	if failed != nil {
		return nil, r.notJSON(failed)
	}
	r.reportRejections()
	return value, nil
}

// panicText describes a panic without running code of the script.
func panicText(p any) string {
	switch p := p.(type) {
	case goruntime.Error:
		return p.Error()
	case string:
		return p
	}
	return fmt.Sprintf("a value of type %T", p)
}

// errStopped ends a wait that a stop frame interrupted.
var errStopped = errors.New("stopped")

// errPending ends the wait for a promise that nothing can settle.
var errPending = errors.New("the promise that run returned can never settle: no call and no timer is left that could")
