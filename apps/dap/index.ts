/**
 * A server of the debug adapter protocol over debug sessions. It takes and gives messages as objects, so that the same
 * server runs behind standard input, a socket and `postMessage` in a worker: it uses nothing of Node.
 *
 * Invariants: every request is answered once; references to frames and variables are of one stop; what runs can be
 * stopped, and everything else waits until it has. It reaches shaders only through `session`.
 */
export { DebugAdapter } from './adapter.ts'
export { type AdapterHost, type LaunchArguments, sessionOptions, type ThreadMode } from './context.ts'
export { encodeMessage, MessageReader } from './framing.ts'
export { type FilesOfLaunch, memoryAdapterHost } from './memory-host.ts'
export { type Port, serveOnPort } from './port.ts'
export { startDebugServer } from './start.ts'
