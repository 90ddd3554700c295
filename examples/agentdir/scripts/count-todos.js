// Runs as it is in other hosts of this file shape: text helpers, a promise for
// each call, the inputs as second argument.
export default async function run(ctx, inputs) {
  const mark = inputs.mark || "TODO";
  const dir = inputs.dir || ".";
  const found = await ctx.grep(mark, { path: dir });
  const counts = {};
  for (const line of found.split("\n")) {
    const file = line.split(":")[0];
    if (file) counts[file] = (counts[file] || 0) + 1;
  }
  return { summary: `${Object.keys(counts).length} files mention ${mark}`, counts };
}
