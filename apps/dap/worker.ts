/** The debug server in a worker: the whole module is `startDebugServer(self)`. */
import type { Port } from './port.ts'
import { startDebugServer } from './start.ts'

startDebugServer(globalThis as unknown as Port)
