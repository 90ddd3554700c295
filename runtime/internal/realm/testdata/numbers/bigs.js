// BigInts near what the engine has bits for.
const bigs = [0n, 1n, -1n, 5n, -5n, 2n ** 31n, -(2n ** 31n), 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 64n + 1n, 12345678901234567890n,
  10n ** 20n, -(10n ** 20n), 2n ** 1023n, 2n ** 1024n - 2n ** 970n - 1n, 2n ** 1024n - 2n ** 970n, 2n ** 1024n, -(2n ** 1024n), 10n ** 400n];
const allBigs = (f) => bigs.map((x) => one(f, x));
