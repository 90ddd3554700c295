/*---
kind: script
name: test_tool_with_progress
description: Says how far it has come.
---*/
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default async (ctx) => {
  for (const done of [0, 50, 100]) {
    ctx.progress({ done, total: 100 })
    await sleep(50)
  }
  return 'It went from 0 to 100.'
}
