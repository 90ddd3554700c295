export default async function run(ctx, inputs) {
  const [hits, files] = await Promise.all([
    ctx.tool("grep", { pattern: inputs.pattern ?? "TODO" }),
    ctx.tools.glob({ pattern: "**/*.js" }),
  ]);
  return { summary: "done", hits: hits.output, files: files.output };
}
