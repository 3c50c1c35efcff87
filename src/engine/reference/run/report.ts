import { POISON_WORD } from '../../../machine/index.ts'
import type { MemorySpace, UndefinedReason } from '../../observer.ts'
import type { TexelAxis } from '../../texel-axes.ts'
import { waveSite } from './site.ts'
import type { Halt, Wave } from './state.ts'

/** Which operand of which statement an access belongs to. */
export interface AccessSite {
  readonly statement: number
  readonly operand: number
  readonly access: 'load' | 'store' | 'atomic' | 'other'
  readonly space: MemorySpace | 'other'
  /** Register, or range identifier in Shader Model 5.1. */
  readonly register: number
  /** As people write it: `u0`. */
  readonly name: string
}

/** Thread in its group, in x, y, z. */
function threadOf(w: Wave, lane: number): readonly [number, number, number] {
  const [x, y] = w.group.threads
  const flat = w.firstThread + lane
  return [flat % x, Math.floor(flat / x) % y, Math.floor(flat / (x * y))]
}

/** What is wrong with an operation of one thread. */
interface Violation {
  readonly reason: UndefinedReason
  /** The address, index or number that is wrong, and the limit that it broke; what they count depends on the reason. */
  readonly address: number
  readonly limit: number
  /** Direct3D defines the operation as dropped, or as 0; otherwise it leaves it undefined. */
  readonly defined: boolean
  /** Coordinates of a texel out of bounds. */
  readonly texel?: readonly TexelAxis[] | undefined
}

/** Adds a finding and notifies the observer; under the policy `trap` an undefined operation ends the dispatch. */
export function report(w: Wave, site: AccessSite, lane: number, violation: Violation): void {
  if (w.quiet) return
  const { reason, address, limit, defined, texel } = violation
  const { dispatch, group } = w
  const { statement, operand, access, space, register } = site
  if (!dispatch.findings.counts({ reason, defined, statement, operand })) {
    dispatch.findings.add({
      reason,
      defined,
      statement,
      operand,
      register: site.name,
      access,
      address,
      limit,
      texel,
      group: [group.groupX, group.groupY, group.groupZ],
      thread: threadOf(w, lane),
      invocation: group.batch?.describe(w.firstThread + lane),
    })
  }
  dispatch.observer?.undefined?.({
    wave: waveSite(w),
    reason,
    operand,
    access,
    space,
    register,
    lane,
    address,
    limit,
    texel,
    defined,
  })
  if (!defined && dispatch.policy === 'trap') {
    const halt: Halt = { halt: 'trap', statement: site.statement }
    throw halt
  }
}

/** What an undefined read gives: the safe 0, or a word that shows. */
export function undefinedWord(w: Wave): number {
  return w.dispatch.policy === 'poison' ? POISON_WORD | 0 : 0
}
