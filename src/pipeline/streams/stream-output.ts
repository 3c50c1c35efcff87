import {
  checkArguments,
  DiagnosticCollector,
  diagnostic,
  type Expectation,
  failure,
  type Outcome,
  outcomeOf,
  showValue,
  wholeFrom,
} from '../../diagnostic/index.ts'
import type { Storage } from '../../machine/index.ts'
import type { ColumnCode, EmittedByInvocation } from '../column-code.ts'
import type { PrimitiveArray, VertexArray } from '../geometry.ts'
import { type SignatureRegister, sameSemantic } from '../shader.ts'
import type { StreamOutputEntry, StreamOutputState } from '../state.ts'
import type { WordRun } from './emitted-program.ts'

/** Stream output (functional specification 14): declared words of each vertex, to at most four buffers. */

const SLOTS = 4
const STREAMS = 4
const MAX_STRIDE = 2048
/** Components of all entries of one stream, gaps among them (14.1). */
const MAX_COMPONENTS = 128
/** Bytes that the entries of one buffer take (14.1). */
const MAX_WINDOW = 512

/** Words of one vertex that go to a buffer: where they stand in the vertex, and where in the buffer's vertex. */
interface Copy {
  /** register * 4 + component. */
  readonly word: number
  readonly byteOffset: number
}

interface SlotLayout {
  readonly stream: number
  readonly stride: number
  readonly copies: readonly Copy[]
}

export interface StreamOutputLayout {
  readonly slots: readonly (SlotLayout | undefined)[]
  readonly rasterizedStream: number | null
}

/** A declaration while its entries are read. */
interface Gathering {
  readonly outputs: readonly SignatureRegister[]
  readonly slots: ({ stream: number; stride: number; copies: Copy[] } | undefined)[]
  /** Components of each stream, and the words that its entries took: each is written to one place. */
  readonly components: number[]
  readonly taken: Set<number>[]
  readonly found: DiagnosticCollector
}

const path = (i: number, field: string) => ({ kind: 'path', path: `streamOutput.declaration[${i}].${field}` }) as const

const ENTRY_FIELDS: Readonly<Record<string, Expectation>> = {
  stream: wholeFrom(0, STREAMS - 1),
  semanticName: (v) => (v === null || (typeof v === 'string' && v !== '') ? undefined : 'a name, or null for a gap'),
  semanticIndex: wholeFrom(0, 0xffffffff),
  startComponent: wholeFrom(0, 3),
  componentCount: wholeFrom(1, MAX_COMPONENTS),
  outputSlot: wholeFrom(0, SLOTS - 1),
}

/** Matches a stream output declaration with the outputs of the stage before it. */
export function streamOutputLayout(
  state: StreamOutputState,
  outputs: readonly SignatureRegister[],
): Outcome<StreamOutputLayout> {
  const found = new DiagnosticCollector()
  const g: Gathering = {
    outputs,
    slots: new Array(SLOTS).fill(undefined),
    components: new Array(STREAMS).fill(0),
    taken: Array.from({ length: STREAMS }, () => new Set<number>()),
    found,
  }
  // More entries than all streams have components cannot be right, and need not be read.
  state.declaration.slice(0, STREAMS * MAX_COMPONENTS + 1).forEach((e, i) => {
    const what = 'an entry of a stream output declaration'
    const wrong = checkArguments('pipeline-state', what, e, ENTRY_FIELDS, Object.keys(ENTRY_FIELDS))
    found.pushAll(wrong.map((d) => (d.place?.kind === 'path' ? { ...d, place: path(i, d.place.path) } : d)))
    if (wrong.length === 0) addEntry(g, e, i)
  })
  g.slots.forEach((slot, n) => {
    if (slot !== undefined) slot.stride = strideOf(state.strides[n], slot.stride, n, found)
  })
  const { rasterizedStream } = state
  const expected = rasterizedStream === null ? undefined : ENTRY_FIELDS.stream!(rasterizedStream)
  if (expected !== undefined) {
    const text = `the rasterized stream is ${showValue(rasterizedStream)}; it must be ${expected}, or null for none`
    found.push(diagnostic('pipeline-state', text, { kind: 'path', path: 'streamOutput.rasterizedStream' }))
  }
  const diagnostics = found.finish()
  return found.errorCount > 0 ? failure(diagnostics) : outcomeOf({ slots: g.slots, rasterizedStream }, diagnostics)
}

