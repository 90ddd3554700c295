// The same server over streamable HTTP, one transport a session.
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

const transports = new Map()
async function begin() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool(
    'add',
    { description: 'adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    async ({ a, b }) => {
      const value = { sum: a + b }
      return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
    },
  )
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => transports.set(id, transport),
  })
  await server.connect(transport)
  return transport
}
const web = http.createServer(async (request, response) => {
  const transport = transports.get(request.headers['mcp-session-id']) ?? (await begin())
  await transport.handleRequest(request, response)
})
web.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${web.address().port}/mcp`))
