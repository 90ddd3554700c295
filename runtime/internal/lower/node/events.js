// EventEmitter. What a listener gives back is not waited for.
"use strict";
const kept = Symbol("listeners");

function EventEmitter() {
	if (!Object.hasOwn(this, kept)) this[kept] = new Map();
}

const listenersOf = (emitter, name) => {
	if (!Object.hasOwn(emitter, kept)) emitter[kept] = new Map(); // of a class that did not call this one
	return emitter[kept].get(name) ?? [];
};

const callable = (listener) => {
	if (typeof listener !== "function") throw new TypeError('The "listener" argument must be of type function');
	return listener;
};

const put = (emitter, name, list) => {
	if (list.length) emitter[kept].set(name, list);
	else emitter[kept].delete(name);
};

const add = (emitter, name, listener, first) => {
	callable(listener);
	if (listenersOf(emitter, "newListener").length) emitter.emit("newListener", name, listener.listener ?? listener);
	const before = listenersOf(emitter, name);
	put(emitter, name, first ? [listener, ...before] : [...before, listener]);
	return emitter;
};

const only = (emitter, name, listener) => {
	callable(listener);
	const once = function (...args) {
		emitter.removeListener(name, once);
		return listener.apply(this, args);
	};
	once.listener = listener;
	return once;
};

const methods = {
	on(name, listener) { return add(this, name, listener, false); },
	prependListener(name, listener) { return add(this, name, listener, true); },
	once(name, listener) { return add(this, name, only(this, name, listener), false); },
	prependOnceListener(name, listener) { return add(this, name, only(this, name, listener), true); },
	removeListener(name, listener) {
		callable(listener);
		const before = listenersOf(this, name), at = before.findLastIndex((one) => one === listener || one.listener === listener);
		if (at < 0) return this;
		put(this, name, before.toSpliced(at, 1));
		if (listenersOf(this, "removeListener").length) this.emit("removeListener", name, listener);
		return this;
	},
	removeAllListeners(...names) {
		const all = names.length ? names : this.eventNames().sort((a, b) => (a === "removeListener") - (b === "removeListener"));
		for (const name of all) {
			for (const listener of this.listeners(name).reverse()) this.removeListener(name, listener);
		}
		return this;
	},
	emit(name, ...args) {
		const listeners = listenersOf(this, name);
		if (name === "error" && !listeners.length) {
			if (args[0] instanceof Error) throw args[0];
			throw Object.assign(new Error(`Unhandled error. (${require("util").inspect(args[0])})`), { context: args[0] });
		}
		for (const listener of listeners) listener.apply(this, args);
		return listeners.length > 0;
	},
	listeners(name) { return listenersOf(this, name).map((one) => one.listener ?? one); },
	rawListeners(name) { return [...listenersOf(this, name)]; },
	listenerCount(name, listener) {
		return listenersOf(this, name).filter((one) => listener === undefined || one === listener || one.listener === listener).length;
	},
	eventNames() {
		listenersOf(this, "");
		return [...this[kept].keys()];
	},
	setMaxListeners() { return this; },
	getMaxListeners() { return EventEmitter.defaultMaxListeners; },
};
for (const [name, value] of Object.entries({ ...methods, addListener: methods.on, off: methods.removeListener })) {
	Object.defineProperty(EventEmitter.prototype, name, { value, writable: true, configurable: true, enumerable: true });
}

// once waits for an event, and fails with the next error.
const once = (emitter, name, options = {}) => new Promise((resolve, reject) => {
	const { signal } = options;
	const over = () => {
		emitter.removeListener(name, came);
		emitter.removeListener("error", failed);
		signal?.removeEventListener("abort", aborted);
	};
	const came = (...args) => { over(); resolve(args); };
	const failed = (error) => { over(); reject(error); };
	const aborted = () => { over(); reject(signal.reason); };
	if (signal?.aborted) return reject(signal.reason);
	signal?.addEventListener("abort", aborted);
	emitter.on(name, came);
	if (name !== "error") emitter.on("error", failed);
});

EventEmitter.defaultMaxListeners = 10;
module.exports = Object.assign(EventEmitter, { EventEmitter, once, listenerCount: (emitter, name) => emitter.listenerCount(name) });
