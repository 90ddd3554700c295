/*---
kind: script
name: orders
description: |
  Count the open orders of each customer in a file,
  and list those that have waited longest. Orders without a date count as new.

  The file is JSON, or CSV with a row of names.
allowed_tools: [bash, ls, read]
input_schema:
  type: object
  required: [path]
  properties:
    path: {type: string, description: "the file with the orders, below the workspace"}
    oldest: {type: integer, minimum: 1, default: 5, description: how many to list}
    format: {enum: [text, json], default: text}
output_schema:
  type: object
  properties:
    customers: {type: integer}
    open: {type: integer, description: orders that were not sent}
---*/
function openOrders(data) {
  return data.customers.flatMap((customer) => customer.orders).filter((order) => !order.sent);
}

export default async function run(ctx, { path }) {
  console.log("reading", path, "which may take a while if there are many customers in it");
  await ctx.bash("echo three rows of it are empty; exit 3").catch((e) => console.warn(e.message));
  const data = JSON.parse(await ctx.readFile(path));
  return { customers: data.customers.length, open: openOrders(data).length };
}
