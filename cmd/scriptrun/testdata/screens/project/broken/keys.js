/*---
kind: script
description: Has a key that is misspelt, and a type that there is not.
allowed_tool: [read]
input_schema: {type: object, properties: {path: {type: strng}}}
---*/
export default (ctx, { path }) => ctx.readFile(path);
