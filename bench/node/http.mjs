// The server over streamable HTTP, one transport a session.
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { adder } from './add.mjs'

const transports = new Map()
async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => transports.set(id, transport),
  })
  await adder().connect(transport)
  return transport
}
const web = http.createServer(async (request, response) => {
  const transport = transports.get(request.headers['mcp-session-id']) ?? (await begin())
  await transport.handleRequest(request, response)
})
web.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${web.address().port}/mcp`))
