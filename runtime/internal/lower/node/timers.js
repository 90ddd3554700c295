"use strict";
const immediate = (f, ...args) => setTimeout(f, 0, ...args);
module.exports = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate: globalThis.setImmediate ?? immediate, clearImmediate: globalThis.clearImmediate ?? clearTimeout };
module.exports.promises = require("timers/promises");
