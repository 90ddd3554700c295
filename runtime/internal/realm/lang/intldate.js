// Intl.DateTimeFormat, and what dates and texts have for locales.
(function (kit, global) {
  "use strict";
  const { TypeError, RangeError, take, isObject } = kit;
  const { intl, native } = kit, { localeOf, coerce, text, digits, matcher, service, parts, includes } = intl;
  const lower = take(String.prototype, "toLowerCase"), time = take(Date.prototype, "getTime");
  const { now } = Date, { trunc, abs } = Math;
  const two = ["2-digit", "numeric"], names = ["narrow", "short", "long"];
  const components = {
    weekday: names, era: names, year: two, month: [...two, ...names], day: two, dayPeriod: names, hour: two, minute: two, second: two,
    fractionalSecondDigits: undefined, timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
  };
  const order = kit.ownKeys(components);
  const styles = ["full", "long", "medium", "short"];

  const create = (required, defaults) => (locales, given) => {
    const { locale, keys } = localeOf(locales), options = coerce(given);
    matcher(options);
    const calendar = text(options, "calendar", undefined, keys.ca || "gregory");
    if (lower(calendar) !== "gregory") throw new RangeError(`the calendar ${calendar} is not here: there is gregory`);
    const numberingSystem = kit.latin(options);
    const hour12 = options.hour12 === undefined ? undefined : !!options.hour12;
    let hourCycle = text(options, "hourCycle", ["h11", "h12", "h23", "h24"], includes(["h11", "h12", "h23", "h24"], keys.hc) ? keys.hc : undefined);
    if (hour12 !== undefined) hourCycle = undefined;
    let timeZone = options.timeZone;
    if (timeZone !== undefined) {
      const asked = `${timeZone}`;
      timeZone = native.zone(asked);
      if (!timeZone) throw new RangeError(`Invalid time zone specified: ${asked}`);
    }
    const o = {};
    let any = false;
    for (let i = 0; i < order.length; i++) {
      const name = order[i];
      o[name] = name === "fractionalSecondDigits" ? digits(options[name], 1, 3, undefined, name) : text(options, name, components[name], undefined);
      any ||= o[name] !== undefined;
    }
    text(options, "formatMatcher", ["basic", "best fit"], "best fit");
    const dateStyle = text(options, "dateStyle", styles, undefined), timeStyle = text(options, "timeStyle", styles, undefined);
    if (dateStyle !== undefined || timeStyle !== undefined) {
      if (any) throw new TypeError("dateStyle and timeStyle cannot be used with the options of single parts");
      if (required === "date" && timeStyle !== undefined || required === "time" && dateStyle !== undefined) throw new TypeError(`Invalid option : ${timeStyle !== undefined ? "timeStyle" : "dateStyle"}`);
    } else {
      const dated = o.weekday || o.year || o.month || o.day, timed = o.dayPeriod || o.hour || o.minute || o.second || o.fractionalSecondDigits;
      if (!((required === "date" || required === "any") && dated || (required === "time" || required === "any") && timed)) {
        if (defaults !== "time") o.year = o.month = o.day = "numeric";
        if (defaults !== "date") o.hour = o.minute = o.second = "numeric";
      }
    }
    const hours = o.hour !== undefined || timeStyle !== undefined;
    if (!hours) hourCycle = undefined;
    else if (hourCycle === undefined) hourCycle = hour12 === false ? "h23" : "h12";
    const fraction = o.fractionalSecondDigits;
    const made = native.date({ ...o, timeZone: timeZone || "", dateStyle, timeStyle, hourCycle, fraction: fraction === undefined ? 0 : fraction });
    const padded = (name) => (o[name] === undefined ? undefined : o.hour !== undefined || name === "minute" && o.second !== undefined || name === "second" && o.minute !== undefined ? "2-digit" : "numeric");
    return {
      format: made,
      shown: {
        locale, calendar: "gregory", numberingSystem, timeZone: made("zone", 0), hourCycle, hour12: hourCycle === undefined ? undefined : hourCycle === "h12" || hourCycle === "h11",
        weekday: o.weekday, era: o.era, year: o.year, month: o.month, day: o.day, dayPeriod: o.dayPeriod,
        hour: o.hour === undefined ? undefined : hourCycle === "h23" || hourCycle === "h24" ? "2-digit" : o.hour, minute: padded("minute"), second: padded("second"),
        fractionalSecondDigits: fraction, timeZoneName: o.timeZoneName, dateStyle, timeStyle,
      },
    };
  };

  const instant = (date) => {
    const ms = date === undefined ? now() : typeof date === "object" && date !== null && isDate(date) ? time(date) : +date;
    if (!(abs(ms) <= 8.64e15)) throw new RangeError("Invalid time value");
    return trunc(ms) + 0;
  };
  function isDate(value) {
    try {
      time(value);
      return true;
    } catch {
      return false;
    }
  }
  const range = (own, op, start, end) => {
    if (start === undefined || end === undefined) throw new TypeError("a range needs two dates");
    const from = instant(start), to = instant(end);
    return own.format(op, from, to);
  };
  service("DateTimeFormat", create("any", "date"), (state) => ({
    get format() {
      const own = state(this);
      return own.bound ||= { f: (date) => own.format("text", instant(date)) }.f;
    },
    formatToParts(date) { return parts(state(this).format("parts", instant(date)), "type", "value"); },
    formatRange(start, end) { return range(state(this), "range", start, end); },
    formatRangeToParts(start, end) { return parts(range(state(this), "rangeParts", start, end), "type", "value", "source"); },
    resolvedOptions() { return kit.copy(state(this).shown); },
  }), true);

  const shown = (make) => (self, locales, options) => {
    const ms = time(self), made = make(locales, options);
    return ms !== ms ? "Invalid Date" : made.format("text", ms);
  };
  const both = shown(create("any", "all")), date = shown(create("date", "date")), clock = shown(create("time", "time"));
  kit.define(Date.prototype, {
    toLocaleString(locales = undefined, options = undefined) { return both(this, locales, options); },
    toLocaleDateString(locales = undefined, options = undefined) { return date(this, locales, options); },
    toLocaleTimeString(locales = undefined, options = undefined) { return clock(this, locales, options); },
  });

  const upperOf = take(String.prototype, "toUpperCase"), { make } = intl.collator;
  const textOf = (self, name) => {
    if (self === undefined || self === null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
    return `${self}`;
  };
  // Other languages have rules of their own for case only if they are one of these.
  const cased = (locales) => {
    const list = Intl.getCanonicalLocales(locales);
    if (list.length > 0 && includes(["tr", "az", "lt"], list[0][0] + list[0][1]) && (list[0].length === 2 || list[0][2] === "-")) throw new RangeError(`the locale ${list[0]} is not here: there are en-US and en`);
  };
  const { Intl } = global;
  let plain;
  kit.define(String.prototype, {
    localeCompare(that, locales = undefined, options = undefined) {
      const self = textOf(this, "localeCompare"), other = `${that}`;
      const { compare } = locales === undefined && options === undefined ? plain ||= make() : make(locales, options);
      return compare(self, other);
    },
    toLocaleUpperCase(locales = undefined) {
      const self = textOf(this, "toLocaleUpperCase");
      cased(locales);
      return upperOf(self);
    },
    toLocaleLowerCase(locales = undefined) {
      const self = textOf(this, "toLocaleLowerCase");
      cased(locales);
      return lower(self);
    },
  });
  kit.defineProperty(String.prototype.toLocaleUpperCase, "length", { value: 0 });
})