function addEntry(g: Gathering, e: StreamOutputEntry, i: number): void {
  const slot = (g.slots[e.outputSlot] ??= { stream: e.stream, stride: 0, copies: [] })
  if (slot.stream !== e.stream) {
    const text = `slot ${e.outputSlot} takes stream ${slot.stream} already; a buffer takes one stream (14.1)`
    g.found.push(diagnostic('pipeline-state', text, path(i, 'stream')))
    return
  }
  if (e.semanticName !== null) addCopies(g, e, e.semanticName, i, slot)
  slot.stride += e.componentCount * 4
  const total = g.components[e.stream]! + e.componentCount
  g.components[e.stream] = total
  if (total > MAX_COMPONENTS && total - e.componentCount <= MAX_COMPONENTS) {
    const text = `stream ${e.stream} has more than ${MAX_COMPONENTS} components with this entry; ${MAX_COMPONENTS} are allowed`
    g.found.push(diagnostic('pipeline-state', text, path(i, 'componentCount')))
  }
  if (slot.stride > MAX_WINDOW && slot.stride - e.componentCount * 4 <= MAX_WINDOW) {
    const text = `the entries of slot ${e.outputSlot} take ${slot.stride} bytes with this one; ${MAX_WINDOW} are allowed`
    g.found.push(diagnostic('pipeline-state', text, path(i, 'componentCount')))
  }
}

function addCopies(
  g: Gathering,
  e: StreamOutputEntry,
  name: string,
  i: number,
  slot: { readonly stride: number; readonly copies: Copy[] },
): void {
  const element = g.outputs.find((o) => o.stream === e.stream && sameSemantic(o, name, e.semanticIndex))
  if (element === undefined) {
    const text = `${name}${e.semanticIndex} is no output of stream ${e.stream}`
    g.found.push(diagnostic('pipeline-state', text, path(i, 'semanticName')))
    return
  }
  // Components count from the first of the element, wherever it stands in its register.
  const first = 31 - Math.clz32(element.mask & -element.mask)
  for (let c = 0; c < e.componentCount; c++) {
    const component = first + e.startComponent + c
    if (component > 3 || (element.mask & (1 << component)) === 0) {
      const text = `${name}${e.semanticIndex} does not have component ${e.startComponent + c}`
      g.found.push(diagnostic('pipeline-state', text, path(i, 'componentCount')))
      return
    }
    const word = element.register * 4 + component
    if (g.taken[e.stream]!.has(word)) {
      const text = `component ${e.startComponent + c} of ${name}${e.semanticIndex} is in an earlier entry; each is written to one place (14.3)`
      g.found.push(diagnostic('pipeline-state', text, path(i, 'startComponent')))
      return
    }
    g.taken[e.stream]!.add(word)
    slot.copies.push({ word, byteOffset: slot.stride + c * 4 })
  }
}

/** Bytes from vertex to vertex: as given, or what the entries take. */
function strideOf(given: number | undefined, least: number, slot: number, found: DiagnosticCollector): number {
  const stride = given ?? least
  if (Number.isInteger(stride) && stride >= least && stride % 4 === 0 && stride <= MAX_STRIDE) return stride
  const text = `the stride of slot ${slot} is ${stride} bytes; its entries take ${least}, and it must be a multiple of 4 up to ${MAX_STRIDE}`
  found.push(diagnostic('pipeline-state', text, { kind: 'path', path: `streamOutput.strides[${slot}]` }))
  return least
}

