import { type Outcome, present } from '../diagnostic/index.ts'
import { createReferenceEngine, numberOps } from '../engine/reference/index.ts'
import type { Description, JobHost } from '../job/index.ts'
import { type DebugSession, openSession, type SessionOptions } from '../session/index.ts'

/** Opens a debug session over what a run description says, on the engine that goes both ways. */
export function debug(
  description: Description,
  host: JobHost,
  options: Omit<SessionOptions, 'operations'> = {},
): Promise<Outcome<DebugSession>> {
  const operations = numberOps({ denormals: 'flush' })
  return openSession(description, host, createReferenceEngine({}), { ...present(options), operations })
}
