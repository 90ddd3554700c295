// Intl.NumberFormat.
(function (kit) {
  "use strict";
  const { TypeError, RangeError, take, isObject } = kit;
  const { intl, native } = kit, { localeOf, coerce, text, digits, matcher, service, parts, includes } = intl;
  const upper = take(String.prototype, "toUpperCase"), matches = take(RegExp.prototype, "exec"), lower = take(String.prototype, "toLowerCase");
  const { is } = Object, { abs } = Math, { toPrimitive } = Symbol;
  const mostDigits = 1 << 20;
  const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];

  kit.copy = (from) => {
    const out = {}, keys = kit.ownKeys(from);
    for (let i = 0; i < keys.length; i++) if (from[keys[i]] !== undefined) kit.put(out, keys[i], from[keys[i]]);
    return out;
  };
  kit.latin = (options) => {
    const value = text(options, "numberingSystem", undefined, "latn");
    if (matches(/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i, value) === null || lower(value) !== "latn") throw new RangeError(`the numbering system ${value} is not here: there is latn`);
    return "latn";
  };

  const primitive = (value) => {
    const own = value[toPrimitive];
    if (own !== undefined && own !== null) {
      const result = kit.apply(own, value, ["number"]);
      if (!isObject(result)) return result;
    } else {
      for (let i = 0; i < 2; i++) {
        const convert = value[i === 0 ? "valueOf" : "toString"];
        const result = typeof convert === "function" ? kit.apply(convert, value, []) : value;
        if (!isObject(result)) return result;
      }
    }
    throw new TypeError("Cannot convert object to primitive value");
  };

  // numberText is a number as it is written, exactly if it was a BigInt, or a text that is
  // not too large for a number.
  kit.numberText = (value) => {
    if (isObject(value)) value = primitive(value);
    if (typeof value === "string" && abs(+value) < 1 / 0) {
      const decimal = matches(/^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?Infinity)\s*$/i, value);
      if (decimal !== null) return decimal[1];
    }
    if (typeof value === "bigint") {
      const written = `${value}`;
      if (written.length > mostDigits) throw new RangeError(`a BigInt of more than ${mostDigits} digits is not formatted; write it with String`);
      return written;
    }
    value = +value;
    return is(value, -0) ? "-0" : `${value}`;
  };

  // digitOptions reads the options of digits, in the order of the standard.
  kit.digitOptions = (options, least, most, notation) => {
    const minInteger = digits(options.minimumIntegerDigits, 1, 21, 1, "minimumIntegerDigits");
    let minFraction = options.minimumFractionDigits, maxFraction = options.maximumFractionDigits;
    let minDigits = options.minimumSignificantDigits, maxDigits = options.maximumSignificantDigits;
    const increment = digits(options.roundingIncrement, 1, 5000, 1, "roundingIncrement");
    if (!includes(increments, increment)) throw new RangeError("roundingIncrement value is out of range.");
    const roundingMode = text(options, "roundingMode", ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"], "halfExpand");
    const priority = text(options, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto");
    const trailingZero = text(options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto");
    const hasDigits = minDigits !== undefined || maxDigits !== undefined, hasFraction = minFraction !== undefined || maxFraction !== undefined;
    let needDigits = true, needFraction = true;
    if (priority === "auto") {
      needDigits = hasDigits;
      if (needDigits || !hasFraction && notation === "compact") needFraction = false;
    }
    const out = { minInteger, minFraction: -1, maxFraction: -1, minDigits: -1, maxDigits: -1, roundingMode, priority, trailingZero, increment };
    if (needDigits) {
      out.minDigits = hasDigits ? digits(minDigits, 1, 21, 1, "minimumSignificantDigits") : 1;
      out.maxDigits = hasDigits ? digits(maxDigits, out.minDigits, 21, 21, "maximumSignificantDigits") : 21;
    }
    if (needFraction) {
      if (hasFraction) {
        minFraction = digits(minFraction, 0, 100, undefined, "minimumFractionDigits");
        maxFraction = digits(maxFraction, 0, 100, undefined, "maximumFractionDigits");
        if (minFraction === undefined) minFraction = least < maxFraction ? least : maxFraction;
        else if (maxFraction === undefined) maxFraction = most > minFraction ? most : minFraction;
        else if (minFraction > maxFraction) throw new RangeError("maximumFractionDigits value is out of range.");
        out.minFraction = minFraction;
        out.maxFraction = maxFraction;
      } else {
        out.minFraction = least;
        out.maxFraction = most;
      }
    }
    if (!needDigits && !needFraction) {
      out.minFraction = out.maxFraction = 0;
      out.minDigits = 1;
      out.maxDigits = 2;
      out.priority = "morePrecision";
    }
    if (increment !== 1) {
      if (needDigits || !needFraction) throw new TypeError("roundingIncrement needs fraction digits alone");
      if (out.maxFraction !== out.minFraction) throw new RangeError("roundingIncrement needs as many maximumFractionDigits as minimumFractionDigits");
    }
    return out;
  };
  kit.shownDigits = (o) => ({
    minimumIntegerDigits: o.minInteger,
    minimumFractionDigits: o.minFraction < 0 ? undefined : o.minFraction, maximumFractionDigits: o.maxFraction < 0 ? undefined : o.maxFraction,
    minimumSignificantDigits: o.minDigits < 0 ? undefined : o.minDigits, maximumSignificantDigits: o.maxDigits < 0 ? undefined : o.maxDigits,
  });
  kit.shownRounding = (o) => ({ roundingIncrement: o.increment, roundingMode: o.roundingMode, roundingPriority: o.priority, trailingZeroDisplay: o.trailingZero });

  const grouping = (options, notation) => {
    const fallback = notation === "compact" ? "min2" : "auto", value = options.useGrouping;
    if (value === undefined) return fallback;
    if (value === true) return "always";
    if (!value) return false;
    const name = `${value}`;
    if (name === "true" || name === "false") return fallback;
    return text({ useGrouping: name }, "useGrouping", ["min2", "auto", "always"], fallback);
  };

  const initialize = (locales, given) => {
    const { locale } = localeOf(locales), options = coerce(given);
    matcher(options);
    const numberingSystem = kit.latin(options);
    const style = text(options, "style", ["decimal", "percent", "currency", "unit"], "decimal");
    let currency = text(options, "currency", undefined, undefined);
    if (currency !== undefined && matches(/^[a-z]{3}$/i, currency) === null) throw new RangeError(`Invalid currency code : ${currency}`);
    if (currency === undefined && style === "currency") throw new TypeError("Currency code is required with currency style.");
    const currencyDisplay = text(options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol");
    const currencySign = text(options, "currencySign", ["standard", "accounting"], "standard");
    const unit = text(options, "unit", undefined, undefined);
    if (unit !== undefined && !native.isUnit(unit)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
    if (unit === undefined && style === "unit") throw new TypeError("Unit is required with unit style.");
    const unitDisplay = text(options, "unitDisplay", ["short", "narrow", "long"], "short");
    const notation = text(options, "notation", ["standard", "scientific", "engineering", "compact"], "standard");
    const money = style === "currency";
    if (money) currency = upper(currency);
    const plain = money && notation === "standard", places = plain ? native.currencyDigits(currency) : 0;
    const limits = kit.digitOptions(options, places, plain ? places : style === "percent" ? 0 : 3, notation);
    const compactDisplay = text(options, "compactDisplay", ["short", "long"], "short");
    const useGrouping = grouping(options, notation);
    const signDisplay = text(options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto");
    const format = native.number({ style, currency: money ? currency : "", currencyDisplay, currencySign, unit: style === "unit" ? unit : "", unitDisplay, notation, compactDisplay, signDisplay, grouping: `${useGrouping}`, ...limits });
    return {
      format,
      shown: {
        locale, numberingSystem, style,
        ...(money ? { currency, currencyDisplay, currencySign } : {}), ...(style === "unit" ? { unit, unitDisplay } : {}),
        ...kit.shownDigits(limits), useGrouping, notation, ...(notation === "compact" ? { compactDisplay } : {}), signDisplay, ...kit.shownRounding(limits),
      },
    };
  };
  const range = (own, op, start, end) => {
    if (start === undefined || end === undefined) throw new TypeError("a range needs two numbers");
    const from = kit.numberText(start), to = kit.numberText(end);
    if (from === "NaN" || to === "NaN") throw new RangeError("a range needs numbers");
    return own.format(op, from, to);
  };
  service("NumberFormat", initialize, (state) => ({
    get format() {
      const own = state(this);
      return own.bound ||= { f: (value) => own.format("text", kit.numberText(value)) }.f;
    },
    formatToParts(value) { return parts(state(this).format("parts", kit.numberText(value)), "type", "value"); },
    formatRange(start, end) { return range(state(this), "range", start, end); },
    formatRangeToParts(start, end) { return parts(range(state(this), "rangeParts", start, end), "type", "value", "source"); },
    resolvedOptions() { return kit.copy(state(this).shown); },
  }), true);

  const valueOf = take(Number.prototype, "valueOf"), bigValueOf = take(BigInt.prototype, "valueOf");
  kit.define(Number.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      const value = valueOf(this);
      return initialize(locales, options).format("text", kit.numberText(value));
    },
  });
  kit.define(BigInt.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      const value = bigValueOf(this);
      return initialize(locales, options).format("text", kit.numberText(value));
    },
  });
})