/** A buffer bound for stream output. */
export interface StreamBuffer {
  readonly storage: Storage
  readonly byteLength: number
  /** Bytes written so far, a multiple of 4: where the next vertex goes. Kept by the resource from draw to draw. */
  filled: number
}

/** D3D11_QUERY_DATA_SO_STATISTICS of one stream. */
export interface StreamStatistics {
  primitivesWritten: number
  primitivesStorageNeeded: number
}

export interface StreamOutput {
  readonly statistics: readonly StreamStatistics[]
  /**
   * By stream, the first primitive that was left out because a buffer was full: its vertices, each by how many vertices its stage
   * had made behind it. Points that are taken from where their shader left them are not known.
   */
  readonly firstLeftOut: readonly (readonly number[] | undefined)[]
  /** Takes complete primitives of a stream, adjacent vertices left out: those from `from` up to, not including, `to`. */
  write(stream: number, vertices: VertexArray, primitives: PrimitiveArray, from: number, to: number): void
  /** Takes points of a stream from where their shader left them. */
  writePoints(stream: number, points: EmittedPoints): void
}

/** Points of a stream where their shader left them. Word n of the registers is the n-th behind where a point begins. */
export interface EmittedPoints {
  readonly words: Int32Array
  readonly count: number
  /** The words that there are: from `firstWord` up to, not including, `endWord`. */
  readonly firstWord: number
  readonly endWord: number
  /** Elements at which the points begin. */
  places(): Int32Array
  /** Where all that invocations emitted is these points. */
  readonly byInvocation: EmittedByInvocation | undefined
  /** Copies many where they lie in the engine's memory. */
  readonly code?: ColumnCode | undefined
}

/** A slot with the buffer that it goes to, and its copies by columns. */
interface BoundSlot {
  readonly layout: SlotLayout
  readonly stride: number
  readonly words: Int32Array
  readonly byteOffsets: Int32Array
  readonly buffer: StreamBuffer | undefined
}

/** Stream output of one draw. A declared slot with no buffer bound counts as a full buffer (14.6). */
export function createStreamOutput(
  layout: StreamOutputLayout,
  buffers: readonly (StreamBuffer | undefined)[],
): StreamOutput {
  const statistics = Array.from({ length: STREAMS }, () => ({ primitivesWritten: 0, primitivesStorageNeeded: 0 }))
  const ended = [false, false, false, false]
  const firstLeftOut: (readonly number[] | undefined)[] = [undefined, undefined, undefined, undefined]
  const slotsOf = [0, 1, 2, 3].map((stream) =>
    layout.slots.flatMap((s, n): BoundSlot[] => (s !== undefined && s.stream === stream ? [bound(s, buffers[n])] : [])),
  )
  /** Counts primitives that come: those that all buffers have room for. */
  const fittingOf = (stream: number, size: number, count: number): number => {
    const slots = slotsOf[stream]!
    if (slots.length === 0) return 0
    const counts = statistics[stream]!
    counts.primitivesStorageNeeded += count
    if (ended[stream]!) return 0
    const fitting = slots.reduce((least, s) => Math.min(least, primitivesLeft(s, size)), count)
    ended[stream] = fitting < count
    counts.primitivesWritten += fitting
    return fitting
  }
  /** A primitive of a stream has no room. */
  const leaveOut = (stream: number, vertices: VertexArray, primitives: PrimitiveArray, primitive: number): void => {
    if (firstLeftOut[stream] !== undefined || slotsOf[stream]!.length === 0) return
    const { verticesPerPrimitive: size, vertices: numbers } = primitives
    firstLeftOut[stream] = Array.from({ length: size }, (_, k) => vertices.count - 1 - numbers[primitive * size + k]!)
  }
  return {
    statistics,
    firstLeftOut,
    write(stream, vertices, primitives, from, to) {
      const size = primitives.verticesPerPrimitive
      const fitting = fittingOf(stream, size, to - from)
      if (fitting < to - from) leaveOut(stream, vertices, primitives, from + fitting)
      if (fitting === 0) return
      for (const slot of slotsOf[stream]!) {
        writeVertices(slot, vertices, primitives.vertices, from * size, (from + fitting) * size)
      }
    },
    writePoints(stream, points) {
      const fitting = fittingOf(stream, 1, points.count)
      for (const slot of fitting === 0 ? [] : slotsOf[stream]!) writeRows(slot, points, fitting)
    },
  }
}

