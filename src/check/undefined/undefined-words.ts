import {
  type GroupCounts,
  type LoadedShader,
  type MemoryEvent,
  type Observer,
  type RegisterPlace,
  tgsmOffset,
  type WaveSite,
} from '../../engine/index.ts'
import { FILE, registerFile } from '../../isa/index.ts'
import type { ResolvedBindings } from '../../machine/index.ts'
import { type Instruction, writtenComponents } from '../../program/index.ts'
import { contextOf } from '../make-detectors.ts'
import type { FindingSink } from '../report/finding.ts'
import { undefinedFlow } from './flow.ts'
import { type Flow, LANES, place } from './flow-state.ts'
import type { StatementPlan } from './plan.ts'

/**
 * Which words of registers and memory had no value of their own at each moment of a run that is watched. What changes is
 * written down with its clock, so that a moment that is gone back to costs a search and no run.
 */

/** Nothing has written the word, or what was written depends on such a word. */
export type UndefinedKind = 'never written' | 'undefined'

const NOTHING_IS_KEPT: FindingSink = { known: () => true, add: () => undefined, findings: () => [], dropped: () => 0 }

/** What a moment changed, in three numbers: the clock, lanes with an undefined word, lanes that never wrote it. */
const ENTRY = 3
const ENTRY_BYTES = ENTRY * 8

/** Registers of a wave: a word for each of its registers' words, and as many again for lanes from 32 on. */
interface WaveLog {
  readonly undefinedLanes: Int32Array
  readonly neverLanes: Int32Array
  readonly entries: (number[] | undefined)[]
}

/** Shared memory of a group, by word. */
interface SharedLog {
  /** The clock at which the first store had happened. */
  readonly first: Float64Array
  /** Clocks at which what is there became undefined (1) or defined (0), in pairs. */
  readonly later: Map<number, number[]>
}

const PAGE_SHIFT = 10
const PAGE_WORDS = 1 << PAGE_SHIFT

/** The last entry that is not behind a clock, as its place in the list; negative where there is none. */
function lastEntry(entries: readonly number[], clock: number, size: number): number {
  let [low, high] = [0, entries.length / size]
  while (low < high) {
    const middle = (low + high) >> 1
    if (entries[middle * size]! <= clock) low = middle + 1
    else high = middle
  }
  return (low - 1) * size
}

/** The words of outputs that the statements of a shader name by number. */
class OutputWords {
  readonly #words = new Map<string, number>()
  readonly #byStatement: readonly (readonly number[])[]

  constructor(statements: LoadedShader['declarations']['program']['statements'], first: number) {
    const wordOf = (key: string): number => {
      const known = this.#words.get(key)
      if (known === undefined) this.#words.set(key, first + this.#words.size)
      return known ?? first + this.#words.size - 1
    }
    this.#byStatement = statements.map((s) => (s.kind === 'instruction' ? keysWritten(s).map(wordOf) : []))
  }

  get count(): number {
    return this.#words.size
  }
  of(statement: number): readonly number[] {
    return this.#byStatement[statement]!
  }
  wordOf(place: RegisterPlace): number | undefined {
    return this.#words.get(keyOf(place.file, place.indices[0] ?? 0, place.component))
  }
}

const keyOf = (file: number, register: number, component: number): string => `${file} ${register} ${component}`

function keysWritten({ operands }: Instruction): readonly string[] {
  return operands.flatMap((o) => {
    const [first] = o.indices
    if (registerFile(o.type)?.class !== 'output' || (first !== undefined && first.kind !== 'immediate')) return []
    return writtenComponents(o).map((c) => keyOf(o.type, first?.kind === 'immediate' ? first.value : 0, c))
  })
}

interface UndefinedWordsOptions {
  /** The clock behind the statement under way. */
  readonly clock: () => number
  /** Outputs have values from the start: those of the phases before. */
  readonly hasOutputs?: boolean | undefined
  /** Bytes that may be written down. */
  readonly maxByteLength: number
}

