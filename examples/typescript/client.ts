// Starts scriptrun serve, as an agent does, lists its tools and calls one:
//
//   npm install @modelcontextprotocol/sdk
//   node client.ts TOOLS-DIRECTORY NAME JSON-ARGUMENTS     (Node 22.18 or later)
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const [directory, name, args] = process.argv.slice(2) as [string, string, string]

const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: 'scriptrun', args: ['serve', '--tools', directory] }))

for (const tool of (await client.listTools()).tools) {
  console.log(tool.name, '-', tool.description)
}
const result = await client.callTool({ name, arguments: JSON.parse(args) as Record<string, unknown> })
console.log(JSON.stringify(result.structuredContent ?? result.content))
await client.close()
