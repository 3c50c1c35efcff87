/** The workers of the page. Each is started when it is first needed, and ends when it is stopped. */
import { WorkerCalls, type WorkerLike } from '../../model/calls.ts'
import type { DebugCalls } from '../../model/debug.ts'
import type { EngineCalls } from '../../model/run.ts'
import type { ReaderCalls } from '../../model/shader.ts'

const starter = (file: string) => (): WorkerLike => new Worker(new URL(file, document.baseURI), { type: 'module' })

export const reader = new WorkerCalls<ReaderCalls>(starter('reader.js'))
export const engine = new WorkerCalls<EngineCalls>(starter('engine.js'))
export const debuggerCalls = new WorkerCalls<DebugCalls>(starter('debugger.js'))
