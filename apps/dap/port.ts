/** The adapter behind `postMessage`: in a worker, or at the end of a MessageChannel. */
import { DebugAdapter } from './adapter.ts'
import type { AdapterHost } from './context.ts'

/** What both ends of a channel and the inside of a worker have. */
export interface Port {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  start?(): void
}

/** Serves one client; messages are objects of the protocol. */
export function serveOnPort(port: Port, host: AdapterHost): DebugAdapter {
  const adapter = new DebugAdapter(host, (message) => port.postMessage(message))
  port.addEventListener('message', ({ data }) => adapter.handle(data))
  port.start?.()
  return adapter
}
