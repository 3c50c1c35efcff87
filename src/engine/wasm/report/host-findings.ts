import type { GroupCounts, LoadedShader } from '../../contract.ts'
import type { Finding } from '../../findings.ts'
import type { EffectItem } from '../../ir/index.ts'
import { HEADER, STOPPED } from '../emit/kernel-layout.ts'
import { type Found, foundBy } from './findings.ts'

/**
 * Findings of texel operations that the host does, kept like the records that code leaves; `run/host-calls.ts` adds
 * them.
 */

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** What a call to the host finds wrong with a lane. */
export type FindingDetails = Pick<Finding, 'reason' | 'defined' | 'address' | 'limit' | 'texel'>

/** Which lane of which thread group: the number of the wave's first thread, the group, and the lane. */
interface LanePlace {
  readonly firstThread: number
  readonly group: readonly [number, number, number]
  readonly lane: number
}

/** Where a dispatch keeps what host calls touch beside their arguments, as word numbers of the memory. */
interface HostWords {
  /** How many findings of one thread have been begun; counts on with those of records. */
  readonly order: number
  readonly descriptor: number
}

/** What texel operations that the host does find, folded by statement and reason as records are. */
export class HostFindings {
  found: Found[] = []
  /** Made with the first finding: most draws have none. */
  #byName: Map<string, Found> | undefined
  readonly #shader: LoadedShader
  readonly #groups: GroupCounts
  readonly #words: HostWords
  readonly #traps: boolean
  readonly #describe: ((invocation: number) => string) | undefined

  constructor(
    shader: LoadedShader,
    groups: GroupCounts,
    words: HostWords,
    traps: boolean,
    describe?: (invocation: number) => string,
  ) {
    this.#shader = shader
    this.#groups = groups
    this.#words = words
    this.#traps = traps
    this.#describe = describe
  }

  /** What was found since the last call. */
  take(): readonly Found[] {
    const { found } = this
    this.found = []
    this.#byName?.clear()
    return found
  }

  /** `memory` are the words of the whole memory. */
  add(memory: Uint32Array, item: Texel, details: FindingDetails, place: LanePlace): void {
    if (this.#traps && !details.defined) memory[this.#words.descriptor + HEADER.stopped] = STOPPED.trap
    const name = `${item.statement} ${details.reason} ${details.defined}`
    const byName = (this.#byName ??= new Map())
    const known = byName.get(name)
    if (known !== undefined) {
      known.count++
      return
    }
    const order = ++memory[this.#words.order]!
    const made = foundBy(this.#shader, this.#groups, item, details, { ...place, order }, this.#describe)
    byName.set(name, made)
    this.found.push(made)
  }
}
