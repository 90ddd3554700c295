// The server over stdio.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { adder } from './add.mjs'

await adder().connect(new StdioServerTransport())
