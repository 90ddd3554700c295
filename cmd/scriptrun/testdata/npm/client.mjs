// What the official TypeScript client sees of scriptrun serve. It is given the
// tools directory, and either a URL or a command.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, LoggingMessageNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

const [tools, target, ...args] = process.argv.slice(2)
const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } })
const asked = []
const questions = []
const answers = ['no', 'yes']
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  if (params.requestedSchema.properties.answer) {
    questions.push(params)
    return { action: 'accept', content: { answer: answers.shift() } }
  }
  asked.push(params)
  return { action: 'accept', content: { b: 40 } }
})
const logs = []
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.push(params))
let changed
client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed?.())

const transport = target.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, stderr: 'inherit' })
await client.connect(transport)

const names = async () => (await client.listTools()).tools.map((tool) => tool.name)
assert.deepEqual(await names(), ['add', 'push', 'talk', 'wait', 'read_output'])

const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
assert.deepEqual(sum.structuredContent, { sum: 3 })
assert.equal(JSON.parse(sum.content[0].text).sum, 3)

const wrong = await client.callTool({ name: 'add', arguments: { a: 'x', b: 2 } })
assert.ok(wrong.isError && wrong.content[0].text.includes('What to do'))

const completed = await client.callTool({ name: 'add', arguments: { a: 2 } })
assert.deepEqual(completed.structuredContent, { sum: 42 })
assert.deepEqual(asked[0].requestedSchema.required, ['b'])

// A rule of the project asks about git push: no, and then yes, after which git itself fails.
for (const [ended, says] of [[/^ToolError denied/, /git push nowhere/], [/^ToolError failed/, /bash\(git push \*\)/]]) {
  const pushed = await client.callTool({ name: 'push' })
  assert.match(pushed.content[0].text, ended)
  assert.match(questions.at(-1).message, says)
}
assert.equal(questions.length, 2)

await client.setLoggingLevel('info')
const progress = []
const talked = await client.callTool({ name: 'talk' }, undefined, { onprogress: (p) => progress.push(p) })
assert.equal(talked.content[0].text, 'done')
assert.deepEqual(progress.map((p) => p.progress), [1, 2, 3])
assert.deepEqual(logs.map((l) => l.data), ['hello'])

const cancelling = new AbortController()
const waiting = client.callTool({ name: 'wait' }, undefined, {
  signal: cancelling.signal,
  onprogress: () => cancelling.abort(new Error('no more')),
})
await assert.rejects(waiting, /no more/)

const receipt = await client.readResource({ uri: sum._meta['scriptrun/report'] })
assert.equal(JSON.parse(receipt.contents[0].text).outcome, 'ok')

const seen = new Promise((resolve) => { changed = resolve })
fs.writeFileSync(path.join(tools, 'new.js'), '/*---\nkind: script\ndescription: It is new.\n---*/\nexport default () => "new"\n')
await seen
assert.deepEqual(await names(), ['add', 'new', 'push', 'talk', 'wait', 'read_output'])
assert.equal((await client.callTool({ name: 'new' })).content[0].text, 'new')

await client.close()
console.log('all of it holds')
