// What the rows of this folder are tried with. all(f) is what f gives for each of them, or the
// error's name.
const sizes = [0, 1, 2, 31, 32, 33, 255, 256, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 2 ** 62, 2 ** 63 - 1024,
  2 ** 63, 2 ** 63 + 2048, 2 ** 64 - 2048, 2 ** 64, 2 ** 64 + 4096, 1e20, 123456789012345680000, 2 ** 70 + 2 ** 31, 2 ** 83 + 2 ** 31, 2 ** 84, 1e300, 1.7976931348623157e308, Infinity,
  0.5, 1.5, 2.5, 4294967295.7, 2147483648.5, 5e-324];
const values = [...sizes, ...sizes.map((n) => -n), NaN, undefined, null, true, false];
const texts = ["", " ", "0", "-0", "12", " 12\n", "1.5", "1e3", "1e20", "-1e20", "1e400", "-1e400", "Infinity", "-Infinity", "infinity", "x", "1x", "0x", "0x10", "0XfF", "-0x10", "+0x10", "0b101", "0B101", "0o17", "0O17", "0b2", "0o8", "0xg",
  "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x10000000000000000", "0x20000000000001", "0x20000000000003", "0x40000000000000400", "0x40000000000000401", "0x56bc75e2d63100000", " 0xFFFFFFFFFFFFFFFFFFFF\t",
  "0x" + "f".repeat(300), "0x1" + "0".repeat(256), "0b" + "1".repeat(63), "0b" + "1".repeat(64), "0b" + "1".repeat(70), "0b1" + "0".repeat(1024), "0o777777777777777777777", "0o1000000000000000000000", "0o" + "7".repeat(40),
  "0xffffffffffffffff1g", "0x_ffffffffffffffffff", "0xffffffffffffffffff.8", "1_0", "123456789012345678", "123456789012345678901234", "-123456789012345678901234", "0.1234567890123456789012345", "9007199254740993", "18446744073709551615",
  "9".repeat(400), "-" + "9".repeat(30), "\u00a00xffffffffffffffff\ufeff", "0xffffffffffffffff\u00e9"];
const one = (f, ...x) => { try { return f(...x); } catch (e) { return e.name; } };
const all = (f) => values.map((x) => one(f, x));
const allTexts = (f) => texts.map((x) => one(f, x));
