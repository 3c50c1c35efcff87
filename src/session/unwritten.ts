/** Why words of memory have no value of the run's own. */
import type { DebugSession } from './session.ts'
import { type MemorySpace, SHARED_SPACE } from './spaces.ts'

/** Of a resource: what was bound is still there. */
const AS_BOUND = 'not written by the run so far'

/**
 * `never written`; `undefined` where what was stored depends on such a value; undefined where the word has a value, or where the run
 * has not been gone over for that.
 */
export function unwrittenText(session: DebugSession, space: MemorySpace, byteOffset: number): string | undefined {
  const { undefinedMoment: moment } = session.timeLine
  if (space.name === SHARED_SPACE) return moment?.shared(session.focus.group, byteOffset)
  const { resource, isWritable } = space
  const isBound = isWritable && resource !== undefined && moment?.isStored(resource, byteOffset) === false
  return isBound ? AS_BOUND : undefined
}