function bound(layout: SlotLayout, buffer: StreamBuffer | undefined): BoundSlot {
  const { stride, copies } = layout
  const words = Int32Array.from(copies, (c) => c.word)
  return { layout, stride, words, byteOffsets: Int32Array.from(copies, (c) => c.byteOffset), buffer }
}

/** Primitives that a buffer has room for. */
function primitivesLeft({ stride, buffer }: BoundSlot, verticesPerPrimitive: number): number {
  if (buffer === undefined) return 0
  const room = buffer.byteLength - buffer.filled
  if (stride === 0) return room < 0 ? 0 : Number.POSITIVE_INFINITY
  return Math.max(0, Math.floor(room / (stride * verticesPerPrimitive)))
}

/** Writes the vertices with the numbers from `from` up to, not including, `to`. */
function writeVertices(slot: BoundSlot, from: VertexArray, numbers: Int32Array, first: number, end: number): void {
  const { stride, words, byteOffsets } = slot
  const buffer = slot.buffer!
  const target = buffer.storage.words
  const wordCount = from.registerCount * 4
  for (let c = 0; c < words.length; c++) {
    const word = words[c]!
    // An output that the signature has and the code never declares is undefined: 0.
    const exists = word < wordCount
    let at = (buffer.filled + byteOffsets[c]!) / 4
    for (let i = first; i < end; i++, at += stride / 4) {
      target[at] = exists ? from.words[numbers[i]! * wordCount + word]! : 0
    }
  }
  buffer.filled += stride * (end - first)
}

/** Copies of a slot, those of words that stand beside each other together. */
function runsOf({ words, byteOffsets }: BoundSlot): WordRun[] {
  const runs: [from: number, to: number, count: number][] = []
  words.forEach((word, c) => {
    const last = runs.at(-1)
    const [from, to] = [word * 4, byteOffsets[c]!]
    const isNext = last !== undefined && last[2] < 4 && last[0] + last[2] * 4 === from && last[1] + last[2] * 4 === to
    if (isNext) last[2]++
    else runs.push([from, to, 1])
  })
  return runs
}

/** Writes the first `count` points. */
function writeRows(slot: BoundSlot, points: EmittedPoints, count: number): void {
  const { layout, stride, words, byteOffsets, buffer } = slot
  const { filled, storage } = buffer!
  buffer!.filled += stride * count
  const target = storage.words
  const { words: from, firstWord, endWord, code, byInvocation } = points
  const areAll = words.every((word) => word >= firstWord && word < endWord)
  const to = { words: target, firstByte: filled, stride }
  const runs = (): WordRun[] => runsOf(slot)
  if (areAll && byInvocation !== undefined && count === points.count) {
    if (code?.copyEmitted(layout, runs, from, byInvocation, to, count) === true) return
  }
  const places = points.places()
  const done = areAll ? (code?.copyRows(layout.copies, runs, { words: from, places }, to, count) ?? 0) : 0
  for (let c = 0; c < words.length; c++) {
    const word = words[c]!
    const exists = word >= firstWord && word < endWord
    let at = (filled + done * stride + byteOffsets[c]!) / 4
    for (let i = done; i < count; i++, at += stride / 4) target[at] = exists ? from[places[i]! + word]! : 0
  }
}
