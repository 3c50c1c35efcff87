import { diagnostic, ShaderError } from '../diagnostic/index.ts'
import { type Declarations, type MemoryEvent, type Observer, tgsmOffset } from '../engine/index.ts'
import {
  allocateStorage,
  codecOf,
  heapMemory,
  type ResolvedBindings,
  type Srv,
  type Storage,
  type Uav,
} from '../machine/index.ts'
import { isGroup } from './lanes.ts'
import { resourceOf } from './memory.ts'
import type { Clock, GroupPosition, MemoryRange, RecordedAccess } from './model.ts'
import { WordList } from './word-list.ts'

/** Words of a record: the one before it at the same word of memory, its event, who and which bytes, bits before and after. */
const RECORD = 5
/** Words of an event: the clock in two words, group, statement, first thread of the wave, kind of access. */
const EVENT = 6

const KINDS = ['load', 'store', 'atomic'] as const
const HIGH = 2 ** 32
/** All four bytes of a word. */
const WHOLE_WORD = 0xf << 8
const EVENTS_PER_LOOK = 4096

/** Bytes that the indices of a time line may take where nothing else is said. */
export const DEFAULT_INDEX_BYTES = 2 ** 30

/** Heads of the chains of records, by word of the memory. */
type Heads = Int32Array

/** What an index is of: a resource, the shared memory of all groups, or a counter. */
export type IndexTarget = Pick<MemoryRange, 'space'> & { readonly resource: object | undefined }

export const targetOf = (range: MemoryRange): IndexTarget => ({
  space: range.space,
  resource: range.space === 'tgsm' ? undefined : range.resource,
})

/** A texel of 16 bytes at the most, to encode into. */
function scratchStorage(): Storage {
  const { value } = allocateStorage(heapMemory(false), 16, 'a texel')
  return value!
}

/**
 * Every access to one resource, to shared memory or to a counter in a run, written down while the run is gone over once.
 * Records of one word of memory are chained, the last first, so that a question about a word looks at its own records alone.
 */
export class AccessIndex {
  readonly observer: Observer
  readonly hasLoads: boolean
  readonly #target: IndexTarget
  readonly #declarations: Declarations
  readonly #execution: { readonly clock: Clock }
  readonly #maxBytes: number
  readonly #records = new WordList(RECORD)
  readonly #events = new WordList(EVENT)
  readonly #heads = new Map<number, Heads>()
  readonly #positions = new Map<number, GroupPosition>()
  readonly #headWords: number
  readonly #storage: Storage | undefined
  /** Texels are stored through views of the resource: their events have numbers, not the bits that were there. */
  readonly #hasTexels: boolean
  /** The words of such a resource as the records left them. */
  #words = new Int32Array(0)
  readonly #texel = scratchStorage()
  readonly #texelWords = new Uint32Array(4)
  #isFull = false

