/*---
kind: script
description: Does not await a call, and makes one that it may not.
allowed_tools: [read]
---*/
export default async (ctx) => { const text = ctx.readFile("README.md"); await ctx.bash("wc -l README.md"); return text; };
