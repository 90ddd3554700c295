// An MCP server with one tool, as the official TypeScript SDK has it done.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

export function adder() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool(
    'add',
    { description: 'adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    async ({ a, b }) => {
      const value = { sum: a + b }
      return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
    },
  )
  return server
}