  constructor(
    target: IndexTarget,
    bindings: readonly ResolvedBindings[],
    declarations: Declarations,
    execution: { readonly clock: Clock },
    options: { readonly loads: boolean; readonly maxBytes: number },
  ) {
    this.#target = target
    this.#declarations = declarations
    this.#execution = execution
    this.hasLoads = options.loads
    this.#maxBytes = options.maxBytes
    const views = viewsOf(target, bindings)
    this.#storage = views[0]?.storage
    this.#hasTexels = views.some((view) => 'format' in view)
    const words = target.space === 'tgsm' ? declarations.tgsmByteLength >> 2 : (this.#storage?.words.length ?? 1)
    this.#headWords = target.space === 'counter' ? 1 : words
    this.observer = { memory: (e) => this.#note(e) }
    this.resync()
  }

  get byteLength(): number {
    return (
      this.#records.byteLength +
      this.#events.byteLength +
      this.#heads.size * this.#headWords * 4 +
      this.#words.byteLength
    )
  }

  /** Memory was changed by other means than accesses. */
  resync(): void {
    if (this.#storage !== undefined && this.#hasTexels) this.#words = new Int32Array(this.#storage.words)
  }

  isOf({ space, resource }: IndexTarget): boolean {
    return space === this.#target.space && resource === this.#target.resource
  }

  /** Throws where what was noted has no room. */
  requireRoom(): void {
    if (!this.#isFull && this.byteLength <= this.#maxBytes) return
    const text = `the history of the memory takes more than ${this.#maxBytes} bytes, up to clock ${this.#execution.clock}`
    throw new ShaderError([diagnostic('debug-index', text)])
  }

  #isTarget(e: MemoryEvent, row: number): boolean {
    return this.#target.space === 'tgsm' || resourceOf(e, row) === this.#target.resource
  }

  #note(e: MemoryEvent): void {
    const { space } = this.#target
    const isSpace = space === 'resource' ? e.space === 'uav' || e.space === 'srv' : e.space === space
    if (!isSpace || this.#isFull || (e.access === 'load' && !this.hasLoads)) return
    if (e.views === undefined && !this.#isTarget(e, 0)) return
    const event = this.#addEvent(e)
    const heads = this.#headsOf(space === 'tgsm' ? e.wave.group : 0)
    const base = space === 'tgsm' ? tgsmOffset(this.#declarations, e.register) : 0
    for (let row = 0; row < e.wave.activeCount; row++) {
      if (e.views !== undefined && !this.#isTarget(e, row)) continue
      this.#noteRow(e, row, event, heads, base)
    }
    // Chunks are added now and then; asking for each event would cost as much as the event.
    if (event % EVENTS_PER_LOOK === 0 && this.byteLength > this.#maxBytes) this.#isFull = true
  }

  #noteRow(e: MemoryEvent, row: number, event: number, heads: Heads, base: number): void {
    const { width, byteOffsets, values, originals, valuesPerRow } = e
    const lane = e.wave.lanes[row]!
    if (valuesPerRow > width) {
      const at = byteOffsets[row * width]!
      if (at >= 0) this.#noteTexel(e, row, event, heads, at)
      return
    }
    for (let i = 0; i < width; i++) {
      const at = byteOffsets[row * width + i]!
      if (at < 0) continue
      const n = row * valuesPerRow + i
      const original = e.access === 'load' ? values[n]! : originals[n]!
      this.#add(heads, (base + at) >> 2, event, lane | WHOLE_WORD, original, values[n]!)
    }
  }

  #noteTexel(e: MemoryEvent, row: number, event: number, heads: Heads, at: number): void {
    const lane = e.wave.lanes[row]!
    const view = e.views === undefined ? e.view : e.views[row]
    const { byteLength } = e
    if (e.access === 'store' && view !== undefined && 'format' in view) {
      for (let i = 0; i < 4; i++) this.#texelWords[i] = e.values[row * e.valuesPerRow + i]!
      codecOf(view.format).encode?.(this.#texel, 0, this.#texelWords, 0)
    }
    for (let done = 0; done < byteLength; ) {
      const word = (at + done) >> 2
      const first = (at + done) & 3
      const count = Math.min(4 - first, byteLength - done)
      const mask = ((1 << count) - 1) << first
      const original = this.#words[word]!
      let value = original
      if (e.access === 'store') {
        for (let b = 0; b < count; b++) {
          const shift = (first + b) * 8
          value = (value & ~(0xff << shift)) | (this.#texel.bytes[done + b]! << shift)
        }
      }
      this.#add(heads, word, event, lane | (mask << 8), original, value)
      done += count
    }
  }

  /** `who`: the lane, and above 8 bits which bytes of the word. */
  #add(heads: Heads, word: number, event: number, who: number, original: number, value: number): void {
    const record = this.#records.add()
    const { words, offset } = this.#records.placeOf(record)
    words[offset] = heads[word]!
    words[offset + 1] = event
    words[offset + 2] = who
    words[offset + 3] = original
    words[offset + 4] = value
    heads[word] = record
    if (this.#hasTexels) this.#words[word] = value
  }

  #headsOf(key: number): Heads {
    let heads = this.#heads.get(key)
    if (heads === undefined) this.#heads.set(key, (heads = new Int32Array(this.#headWords).fill(-1)))
    return heads
  }

  #addEvent({ wave, access }: MemoryEvent): number {
    const event = this.#events.add()
    const { words, offset } = this.#events.placeOf(event)
    const before = this.#execution.clock - 1
    words[offset] = (before % HIGH) | 0
    words[offset + 1] = Math.floor(before / HIGH)
    words[offset + 2] = wave.group
    words[offset + 3] = wave.statement
    words[offset + 4] = wave.firstThread
    words[offset + 5] = KINDS.indexOf(access)
    if (!this.#positions.has(wave.group)) this.#positions.set(wave.group, [wave.groupX, wave.groupY, wave.groupZ])
    return event
  }

  /** The accesses to a range in the order in which they happened. */
  of(range: MemoryRange, loads: boolean): RecordedAccess[] {
    const [first, end] =
      range.space === 'counter' ? [0, 4] : [Math.max(0, range.byteOffset), range.byteOffset + range.byteLength]
    const found: { readonly record: number; readonly word: number; readonly group: number }[] = []
    for (const [key, heads] of this.#heads) {
      if (range.space === 'tgsm' && range.group !== undefined && !isGroup(this.#positions.get(key)!, range.group))
        continue
      for (let word = first >> 2; word < Math.min(heads.length, Math.ceil(end / 4)); word++) {
        const inside = bytesInside(word, first, end)
        for (let record = heads[word]!; record >= 0; ) {
          const { words, offset } = this.#records.placeOf(record)
          if (((words[offset + 2]! >> 8) & inside) !== 0) found.push({ record, word, group: key })
          record = words[offset]!
        }
      }
    }
    found.sort((a, b) => a.record - b.record)
    return found.map(({ record, word }) => this.#accessOf(record, word)).filter((a) => loads || a.access !== 'load')
  }

  #accessOf(record: number, word: number): RecordedAccess {
    const r = this.#records.placeOf(record)
    const e = this.#events.placeOf(r.words[r.offset + 1]!)
    const who = r.words[r.offset + 2]!
    const mask = who >> 8
    const first = 31 - Math.clz32(mask & -mask)
    const count = 32 - Math.clz32(mask) - first
    const bytesOf = (bits: number): Uint8Array =>
      new Uint8Array(Uint32Array.of(bits).buffer).subarray(first, first + count)
    return {
      before: (e.words[e.offset]! >>> 0) + e.words[e.offset + 1]! * HIGH,
      access: KINDS[e.words[e.offset + 5]!]!,
      group: this.#positions.get(e.words[e.offset + 2]!)!,
      thread: e.words[e.offset + 4]! + (who & 0xff),
      statement: e.words[e.offset + 3]!,
      byteOffset: word * 4 + first,
      byteLength: count,
      original: bytesOf(r.words[r.offset + 3]!),
      value: bytesOf(r.words[r.offset + 4]!),
    }
  }
}

/** Bytes of a word, as 4 bits, that lie in a range. */
function bytesInside(word: number, first: number, end: number): number {
  let mask = 0
  for (let b = 0; b < 4; b++) if (word * 4 + b >= first && word * 4 + b < end) mask |= 1 << b
  return mask
}

function viewsOf({ space, resource }: IndexTarget, bindings: readonly ResolvedBindings[]): readonly (Srv | Uav)[] {
  if (space !== 'resource') return []
  return bindings.flatMap(({ u, t }) => [...u.values(), ...t.values()]).filter((view) => view.resource === resource)
}
