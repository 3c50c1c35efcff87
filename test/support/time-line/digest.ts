/** Everything that a debugger shows of a moment, as one number. */
import type { GroupState, LoadedShader, Observer, RegisterPlace, WaveState } from '../../../src/engine/index.ts'
import type { ResolvedBindings } from '../../../src/machine/index.ts'

/** Mixes a word into a digest. */
const mixOne = (digest: number, word: number): number => Math.imul(digest ^ word, 0x01000193) ^ (digest >>> 15)

export function mix(digest: number, words: ArrayLike<number>): number {
  let d = digest
  for (let i = 0; i < words.length; i++) d = mixOne(d, words[i]!)
  return d
}

/** The registers that a compute shader declares, by the numbers of the token format. */
export function placesOf({ declarations }: LoadedShader): RegisterPlace[] {
  const [TEMP, INDEXABLE, THREAD_ID, GROUP_ID, IN_GROUP, FLATTENED] = [0, 3, 32, 33, 34, 36]
  const places: RegisterPlace[] = []
  const add = (file: number, indices: readonly number[], count: number): void => {
    for (let component = 0; component < count; component++) places.push({ file, indices, component })
  }
  for (let r = 0; r < declarations.tempCount; r++) add(TEMP, [r], 4)
  for (const x of declarations.indexableTemps) for (let i = 0; i < x.count; i++) add(INDEXABLE, [x.register, i], 4)
  for (const file of [THREAD_ID, GROUP_ID, IN_GROUP]) add(file, [], 3)
  add(FLATTENED, [], 1)
  return places
}

/** Where a wave stands. */
function mixPlace(digest: number, w: WaveState): number {
  const status = ['ready', 'waiting', 'ended'].indexOf(w.status)
  const { active, ended } = w
  let d = mix(digest, [w.statement, status, active.low, active.high, ended.low, ended.high, w.callDepth])
  d = mix(d, [w.barrier ?? -1, w.firstThread, w.laneCount])
  for (const f of w.frames()) d = mix(d, [f.call ?? -1, f.joins.low, f.joins.high, f.others.low, f.others.high])
  return d
}

function registersDigest(w: WaveState, places: readonly RegisterPlace[]): number {
  const { laneCount } = w
  let d = 0x51ed270b
  for (const place of places) for (let l = 0; l < laneCount; l++) d = mixOne(d, w.register(place, l) ?? 0x7f)
  return d
}

/** What digests of single parts are taken from. */
interface Parts {
  registers(w: WaveState, group: number): number
  shared(g: GroupState): number
  memory(): number
}

/** What is written: the bytes of views, and their counters. */
function memoryDigest({ u }: ResolvedBindings): number {
  let d = 0x2545f491
  for (const view of u.values()) {
    d = mix(d, view.storage.words)
    if (view.shape === 'structured' && view.counter !== undefined)
      d = mixOne(d, view.counter.words[view.counter.index]!)
  }
  return d
}

function digestFrom(groups: readonly GroupState[], parts: Parts): number {
  let d = 0x1234567
  for (const g of groups) {
    d = mix(d, [g.group, ...g.position, g.epoch, parts.shared(g)])
    for (const w of g.waves) d = mixOne(mixPlace(d, w), parts.registers(w, g.group))
  }
  return mixOne(d, parts.memory())
}

export type DigestOf = (groups: readonly GroupState[]) => number

/** Looks at everything, each time. */
export const wholeDigest =
  (bindings: ResolvedBindings, places: readonly RegisterPlace[]): DigestOf =>
  (groups) =>
    digestFrom(groups, {
      registers: (w) => registersDigest(w, places),
      shared: (g) => mix(0x3c6ef372, g.tgsm),
      memory: () => memoryDigest(bindings),
    })

/**
 * The same numbers for a run that goes forward statement by statement: looks again at the registers of waves that executed, and
 * at memory that a statement wrote to, by the events of the run.
 */
export class FollowedDigest {
  readonly observer: Observer
  readonly of: DigestOf
  readonly #registers = new Map<string, number>()
  readonly #shared = new Map<number, number>()
  #memory: number | undefined

  constructor(bindings: ResolvedBindings, places: readonly RegisterPlace[]) {
    this.observer = {
      instruction: (w) => void this.#registers.delete(`${w.group} ${w.wave}`),
      memory: ({ access, space, wave }) => {
        if (access === 'load') return
        if (space === 'tgsm') this.#shared.delete(wave.group)
        else this.#memory = undefined
      },
    }
    const parts: Parts = {
      registers: (w, group) => {
        const key = `${group} ${w.wave}`
        const known = this.#registers.get(key) ?? registersDigest(w, places)
        this.#registers.set(key, known)
        return known
      },
      shared: (g) => {
        const known = this.#shared.get(g.group) ?? mix(0x3c6ef372, g.tgsm)
        this.#shared.set(g.group, known)
        return known
      },
      memory: () => {
        this.#memory ??= memoryDigest(bindings)
        return this.#memory
      },
    }
    this.of = (groups) => digestFrom(groups, parts)
  }

  /** Something was changed that no statement did. */
  forget(): void {
    this.#registers.clear()
    this.#shared.clear()
    this.#memory = undefined
  }
}
