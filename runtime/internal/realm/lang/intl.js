// Intl, for American English: what its classes share, and Collator, PluralRules, ListFormat,
// RelativeTimeFormat and Segmenter.
(function (kit, global, native) {
  "use strict";
  const { TypeError, RangeError, Symbol, isObject, take, construct, getPrototypeOf } = kit;
  const { String, Object, Number } = global;
  const split = take(String.prototype, "split"), lower = take(String.prototype, "toLowerCase"), upper = take(String.prototype, "toUpperCase");
  const slice = take(String.prototype, "slice"), join = take(Array.prototype, "join"), matches = take(RegExp.prototype, "exec");
  const { trunc } = Math;
  const push = (list, value) => kit.put(list, list.length, value);
  const includes = (list, value) => {
    for (let i = 0; i < list.length; i++) if (list[i] === value) return true;
    return false;
  };

  const tagShape = /^([a-z]{2,3}|[a-z]{5,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wy-z0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$/;
  const canonical = (tag) => {
    if (typeof tag !== "string" && !isObject(tag)) throw new TypeError("a locale must be a string");
    const text = lower(`${tag}`);
    if (matches(tagShape, text) === null) throw new RangeError(`Incorrect locale information provided: ${tag}`);
    const parts = split(text, "-");
    for (let i = 1; i < parts.length && parts[i].length > 1; i++) {
      if (parts[i].length === 4 && matches(/^[a-z]/, parts[i]) !== null && i === 1) parts[i] = upper(parts[i][0]) + slice(parts[i], 1);
      else if (parts[i].length === 2) parts[i] = upper(parts[i]);
    }
    return join(parts, "-");
  };
  const localeList = (locales) => {
    const out = [];
    if (locales === undefined) return out;
    if (typeof locales === "string") locales = [locales];
    if (locales === null) throw new TypeError("Cannot convert null to object");
    const list = Object(locales), length = trunc(+list.length) || 0;
    for (let i = 0; i < length; i++) {
      if (!(i in list)) continue;
      const tag = canonical(list[i]);
      if (!includes(out, tag)) push(out, tag);
    }
    return out;
  };
  const isHere = (tag) => matches(/^en(-US)?(-u(-.*)?)?$/, tag) !== null;

  // localeOf is the locale that is used, and the keys of its extension. Another one is
  // refused: to format in English what should be German would be wrong in silence.
  const localeOf = (locales) => {
    const list = localeList(locales), keys = Object.create(null);
    for (let i = 0; i < list.length; i++) {
      if (!isHere(list[i])) throw new RangeError(`the locale ${list[i]} is not here: there are en-US and en; leave it out, or write the format in the script`);
    }
    const parts = list.length > 0 ? split(list[0], "-") : [];
    let key = "", in_u = false;
    for (let i = 1; i < parts.length; i++) {
      if (parts[i].length === 1) in_u = parts[i] === "u";
      else if (in_u && parts[i].length === 2) keys[key = lower(parts[i])] = "";
      else if (in_u && key) keys[key] += (keys[key] ? "-" : "") + parts[i];
    }
    return { locale: list.length > 0 && parts[1] !== "US" ? "en" : "en-US", keys };
  };

  const coerce = (options) => (options === undefined ? Object.create(null) : Object(options === null ? (() => { throw new TypeError("Cannot convert null to object"); })() : options));
  const strict = (options) => {
    if (options === undefined) return Object.create(null);
    if (!isObject(options)) throw new TypeError("the options must be an object");
    return options;
  };
  const text = (options, name, values, fallback) => {
    let value = options[name];
    if (value === undefined) return fallback;
    value = `${value}`;
    if (values !== undefined && !includes(values, value)) throw new RangeError(`Value ${value} out of range for Intl options property ${name}; there are ${join(values, ", ")}`);
    return value;
  };
  const flag = (options, name, fallback) => {
    const value = options[name];
    return value === undefined ? fallback : !!value;
  };
  const digits = (value, least, most, fallback, name) => {
    if (value === undefined) return fallback;
    value = +value;
    if (!(value >= least && value <= most)) throw new RangeError(`${name} value is out of range.`);
    return trunc(value);
  };
  const matcher = (options) => { text(options, "localeMatcher", ["lookup", "best fit"], "best fit"); };

  const Intl = {};
  kit.tag(Intl, "Intl");
  kit.own(global, "Intl", Intl);

  // service adds a class whose instances keep a state that nobody else sees. Classes that can
  // be called without new say so.
  const service = (name, initialize, methods, callable) => {
    const states = new WeakMap(), get = take(WeakMap.prototype, "get"), set = take(WeakMap.prototype, "set");
    const C = {
      [name]: function (locales = undefined, options = undefined) {
        if (new.target === undefined && !callable) throw new TypeError(`Constructor Intl.${name} requires 'new'`);
        const made = construct(Object, [], new.target || C);
        set(states, made, initialize(locales, options));
        return made;
      },
    }[name];
    const state = (self) => {
      const found = isObject(self) ? get(states, self) : undefined;
      if (found === undefined) throw new TypeError(`the receiver is not an Intl.${name}`);
      return found;
    };
    kit.define(C, {
      supportedLocalesOf(locales, options = undefined) {
        const list = localeList(locales), out = [];
        matcher(coerce(options));
        for (let i = 0; i < list.length; i++) if (isHere(list[i])) push(out, list[i]);
        return out;
      },
    });
    kit.defineProperty(C, "prototype", { writable: false });
    kit.define(C.prototype, methods(state));
    kit.tag(C.prototype, `Intl.${name}`);
    kit.own(Intl, name, C);
    return { state, make: (locales, options) => initialize(locales, options) };
  };

  // parts makes objects of flat lists of names and values.
  const parts = (flat, ...names) => {
    const out = [];
    for (let i = 0; i < flat.length; i += names.length) {
      const one = {};
      for (let k = 0; k < names.length; k++) if (flat[i + k] !== "" || names[k] === "value") kit.put(one, names[k], flat[i + k]);
      push(out, one);
    }
    return out;
  };

  const mostUnits = 1 << 20;
  const collator = service("Collator", (locales, given) => {
    const { locale, keys } = localeOf(locales), options = coerce(given);
    const usage = text(options, "usage", ["sort", "search"], "sort");
    matcher(options);
    text(options, "collation", undefined, undefined);
    const numeric = flag(options, "numeric", keys.kn !== undefined && keys.kn !== "false");
    const caseFirst = text(options, "caseFirst", ["upper", "lower", "false"], includes(["upper", "lower"], keys.kf) ? keys.kf : "false");
    const sensitivity = text(options, "sensitivity", ["base", "accent", "case", "variant"], "variant");
    const ignorePunctuation = flag(options, "ignorePunctuation", false);
    const order = native.collator(sensitivity, caseFirst, numeric, ignorePunctuation);
    const compare = (x, y) => {
      if (x === y) return 0;
      if (x.length > mostUnits || y.length > mostUnits) throw new RangeError(`texts of more than ${mostUnits} characters are not compared`);
      return order(x, y);
    };
    return { compare, shown: { locale, usage, sensitivity, ignorePunctuation, collation: "default", numeric, caseFirst } };
  }, (state) => ({
    get compare() {
      const own = state(this);
      return own.bound ||= { f: (x, y) => own.compare(`${x}`, `${y}`) }.f;
    },
    resolvedOptions() { return kit.copy(state(this).shown); },
  }), true);

  const counted = (options, fallback) => kit.digitOptions(options, 0, fallback, "standard");
  service("PluralRules", (locales, given) => {
    const { locale } = localeOf(locales), options = coerce(given);
    matcher(options);
    const type = text(options, "type", ["cardinal", "ordinal"], "cardinal");
    const limits = counted(options, 3);
    const number = native.number({ style: "decimal", notation: "standard", grouping: "false", signDisplay: "auto", ...limits });
    const shown = { locale, type, ...kit.shownDigits(limits, true), pluralCategories: type === "cardinal" ? ["one", "other"] : ["few", "one", "two", "other"], ...kit.shownRounding(limits) };
    return { type, number, shown };
  }, (state) => ({
    select(value) {
      const own = state(this);
      return own.number("plural", kit.numberText(+value), own.type);
    },
    selectRange(start, end) {
      const own = state(this);
      if (start === undefined || end === undefined) throw new TypeError("selectRange needs two numbers");
      const from = +start, to = +end;
      if (from !== from || to !== to) throw new RangeError("a range needs numbers");
      return own.type === "cardinal" ? "other" : own.number("plural", kit.numberText(to), own.type);
    },
    resolvedOptions() { return kit.copy(state(this).shown); },
  }));

  const texts = (list) => {
    const out = [];
    if (list === undefined) return out;
    const found = list[Symbol.iterator], record = kit.iterate(list, found);
    for (let value; (value = kit.step(record)) !== kit.done;) {
      if (typeof value !== "string") kit.fail(record.iterator, new TypeError(`Iterable yielded ${String(value)} which is not a string`));
      push(out, value);
    }
    return out;
  };
  service("ListFormat", (locales, given) => {
    const { locale } = localeOf(locales), options = strict(given);
    matcher(options);
    const type = text(options, "type", ["conjunction", "disjunction", "unit"], "conjunction");
    const style = text(options, "style", ["long", "short", "narrow"], "long");
    return { locale, type, style };
  }, (state) => ({
    format(list) {
      const { type, style } = state(this), flat = native.list(texts(list), type, style);
      let out = "";
      for (let i = 1; i < flat.length; i += 2) out += flat[i];
      return out;
    },
    formatToParts(list) {
      const { type, style } = state(this);
      return parts(native.list(texts(list), type, style), "type", "value");
    },
    resolvedOptions() { return kit.copy(state(this)); },
  }));

  const relativeUnit = (unit) => {
    const found = native.relativeUnit(`${unit}`);
    if (!found) throw new RangeError(`Invalid unit argument for format() '${String(unit)}'`);
    return found;
  };
  const relative = (own, op, value, unit) => {
    const number = +value, name = relativeUnit(unit);
    if (number - number !== 0) throw new RangeError("the value must be finite");
    return own.number(op, kit.numberText(number), name, own.shown.style, own.shown.numeric === "auto");
  };
  service("RelativeTimeFormat", (locales, given) => {
    const { locale } = localeOf(locales), options = coerce(given);
    matcher(options);
    const numberingSystem = kit.latin(options);
    const style = text(options, "style", ["long", "short", "narrow"], "long"), numeric = text(options, "numeric", ["always", "auto"], "always");
    const number = native.number({ style: "decimal", notation: "standard", grouping: "auto", signDisplay: "auto", ...counted({}, 3) });
    return { number, shown: { locale, style, numeric, numberingSystem } };
  }, (state) => ({
    format(value, unit) { return relative(state(this), "relative", value, unit); },
    formatToParts(value, unit) { return parts(relative(state(this), "relativeParts", value, unit), "type", "value", "unit"); },
    resolvedOptions() { return kit.copy(state(this).shown); },
  }));

  const segmentsPrototype = {}, cuts = new WeakMap(), cutOf = take(WeakMap.prototype, "get"), keep = take(WeakMap.prototype, "set");
  const datum = (cut, i) => {
    const out = { segment: slice(cut.input, cut.starts[i], cut.starts[i + 1]), index: cut.starts[i], input: cut.input };
    if (cut.granularity === "word") out.isWordLike = cut.words[i];
    return out;
  };
  const ofSegments = (self) => {
    const cut = isObject(self) ? cutOf(cuts, self) : undefined;
    if (cut === undefined) throw new TypeError("the receiver is not a Segments object");
    return cut;
  };
  const iterators = Object.create(getPrototypeOf(getPrototypeOf([][Symbol.iterator]()))), places = new WeakMap();
  kit.define(iterators, {
    next() {
      const place = isObject(this) ? cutOf(places, this) : undefined;
      if (place === undefined) throw new TypeError("the receiver is not a Segment Iterator");
      if (place.at >= place.cut.starts.length - 1) return { value: undefined, done: true };
      return { value: datum(place.cut, place.at++), done: false };
    },
  });
  kit.tag(iterators, "Segmenter String Iterator");
  kit.define(segmentsPrototype, {
    containing(index = undefined) {
      const cut = ofSegments(this), at = trunc(+index) || 0;
      if (at < 0 || at >= cut.input.length) return undefined;
      let from = 0, to = cut.starts.length - 1;
      while (to - from > 1) {
        const middle = (from + to) >> 1;
        if (cut.starts[middle] <= at) from = middle;
        else to = middle;
      }
      return datum(cut, from);
    },
    [Symbol.iterator]() {
      const made = Object.create(iterators);
      keep(places, made, { cut: ofSegments(this), at: 0 });
      return made;
    },
  });
  service("Segmenter", (locales, given) => {
    const { locale } = localeOf(locales), options = strict(given);
    matcher(options);
    return { locale, granularity: text(options, "granularity", ["grapheme", "word", "sentence"], "grapheme") };
  }, (state) => ({
    segment(string) {
      const { granularity } = state(this), input = `${string}`;
      const { lengths, words } = native.segments(input, granularity), starts = [0];
      for (let i = 0; i < lengths.length; i++) push(starts, starts[i] + lengths[i]);
      const made = Object.create(segmentsPrototype);
      keep(cuts, made, { input, granularity, starts, words });
      return made;
    },
    resolvedOptions() { return kit.copy(state(this)); },
  }));

  kit.define(Intl, {
    getCanonicalLocales(locales) { return localeList(locales); },
    supportedValuesOf(key) {
      key = `${key}`;
      switch (key) {
        case "calendar": return ["gregory"];
        case "collation": return ["default"];
        case "numberingSystem": return ["latn"];
        case "currency": case "timeZone": case "unit": return native.values(key);
      }
      throw new RangeError(`Invalid key : ${key}`);
    },
  });
  kit.native = native;
  kit.intl = { localeOf, coerce, strict, text, flag, digits, matcher, service, parts, includes, collator, push };
})
