// What regular expressions find in texts, here and in Node. cases has, for each, the literal,
// the literal with flag d, the pattern and the flags as texts.
async (cases, texts, whole) => {
  const exec = (re, text) => {
    const all = [];
    for (let turn = 0; turn < 4; turn++) {
      const m = re.exec(text);
      all.push(m && [m, m.index, m.input === text, m.groups, m.indices, m.indices.groups], re.lastIndex);
      if (!m || re.lastIndex === 0) break;
    }
    re.lastIndex = 0;
    return all;
  };
  const one = (re, indices) => texts.map((text) => [
    exec(indices, text),
    text.replace(re, "<$1|$&|$<name>>"),
    text.split(re, 12),
    re.lastIndex,
  ]);
  const digest = async (value) => {
    const text = JSON.stringify(value);
    return whole ? text : Array.from(new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text))).subarray(0, 8)).join();
  };
  const out = [];
  for (const [re, indices, pattern, flags] of cases) {
    const found = one(re, indices);
    const made = one(new RegExp(pattern, flags), new RegExp(pattern, indices.flags));
    out.push([await digest([re.source, re.flags, found]), await digest([re.source, re.flags, made]), found.filter(([[m]]) => m).length]);
  }
  return out;
}
