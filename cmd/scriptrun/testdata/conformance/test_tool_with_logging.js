/*---
kind: script
name: test_tool_with_logging
description: Writes to the console.
---*/
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default async () => {
  console.info('Tool execution started')
  await sleep(50)
  console.info('Tool processing data')
  await sleep(50)
  console.info('Tool execution completed')
  return 'Its console was written to three times.'
}
