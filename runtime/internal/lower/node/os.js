// A script does not see its machine: this is what code needs that asks what kind it is.
"use strict";
module.exports = { EOL: "\n", platform: () => "linux", type: () => "Linux", arch: () => "x64", endianness: () => "LE", release: () => "", tmpdir: () => "/tmp", availableParallelism: () => 1, cpus: () => [], constants: { signals: {} }, devNull: "/dev/null" };
