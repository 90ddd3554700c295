// Methods of strings for lone surrogates, those that make HTML, and RegExp.escape.
(function (kit, global) {
  "use strict";
  const { TypeError, take } = kit;
  const { String, RegExp } = global;
  const at = take(String.prototype, "charCodeAt"), slice = take(String.prototype, "slice"), replaceAll = take(String.prototype, "replaceAll");
  const hex = take(Number.prototype, "toString"), pad = take(String.prototype, "padStart");

  // lone is the place of the first lone surrogate from a place on; -1 if there is none.
  const lone = (text, from) => {
    for (let i = from; i < text.length; i++) {
      const unit = at(text, i);
      if (unit < 0xd800 || unit > 0xdfff) continue;
      if (unit > 0xdbff || i + 1 === text.length) return i;
      const next = at(text, i + 1);
      if (next < 0xdc00 || next > 0xdfff) return i;
      i++;
    }
    return -1;
  };
  const textOf = (self, name) => {
    if (self === undefined || self === null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
    return `${self}`;
  };
  kit.missing(String.prototype, {
    isWellFormed() { return lone(textOf(this, "isWellFormed"), 0) < 0; },
    toWellFormed() {
      const text = textOf(this, "toWellFormed");
      let out = "", from = 0;
      for (let i; (i = lone(text, from)) >= 0; from = i + 1) out += slice(text, from, i) + "\ufffd";
      return out + slice(text, from);
    },
  });

  const html = (self, name, tag, attribute, value) => {
    const text = textOf(self, name);
    if (attribute === undefined) return `<${tag}>${text}</${tag}>`;
    return `<${tag} ${attribute}="${replaceAll(`${value}`, '"', "&quot;")}">${text}</${tag}>`;
  };
  kit.missing(String.prototype, {
    anchor(name) { return html(this, "anchor", "a", "name", name); },
    big() { return html(this, "big", "big"); },
    blink() { return html(this, "blink", "blink"); },
    bold() { return html(this, "bold", "b"); },
    fixed() { return html(this, "fixed", "tt"); },
    fontcolor(color) { return html(this, "fontcolor", "font", "color", color); },
    fontsize(size) { return html(this, "fontsize", "font", "size", size); },
    italics() { return html(this, "italics", "i"); },
    link(href) { return html(this, "link", "a", "href", href); },
    small() { return html(this, "small", "small"); },
    strike() { return html(this, "strike", "strike"); },
    sub() { return html(this, "sub", "sub"); },
    sup() { return html(this, "sup", "sup"); },
  });

  const space = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\ufeff\u2028\u2029";
  const index = take(String.prototype, "indexOf");
  const escaped = (text, i, unit) => {
    const c = text[i];
    if (i === 0 && (unit >= 48 && unit <= 57 || unit >= 65 && unit <= 90 || unit >= 97 && unit <= 122)) return "\\x" + hex(unit, 16);
    if (index("^$\\.*+?()[]{}|/", c) >= 0) return "\\" + c;
    const control = index("\t\n\v\f\r", c);
    if (control >= 0) return "\\" + "tnvfr"[control];
    const surrogate = unit >= 0xd800 && unit <= 0xdfff && lone(slice(text, i, i + 2), 0) === 0;
    if (index(",-=<>#&!%:;@~'`\"", c) < 0 && index(space, c) < 0 && !surrogate) return c;
    return unit <= 0xff ? "\\x" + pad(hex(unit, 16), 2, "0") : "\\u" + pad(hex(unit, 16), 4, "0");
  };
  kit.missing(RegExp, {
    escape(text) {
      if (typeof text !== "string") throw new TypeError("RegExp.escape takes a string");
      let out = "";
      for (let i = 0; i < text.length; i++) {
        const unit = at(text, i);
        if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length && lone(slice(text, i, i + 2), 0) < 0) {
          out += text[i] + text[++i];
        } else out += escaped(text, i, unit);
      }
      return out;
    },
  });
})