export class UndefinedWords {
  readonly observer: Observer
  readonly #clock: () => number
  readonly #maxByteLength: number
  readonly #flow: Flow
  readonly #outputs: OutputWords | undefined
  /** Words of a wave's registers, outputs included. */
  readonly #total: number
  readonly #waves = new Map<number, Map<number, WaveLog>>()
  readonly #shared = new Map<number, SharedLog>()
  readonly #stored = new Map<object, (Float64Array | undefined)[]>()
  #byteLength = 0

  constructor(
    job: { readonly loaded: LoadedShader; readonly bindings: ResolvedBindings; readonly groups: GroupCounts },
    { clock, hasOutputs = false, maxByteLength }: UndefinedWordsOptions,
  ) {
    this.#clock = clock
    this.#maxByteLength = maxByteLength
    const context = contextOf(job.loaded, job.bindings, job.groups, NOTHING_IS_KEPT)
    const options = { bounds: false, uninitialized: true, uavContents: false, hasZeroBorder: () => false }
    const { flow, detector } = undefinedFlow(options, context)
    this.#flow = flow
    const { wordCount } = flow.layout
    const { statements } = job.loaded.declarations.program
    this.#outputs = hasOutputs ? undefined : new OutputWords(statements, wordCount)
    this.#total = wordCount + (this.#outputs?.count ?? 0)
    const { observer: own } = detector
    this.observer = {
      groupBegin: own.groupBegin!,
      groupEnd: own.groupEnd!,
      instruction: (wave) => {
        own.instruction!(wave)
        this.#noteWrites(wave)
      },
      memory: (event) => {
        own.memory!(event)
        this.#noteMemory(event)
      },
    }
  }

  /** There was more to write down than there is room for: nothing is known. */
  get isFull(): boolean {
    return this.#byteLength > this.#maxByteLength
  }
  get byteLength(): number {
    return this.#byteLength
  }

