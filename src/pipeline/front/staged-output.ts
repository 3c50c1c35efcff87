import type { ElementKernels } from '../../engine/index.ts'
import { type Storage, storageOver } from '../../machine/index.ts'
import { copyWords } from '../copy-words.ts'
import type { PrimitiveArray, VertexArray } from '../geometry.ts'
import { createStreamOutput, type EmittedPoints, type StreamOutput, type StreamOutputLayout } from '../streams/index.ts'

/**
 * Stream output of the parts of a draw: each part writes to memory of its own, and what it wrote goes to the buffers when all parts
 * before it have. Only then it is known where that is, and what still fits.
 */

const STREAMS = 4
const BUFFERS = 4
/** Bytes that a part may write to a buffer until they must be passed on. */
const STAGED_BYTES = 128 * 1024
/** Words of a slot before the staged bytes: primitives of each stream, and the vertices of one. */
const COUNTS = 0
const SIZES = STREAMS
const HEADER_BYTES = 64

/** Bytes of a slot. */
export const STAGED_SLOT_BYTES = HEADER_BYTES + BUFFERS * STAGED_BYTES

/** Words that all threads share: bytes of each buffer that are filled; by stream whether it has ended, primitives written and needed. */
const FILLED = 0
const ENDED = 4
const WRITTEN = 8
const NEEDED = 12
export const OUTPUT_WORDS = 16

/** A buffer of the draw. */
export interface OutputBuffer {
  readonly storage: Storage
  readonly byteLength: number
}

export interface OutputWork {
  readonly layout: StreamOutputLayout
  readonly buffers: readonly (OutputBuffer | undefined)[]
}

/** Bytes from vertex to vertex in a slot of the layout, and whether all of them are written. */
interface SlotShape {
  readonly number: number
  readonly stride: number
  readonly isDense: boolean
  /** Bytes of a vertex that are written, as words. */
  readonly words: readonly number[]
}

/** By stream: its slots; nothing is written where one of them has no buffer (14.6). */
interface StreamShape {
  readonly slots: readonly SlotShape[]
  readonly isWritten: boolean
}

function shapesOf({ layout, buffers }: OutputWork): StreamShape[] {
  return Array.from({ length: STREAMS }, (_, stream) => {
    const slots = layout.slots.flatMap((s, number): SlotShape[] => {
      if (s === undefined || s.stream !== stream) return []
      const words = s.copies.map((c) => c.byteOffset / 4).sort((a, b) => a - b)
      return [{ number, stride: s.stride, isDense: words.length * 4 === s.stride, words }]
    })
    return { slots, isWritten: slots.length > 0 && slots.every((s) => buffers[s.number] !== undefined) }
  })
}

/** Primitives that so many bytes have room for. */
const primitivesIn = (room: number, stride: number, size: number): number => {
  if (room < 0) return 0
  return stride === 0 ? Number.POSITIVE_INFINITY : Math.floor(room / (stride * size))
}

/** Writes what the parts of one thread leave. */
export class StagedOutput implements StreamOutput {
  readonly statistics = []
  readonly firstLeftOut = []
  readonly #shapes: readonly StreamShape[]
  readonly #slots: readonly { readonly header: Int32Array; readonly buffers: readonly Storage[] }[]
  readonly #staged: { storage: Storage; byteLength: number; filled: number }[]
  readonly #inner: StreamOutput
  /** Passes on what is there, and opens another slot. */
  readonly #changeSlot: () => void
  #header: Int32Array

  constructor(work: OutputWork, buffer: ArrayBufferLike, place: number, slotCount: number, changeSlot: () => void) {
    this.#shapes = shapesOf(work)
    this.#slots = slotsOver(buffer, place, slotCount)
    this.#changeSlot = changeSlot
    const { header, buffers } = this.#slots[0]!
    this.#header = header
    this.#staged = buffers.map((storage) => ({ storage, byteLength: STAGED_BYTES, filled: 0 }))
    this.#inner = createStreamOutput(work.layout, this.#staged)
  }

