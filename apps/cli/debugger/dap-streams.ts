/** The debug adapter behind streams of bytes: standard input and output, sockets. */
import { createServer, type Server } from 'node:net'
import { type AdapterHost, DebugAdapter, encodeMessage, MessageReader } from '../../dap/index.ts'

interface Bytes {
  on(event: 'data', listener: (bytes: Buffer) => void): unknown
}

/** Serves one client until it disconnects. */
export function serveStream(input: Bytes, write: (bytes: Uint8Array) => void, host: AdapterHost): void {
  const adapter = new DebugAdapter(host, (message) => write(encodeMessage(message)))
  const reader = new MessageReader((message) => adapter.handle(message))
  input.on('data', (bytes) => reader.push(bytes))
}

/** Serves clients on a port of this computer, each with a session of its own; port 0 takes a free one. */
export function serveSockets(port: number, host: () => AdapterHost): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    serveStream(socket, (bytes) => void (socket.writable && socket.write(bytes)), host())
  })
  return new Promise((done, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', () => done(server))
  })
}
