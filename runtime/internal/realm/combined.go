package realm

import (
	"github.com/dop251/goja"
)

// combined are the calls of Promise.all, any and race. The promise of one of these can be over
// while what it was given is under way: the losers of a race, and the rest where one of all
// rejects. Whoever awaits that promise has awaited them too.
type combined struct {
	pending map[*goja.Object]int    // the promises of host calls that are not over
	now     *group                  // the one that is being called
	groups  map[*goja.Object]*group // by the promise that it gave
	most    int                     // groups that are kept before they are looked through
	left    map[int]bool            // host calls that were under way when what was awaited was over
	open    bool                    // such a one left what is no host call, in which any can be
}

// group is one call of Promise.all, any or race.
type group struct {
	seqs   []int // of the host calls under way among its members
	others bool  // it may have other members
	all    bool  // it waits for each member, unless one rejects
	looked bool  // somebody awaits it
}

// watchGroups puts functions that note their members in place of Promise.all, any and race.
func (r *Realm) watchGroups(promises *goja.Object) error {
	for _, name := range []string{"all", "any", "race"} {
		does, ok := goja.AssertFunction(promises.Get(name))
		if !ok {
			continue
		}
		noting := r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			return r.group(name == "all", does, f)
		}).(*goja.Object)
		for key, value := range map[string]any{"name": name, "length": 1} {
			if err := noting.DefineDataProperty(key, r.vm.ToValue(value), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
				return err
			}
		}
		if err := promises.DefineDataProperty(name, noting, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	return nil
}

// group calls Promise.all, any or race.
func (r *Realm) group(all bool, does goja.Callable, f goja.FunctionCall) goja.Value {
	u := &r.unawaited
	g, before := &group{all: all}, u.now
	u.now = g
	result, err := func() (goja.Value, error) {
		defer func() { u.now = before }()
		return does(f.This, f.Arguments...)
	}()
	if err != nil {
		panic(err)
	}
	object, ok := result.(*goja.Object)
	if !ok || f.This != u.promises { // of a class of the script
		return result
	}
	members, _ := f.Argument(0).(*goja.Object)
	g.others = members == nil || members.ClassName() != "Array" || members.Get("length").ToInteger() > int64(len(g.seqs))
	u.define(r.vm, object)
	if len(u.groups) >= max(u.most, 16) {
		u.settle(r.calls)
		u.most = 2 * len(u.groups)
	}
	u.groups[object] = g
	return result
}

// look notes that somebody looks at a promise.
func (c *combined) look(promise *goja.Object) {
	if g := c.groups[promise]; g != nil {
		g.looked = true
	}
	if seq, ok := c.pending[promise]; ok && c.now != nil {
		if n := len(c.now.seqs); n == 0 || c.now.seqs[n-1] != seq { // it looks twice at each
			c.now.seqs = append(c.now.seqs, seq)
		}
	}
}

// settle forgets the groups that are over, and notes what they left under way.
func (c *combined) settle(calls map[int]pendingCall) {
	for object, g := range c.groups {
		promise, ok := nativePromise(object)
		switch {
		case !ok:
			delete(c.groups, object)
		case promise.State() == goja.PromiseStatePending:
		case g.all && promise.State() == goja.PromiseStateFulfilled: // so are its members
			delete(c.groups, object)
		case g.looked:
			for _, seq := range g.seqs {
				if _, underWay := calls[seq]; underWay {
					c.left[seq] = true
				}
			}
			c.open = c.open || g.others
			delete(c.groups, object)
		}
	}
}
