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

const waveDigest = (w: WaveState, places: readonly RegisterPlace[]): number =>
  mixOne(mixPlace(0x6a09e667, w), registersDigest(w, places))

/** A group, of digests of its waves and of its shared memory. */
const groupDigest = (g: GroupState, shared: number, ofWave: (w: WaveState) => number): number => {
  let d = mix(0x1234567, [g.group, ...g.position, g.epoch, shared])
  for (const w of g.waves) d = mixOne(d, ofWave(w))
  return d
}

const sharedDigest = (g: GroupState): number => mix(0x3c6ef372, g.tgsm)

function together(groups: readonly GroupState[], ofGroup: (g: GroupState) => number, memory: number): number {
  let d = 0x5be0cd19
  for (const g of groups) d = mixOne(d, ofGroup(g))
  return mixOne(d, memory)
}

export type DigestOf = (groups: readonly GroupState[]) => number

/** Looks at everything, each time. */
export const wholeDigest =
  (bindings: ResolvedBindings, places: readonly RegisterPlace[]): DigestOf =>
  (groups) =>
    together(groups, (g) => groupDigest(g, sharedDigest(g), (w) => waveDigest(w, places)), memoryDigest(bindings))

/** What is known of one group until a statement changes it. */
interface KnownGroup {
  whole: number | undefined
  shared: number | undefined
  readonly waves: (number | undefined)[]
}

/**
 * The same numbers for a run that goes forward statement by statement: looks again at waves that executed or were released, and
 * at memory that a statement wrote to, by the events of the run.
 */
export class FollowedDigest {
  readonly observer: Observer
  readonly of: DigestOf
  readonly #groups = new Map<number, KnownGroup>()
  #memory: number | undefined

  constructor(bindings: ResolvedBindings, places: readonly RegisterPlace[]) {
    const changed = (group: number): KnownGroup => {
      const known = this.#known(group)
      known.whole = undefined
      return known
    }
    this.observer = {
      instruction: ({ group, wave }) => {
        changed(group).waves[wave] = undefined
      },
      release: ({ group }) => {
        changed(group).waves.length = 0
      },
      groupEnd: ({ group }) => void this.#groups.delete(group),
      memory: ({ access, space, wave }) => {
        if (access === 'load') return
        if (space === 'tgsm') changed(wave.group).shared = undefined
        else this.#memory = undefined
      },
    }
    const ofGroup = (g: GroupState): number => {
      const known = this.#known(g.group)
      if (known.whole !== undefined) return known.whole
      known.shared ??= sharedDigest(g)
      known.whole = groupDigest(g, known.shared, (w) => (known.waves[w.wave] ??= waveDigest(w, places)))
      return known.whole
    }
    this.of = (groups) => {
      this.#memory ??= memoryDigest(bindings)
      return together(groups, ofGroup, this.#memory)
    }
  }

  #known(group: number): KnownGroup {
    let known = this.#groups.get(group)
    if (known === undefined) this.#groups.set(group, (known = { whole: undefined, shared: undefined, waves: [] }))
    return known
  }

  /** Something was changed that no statement did. */
  forget(): void {
    this.#groups.clear()
    this.#memory = undefined
  }
}