  #logOf({ group, firstThread, laneCount }: Pick<WaveSite, 'group' | 'firstThread' | 'laneCount'>): WaveLog {
    let ofGroup = this.#waves.get(group)
    if (ofGroup === undefined) this.#waves.set(group, (ofGroup = new Map()))
    let log = ofGroup.get(firstThread)
    if (log === undefined) {
      const words = this.#total * (laneCount > LANES ? 2 : 1)
      const [undefinedLanes, neverLanes] = [new Int32Array(words).fill(-1), new Int32Array(words).fill(-1)]
      ofGroup.set(firstThread, (log = { undefinedLanes, neverLanes, entries: [] }))
      this.#byteLength += words * 16
    }
    return log
  }

  /** A word was written for some lanes: writes down which of them have a value now. */
  #note(log: WaveLog, word: number, undefinedLanes: number, written: number): void {
    const neverLanes = log.neverLanes[word]! & ~written
    if (undefinedLanes === log.undefinedLanes[word] && neverLanes === log.neverLanes[word]) return
    log.undefinedLanes[word] = undefinedLanes
    log.neverLanes[word] = neverLanes
    const entries = (log.entries[word] ??= [])
    const clock = this.#clock()
    if (entries.at(-ENTRY) === clock) entries.length -= ENTRY
    else this.#byteLength += ENTRY_BYTES
    entries.push(clock, undefinedLanes, neverLanes)
  }

  #noteWrites(wave: WaveSite): void {
    const f = this.#flow
    const p = f.plans[wave.statement]
    if (p === undefined || this.isFull) return
    const log = this.#logOf(wave)
    const outputs = this.#outputs?.of(wave.statement) ?? []
    for (let half = 0; half < 2; half++) {
      const active = f.active[half]!
      if (active === 0) continue
      const first = half * this.#total
      const { masks } = f.shadow
      for (const word of p.writes) this.#note(log, first + word, masks[word + half * f.layout.wordCount]!, active)
      for (const word of outputs) this.#note(log, first + word, log.undefinedLanes[first + word]! & ~active, active)
    }
    this.#noteComputed(log, p, wave)
  }

  /** Elements of x# that an index chooses. */
  #noteComputed(log: WaveLog, p: StatementPlan, wave: WaveSite): void {
    const f = this.#flow
    for (const to of p.computedWrites) {
      for (let k = 0; k < wave.activeCount; k++) {
        const lane = wave.lanes[k]!
        const at = place(f, to, wave, lane)
        if (at < 0) continue
        const word = lane < LANES ? at : at - f.layout.wordCount + this.#total
        this.#note(log, word, f.shadow.masks[at]!, 1 << (lane & 31))
      }
    }
  }

  #noteMemory(event: MemoryEvent): void {
    const { access, space, wave } = event
    if (this.isFull) return
    // What was loaded may be undefined.
    if (access !== 'store') this.#noteWrites(wave)
    if (access === 'load') return
    if (space === 'tgsm') this.#noteShared(event)
    else if (space === 'uav') this.#noteStored(event)
  }

  #noteShared({ wave, register, byteOffsets, width }: MemoryEvent): void {
    const f = this.#flow
    const clock = this.#clock()
    const log = this.#sharedOf(wave.group)
    const base = tgsmOffset(f.context.declarations, register)
    const bits = f.groupShadow.tgsm.get(register)?.bits
    for (let i = 0; i < wave.activeCount * width; i++) {
      const at = byteOffsets[i]!
      if (at >= 0) this.#noteSharedWord(log, (base + at) >> 2, clock, (bits?.[at >> 2] ?? 0) === 0 ? 0 : 1)
    }
  }

  #noteSharedWord({ first, later }: SharedLog, word: number, clock: number, isUndefined: 0 | 1): void {
    if (first[word] === Number.POSITIVE_INFINITY) first[word] = clock
    const entries = later.get(word)
    if ((entries?.at(-1) ?? 0) === isUndefined) return
    this.#byteLength += 2 * ENTRY_BYTES
    if (entries === undefined) later.set(word, [clock, isUndefined])
    else entries.push(clock, isUndefined)
  }

  #sharedOf(group: number): SharedLog {
    let log = this.#shared.get(group)
    if (log === undefined) {
      const words = this.#flow.context.declarations.tgsmByteLength >> 2
      this.#shared.set(
        group,
        (log = { first: new Float64Array(words).fill(Number.POSITIVE_INFINITY), later: new Map() }),
      )
      this.#byteLength += words * 8
    }
    return log
  }

  #noteStored({ wave, view, views, byteOffsets, width, byteLength }: MemoryEvent): void {
    const clock = this.#clock()
    for (let row = 0; row < wave.activeCount; row++) {
      const own = views === undefined ? view : views[row]
      if (own === undefined || own.kind === 'cbv') continue
      for (let i = row * width; i < (row + 1) * width; i++) {
        const at = byteOffsets[i]!
        if (at < 0) continue
        for (let word = at >> 2; word << 2 < at + byteLength; word++) this.#noteStoredWord(own.resource, word, clock)
      }
    }
  }

  #noteStoredWord(resource: object, word: number, clock: number): void {
    let pages = this.#stored.get(resource)
    if (pages === undefined) this.#stored.set(resource, (pages = []))
    const number = word >> PAGE_SHIFT
    let page = pages[number]
    if (page === undefined) {
      while (pages.length <= number) pages.push(undefined)
      pages[number] = page = new Float64Array(PAGE_WORDS).fill(Number.POSITIVE_INFINITY)
      this.#byteLength += page.byteLength
    }
    if (page[word & (PAGE_WORDS - 1)] === Number.POSITIVE_INFINITY) page[word & (PAGE_WORDS - 1)] = clock
  }

  /** The word of a register among those of a wave; undefined for registers that have a value from the start. */
  #wordOf(place: RegisterPlace): number | undefined {
    const { layout } = this.#flow
    const { file, indices, component } = place
    const [first = 0, element = 0] = indices
    if (file === FILE.temp) return first < layout.tempCount ? first * 4 + component : undefined
    if (file === FILE['indexable-temp']) {
      const x = layout.indexable.get(first)
      return x === undefined || element >= x.count ? undefined : x.first + element * 4 + component
    }
    return this.#outputs?.wordOf(place)
  }

  /** Of a lane of a wave at a clock; `group` is its number. */
  registerAt(
    clock: number,
    { group, firstThread, lane }: { readonly group: number; readonly firstThread: number; readonly lane: number },
    place: RegisterPlace,
  ): UndefinedKind | undefined {
    const word = this.#wordOf(place)
    if (word === undefined) return undefined
    const entries = this.#waves.get(group)?.get(firstThread)?.entries[lane < LANES ? word : word + this.#total]
    const at = entries === undefined ? -1 : lastEntry(entries, clock, ENTRY)
    if (at < 0) return 'never written'
    const bit = 1 << (lane & 31)
    if ((entries![at + 1]! & bit) === 0) return undefined
    return (entries![at + 2]! & bit) === 0 ? 'undefined' : 'never written'
  }

  /** Of a word of a group's shared memory. */
  sharedAt(clock: number, group: number, byteOffset: number): UndefinedKind | undefined {
    const log = this.#shared.get(group)
    const word = byteOffset >> 2
    if (log === undefined || !(log.first[word]! <= clock)) return 'never written'
    const entries = log.later.get(word)
    const at = entries === undefined ? -1 : lastEntry(entries, clock, 2)
    return at >= 0 && entries![at + 1] === 1 ? 'undefined' : undefined
  }

  /** Whether the run had stored to a word of a resource. */
  isStoredAt(clock: number, resource: object, byteOffset: number): boolean {
    const word = byteOffset >> 2
    const page = this.#stored.get(resource)?.[word >> PAGE_SHIFT]
    return page !== undefined && page[word & (PAGE_WORDS - 1)]! <= clock
  }

  /** A register was given a value from outside. */
  defineRegister(
    wave: Pick<WaveSite, 'group' | 'firstThread' | 'laneCount' | 'wave'>,
    lane: number,
    place: RegisterPlace,
  ): void {
    const word = this.#wordOf(place)
    if (word === undefined) return
    const { groups, layout } = this.#flow
    const bit = 1 << (lane & 31)
    const masks = groups.get(wave.group)?.waves[wave.wave]?.masks
    if (masks !== undefined && word < layout.wordCount) masks[lane < LANES ? word : word + layout.wordCount]! &= ~bit
    const log = this.#logOf(wave)
    const at = lane < LANES ? word : word + this.#total
    this.#note(log, at, log.undefinedLanes[at]! & ~bit, bit)
  }

  /** Bytes of shared memory were given a value from outside. */
  defineShared(group: number, byteOffset: number, byteLength: number): void {
    const { context, groups } = this.#flow
    const log = this.#sharedOf(group)
    for (const { register, byteOffset: base, byteLength: size } of context.declarations.tgsm) {
      const t = groups.get(group)?.tgsm.get(register)
      for (let at = Math.max(byteOffset, base) & ~3; at < Math.min(byteOffset + byteLength, base + size); at += 4) {
        this.#noteSharedWord(log, at >> 2, this.#clock(), 0)
        const word = (at - base) >> 2
        if (t === undefined || t.bits[word] === 0) continue
        t.bits[word] = 0
        t.origins[word] = undefined
        t.undefinedCount--
      }
    }
  }

  /** Bytes of a resource were given a value from outside. */
  defineStored(resource: object, byteOffset: number, byteLength: number): void {
    for (let word = byteOffset >> 2; word << 2 < byteOffset + byteLength; word++)
      this.#noteStoredWord(resource, word, this.#clock())
  }
}
