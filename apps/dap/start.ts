import type { DebugAdapter } from './adapter.ts'
import { memoryAdapterHost } from './memory-host.ts'
import { type Port, serveOnPort } from './port.ts'

/**
 * Starts the debug server behind a port: `self` of a worker, or an end of a MessageChannel. Messages are objects of the debug
 * adapter protocol in both directions, without headers. Nothing of Node is loaded, and no file is read: a launch request
 * brings what it needs,
 *
 *     { command: 'launch', arguments: { job: description, files: { 'blur.dxbc': bytes, 'blur.hlsl': text } } }
 *
 * where `job` is a run description as data or as text; in its place `program` names one of `files`, whose paths the
 * description's own are then seen from. In a worker of a page:
 *
 *     startDebugServer(self)
 *
 * and in the page `worker.postMessage({ seq: 1, type: 'request', command: 'initialize', arguments: { adapterID: 'heddle' } })`.
 * `dist/worker/debug-server.js` is a module that does this. Requests beyond the protocol are in docs/debugging.md.
 */
export function startDebugServer(port: Port): DebugAdapter {
  return serveOnPort(port, memoryAdapterHost())
}
