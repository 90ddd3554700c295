package realm

import (
	"reflect"
	"time"

	"github.com/dop251/goja"
)

// await calls the entry and runs the event loop until its promise settles. The error can be
// a *rejected.
func (r *Realm) await(entry, ctx, inputs goja.Value) (goja.Value, error) {
	call, _ := goja.AssertFunction(entry)
	returned, err := call(goja.Undefined(), ctx, inputs)
	if err != nil {
		return nil, err
	}
	object, ok := returned.(*goja.Object)
	if !ok {
		return returned, nil // as most short scripts do; they need no promise
	}
	promise, ok := nativePromise(object)
	if !ok {
		resolve, err := r.function(resolveProgram())
		if err != nil {
			return nil, err
		}
		if returned, err = resolve(goja.Undefined(), object); err != nil {
			return nil, err
		}
		promise, _ = nativePromise(returned.(*goja.Object)) // from an async function
	}
	r.unawaited.touch(object)
	for promise.State() == goja.PromiseStatePending {
		if err := r.turn(); err != nil {
			return nil, err
		}
	}
	if r.stopped.Load() {
		return nil, errStopped
	}
	if promise.State() == goja.PromiseStateRejected {
		return nil, &rejected{promise.Result()}
	}
	return promise.Result(), nil
}

// nativePromise returns the promise that an object is, without running code of the script.
func nativePromise(object *goja.Object) (*goja.Promise, bool) {
	if object.ExportType() != promiseType {
		return nil, false
	}
	promise, ok := object.Export().(*goja.Promise)
	return promise, ok
}

var promiseType = reflect.TypeFor[*goja.Promise]()

// rejected carries the reason of a rejection, which can be any value.
type rejected struct{ reason goja.Value }

func (*rejected) Error() string { return "rejected" }

// turn handles the next frames or timer, or waits for one.
func (r *Realm) turn() error {
	if r.stopped.Load() {
		return errStopped
	}
	if frames := r.inbox.take(); len(frames) > 0 {
		for _, f := range frames {
			if err := r.deliver(f); err != nil {
				return err
			}
		}
		return nil
	}
	if t := r.timers.due(); t != nil {
		_, err := t.fn(goja.Undefined(), t.args...)
		return err // an exception of a callback that nobody waits for ends the run, as in Node
	}
	wait, timed := r.timers.wait()
	if !timed && len(r.calls) == 0 {
		return errPending
	}
	began := time.Now()
	defer func() { r.waited += time.Since(began) }()
	if !timed {
		wait = -1
	}
	if r.config.Wait != nil {
		r.config.Wait(wait)
		return nil
	}
	if !timed {
		<-r.inbox.ready
		return nil
	}
	alarm := time.NewTimer(wait)
	defer alarm.Stop()
	select {
	case <-r.inbox.ready:
	case <-alarm.C:
	}
	return nil
}

// trackRejection keeps the rejections that the script has not handled, in order.
func (r *Realm) trackRejection(p *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		r.rejections = append(r.rejections, p)
		return
	}
	for i, one := range r.rejections {
		if one == p {
			r.rejections = append(r.rejections[:i], r.rejections[i+1:]...)
			return
		}
	}
}

// reportRejections logs unhandled rejections. They do not change how the run ended, since run
// has returned its value.
func (r *Realm) reportRejections() {
	const most = 8
	for i, p := range r.rejections {
		if i == most {
			break
		}
		t := r.describeSafely(p.Result(), nil)
		r.log("error", "unhandled rejection: "+t.Name+": "+t.Message)
	}
}