  open(slot: number): void {
    const { header, buffers } = this.#slots[slot]!
    this.#header = header.fill(0)
    this.#staged.forEach((b, n) => {
      b.storage = buffers[n]!
      b.filled = 0
    })
  }

  /** Writes `count` primitives of so many vertices, as many at once as there is room for. */
  #write(stream: number, size: number, count: number, some: (first: number, end: number) => void): void {
    const { slots, isWritten } = this.#shapes[stream]!
    if (slots.length === 0) return
    for (let done = 0; done < count; ) {
      let room = isWritten ? this.#primitivesLeft(slots, size) : count
      if (room === 0) {
        this.#changeSlot()
        room = this.#primitivesLeft(slots, size)
      }
      const end = Math.min(count, done + room)
      if (isWritten) some(done, end)
      this.#header[COUNTS + stream]! += end - done
      this.#header[SIZES + stream] = size
      done = end
    }
  }

  #primitivesLeft(slots: readonly SlotShape[], size: number): number {
    let least = Number.POSITIVE_INFINITY
    for (const { number, stride } of slots) {
      least = Math.min(least, primitivesIn(STAGED_BYTES - this.#staged[number]!.filled, stride, size))
    }
    return least
  }

  write(stream: number, vertices: VertexArray, primitives: PrimitiveArray, from: number, to: number): void {
    this.#write(stream, primitives.verticesPerPrimitive, to - from, (first, end) => {
      this.#inner.write(stream, vertices, primitives, from + first, from + end)
    })
  }

  writePoints(stream: number, points: EmittedPoints): void {
    this.#write(stream, 1, points.count, (first, end) => {
      if (end - first === points.count) this.#inner.writePoints(stream, points)
      else {
        const places = (): Int32Array => points.places().subarray(first)
        this.#inner.writePoints(stream, { ...points, places, byInvocation: undefined, count: end - first })
      }
    })
  }
}

const slotsOver = (buffer: ArrayBufferLike, place: number, slotCount: number) =>
  Array.from({ length: slotCount }, (_, n) => {
    const at = place + n * STAGED_SLOT_BYTES
    const buffers = Array.from({ length: BUFFERS }, (_, b) =>
      storageOver({ buffer, byteOffset: at + HEADER_BYTES + b * STAGED_BYTES }, STAGED_BYTES),
    )
    return { header: new Int32Array(buffer, at, HEADER_BYTES / 4), buffers }
  })

/** Takes what parts have written, in their order, to the buffers of the draw; one thread at a time. */
export class OutputCollector {
  readonly #words: Int32Array
  readonly #work: OutputWork
  readonly #shapes: readonly StreamShape[]
  readonly #slots: ReturnType<typeof slotsOver>
  readonly #kernels: ElementKernels | undefined

  constructor(
    { work, kernels }: { readonly work: OutputWork; readonly kernels: ElementKernels | undefined },
    words: Int32Array,
    buffer: ArrayBufferLike,
    place: number,
    slotCount: number,
  ) {
    this.#work = work
    this.#kernels = kernels
    this.#words = words
    this.#shapes = shapesOf(work)
    this.#slots = slotsOver(buffer, place, slotCount)
  }

  /** Begins with buffers that are filled so far. */
  begin(filled: readonly number[]): void {
    this.#words.fill(0)
    filled.forEach((n, b) => {
      this.#words[FILLED + b] = n
    })
  }

  collect(slot: number): void {
    const w = this.#words
    const { header } = this.#slots[slot]!
    for (let stream = 0; stream < STREAMS; stream++) {
      const count = header[COUNTS + stream]!
      const { slots, isWritten } = this.#shapes[stream]!
      if (count === 0) continue
      w[NEEDED + stream]! += count
      if (w[ENDED + stream] !== 0) continue
      const size = header[SIZES + stream]!
      let least = isWritten ? count : 0
      for (const { number, stride } of slots) {
        const b = this.#work.buffers[number]
        if (b !== undefined)
          least = Math.min(least, primitivesIn(b.byteLength - (w[FILLED + number]! >>> 0), stride, size))
      }
      if (least < count) w[ENDED + stream] = 1
      w[WRITTEN + stream]! += least
      for (const s of slots) this.#copy(slot, s, least * size)
    }
  }

  #copy(slot: number, { number, stride, isDense, words }: SlotShape, vertexCount: number): void {
    const { storage } = this.#work.buffers[number] ?? {}
    if (storage === undefined || vertexCount === 0) return
    const w = this.#words
    const at = w[FILLED + number]! >>> 0
    const from = this.#slots[slot]!.buffers[number]!
    if (isDense) copyWords(this.#kernels, storage.words, at / 4, from.words, 0, (stride / 4) * vertexCount)
    else {
      for (let v = 0; v < vertexCount; v++) {
        for (const word of words) storage.words[(at + v * stride) / 4 + word] = from.words[(v * stride) / 4 + word]!
      }
    }
    w[FILLED + number] = at + stride * vertexCount
  }

  /** Bytes of a buffer that are filled. */
  filled(buffer: number): number {
    return this.#words[FILLED + buffer]! >>> 0
  }

  /** Primitives of a stream that were written, and those that there were. */
  counts(stream: number): { readonly written: number; readonly needed: number } {
    return { written: this.#words[WRITTEN + stream]! >>> 0, needed: this.#words[NEEDED + stream]! >>> 0 }
  }
}
