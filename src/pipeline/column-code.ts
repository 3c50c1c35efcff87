import type { ElementKernels, QuadKernel, QuadMemory, QuadProgram, RegisterBlock } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import type { Allocation } from '../machine/index.ts'
import { type CodeHistory, type CopyCode, isWorthCode, newCodeHistory } from './code-history.ts'
import { compileThresholds } from './compile-thresholds.ts'
import { type FetchedBuffer, fetchProgram } from './input/fetch-program.ts'
import { laneBytesOf } from './lane-bytes.ts'
import { type EmittedShape, emittedProgram, type WordRun } from './streams/emitted-program.ts'

/**
 * Copies between vertices, of which each has its words one after the other, and columns of batches, by code: four invocations and a register at
 * once. The pixels of its quads are invocations.
 */

/**
 * Words of its memory: where vertices and columns lie, in bytes from the start of that memory, bytes from vertex to vertex where the program
 * does not depend on them, and a number by invocation.
 */
const VERTICES = 0
const COLUMNS = 1
const STRIDE = 2
const NUMBERS = 4
/** Invocations of one call. */
const MOST = 512
/** Where vertex buffers lie. */
const BUFFERS = NUMBERS + MOST
const MOST_BUFFERS = 32
/** More than a vertex has. */
const MOST_REGISTERS = 64
/** Emitted points, in place of numbers. */
const EMITTED = {
  points: VERTICES,
  rows: COLUMNS,
  counts: NUMBERS,
  invocationCount: NUMBERS + 1,
  pointCount: NUMBERS + 2,
}
const BYTES = (BUFFERS + MOST_BUFFERS) * 4

/** Where columns of registers stand. */
interface ColumnPlaces {
  readonly firstRegister: number
  readonly registerCount: number
  readonly firstSlot: number
  /** Invocations of a column. */
  readonly capacity: number
}

const word = <V>(o: ValueOps<V>, m: QuadMemory<V>, n: number): V => m.load(o.constant(n * 4), 1)[0]!

/** Vertices of so many registers from columns; registers that have no columns are 0. */
function vertexProgram(p: ColumnPlaces): QuadProgram {
  const { firstRegister, registerCount, firstSlot, capacity } = p
  const vertexBytes = (firstRegister + registerCount) * 16
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const c = (n: number): V => o.constant(n)
    const lane = laneBytesOf(o, m)
    const columns = o.i32Add(word(o, m, COLUMNS), lane)
    const vertex = o.i32Add(word(o, m, VERTICES), o.i32Mul(lane, c(vertexBytes / 4)))
    for (let r = 0; r < firstRegister; r++) m.store(o.i32Add(vertex, c(r * 16)), [c(0), c(0), c(0), c(0)])
    for (let r = 0; r < registerCount; r++) {
      const words = [0, 1, 2, 3].map((w) => {
        const column = (firstSlot + r * 4 + w) * capacity * 4
        return m.load(o.i32Add(columns, c(column)), 1)[0]!
      })
      m.store(o.i32Add(vertex, c((firstRegister + r) * 16)), words)
    }
  }
  return { key: JSON.stringify(['vertices', p]), keepsDenormals: true, meaning }
}

/** Columns from the vertices with the numbers by invocation; registers that vertices do not have are 0. */
function columnProgram(p: ColumnPlaces, vertexRegisters: number): QuadProgram {
  const { firstRegister, registerCount, capacity } = p
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const c = (n: number): V => o.constant(n)
    const lane = laneBytesOf(o, m)
    const columns = o.i32Add(word(o, m, COLUMNS), lane)
    const number = m.load(o.i32Add(lane, c(NUMBERS * 4)), 1)[0]!
    const vertex = o.i32Add(word(o, m, VERTICES), o.i32Mul(number, c(vertexRegisters * 16)))
    for (let r = 0; r < registerCount; r++) {
      const exists = firstRegister + r < vertexRegisters
      const words = exists ? m.load(o.i32Add(vertex, c((firstRegister + r) * 16)), 4) : [c(0), c(0), c(0), c(0)]
      words.forEach((v, w) => {
        m.store(o.i32Add(columns, c((r * 4 + w) * capacity * 4)), [v])
      })
    }
  }
  return { key: JSON.stringify(['columns', { ...p, firstSlot: 0 }, vertexRegisters]), keepsDenormals: true, meaning }
}

/** Runs of words from sources at the elements by invocation, to copies one after the other. */
function rowProgram(runs: readonly WordRun[]): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const lane = laneBytesOf(o, m)
    const number = m.load(o.i32Add(lane, o.constant(NUMBERS * 4)), 1)[0]!
    const source = o.i32Add(word(o, m, VERTICES), o.shiftLeft(number, o.constant(2)))
    const copy = o.i32Add(word(o, m, COLUMNS), o.i32Mul(o.shiftRightLogical(lane, o.constant(2)), word(o, m, STRIDE)))
    for (const [from, to, count] of runs) {
      m.store(o.i32Add(copy, o.constant(to)), m.load(o.i32Add(source, o.constant(from)), count))
    }
  }
  return { key: JSON.stringify(['row copies', runs]), keepsDenormals: true, meaning }
}

/** Vertices: word `(vertex * registerCount + register) * 4 + component`. */
interface Vertices {
  readonly words: Int32Array
  readonly registerCount: number
}

interface SourceBuffer {
  readonly words: Uint32Array
  readonly firstByte: number
  readonly slot: number
  readonly stride: number
}

/** What is fetched of vertices. */
export interface FetchSource {
  readonly layout: { readonly elements: object }
  /** In the order of the program: where vertex 0 begins, in bytes from the words, and bytes from vertex to vertex. Whole words, all of them. */
  readonly buffers: readonly SourceBuffer[]
  /** What of them goes where. */
  readonly columns: () => readonly FetchedBuffer[]
}

/** Elements of words that invocations left points in. */
export interface EmittedByInvocation {
  /** Where the first point of the first invocation begins, and how many each has emitted from the first on. */
  readonly points: number
  readonly counts: number
  readonly invocationCount: number
  /** Words of a point that may be read. */
  readonly endWord: number
  /** Points of an invocation at the most, and words from invocation to invocation and from point to point. */
  readonly most: number
  readonly invocationStride: number
  readonly pointStride: number
}

/** A batch's columns. */
interface Columns {
  readonly words: Int32Array
  readonly capacity: number
}

/** What programs depend on of the buffers that are bound, as a number. */
const shapeOf = ({ slot, stride }: SourceBuffer): number => stride * MOST_BUFFERS + slot

function areOfShape(buffers: readonly SourceBuffer[], shape: readonly number[] | undefined): boolean {
  if (shape?.length !== buffers.length) return false
  for (let n = 0; n < shape.length; n++) if (shapeOf(buffers[n]!) !== shape[n]) return false
  return true
}

export class ColumnCode {
  readonly #kernels: ElementKernels
  readonly #history: CodeHistory
  #allocation: Allocation | undefined
  #words: Int32Array = new Int32Array(0)
  /** Invocations that it could have copied. */
  #seen = 0

  constructor(kernels: ElementKernels, history = newCodeHistory()) {
    this.#kernels = kernels
    this.#history = history
  }

  /** Writes the vertices of the first `count` invocations from element `at` of an array on, and whatever behind up to three more. */
  writeVertices(block: RegisterBlock, from: Columns, count: number, { words }: Vertices, at: number): boolean {
    if (!this.#isFor(count, from.words, words)) return false
    const kernel = this.#kernelFor(block, from.words.length, () => {
      const { firstRegister, registerCount, firstSlot } = block
      return vertexProgram({ firstRegister, registerCount, firstSlot, capacity: from.capacity })
    })
    return this.#run(kernel, count, words.byteOffset + at * 4, from.words.byteOffset)
  }

  /**
   * Fills columns from element `at` on, of the invocation `first` and those behind it: with the vertices of an array whose numbers
   * `numberOf` gives.
   */
  fillColumns(
    block: RegisterBlock,
    to: Columns,
    { firstSlot, first, count }: { readonly firstSlot: number; readonly first: number; readonly count: number },
    from: Vertices,
    numberOf: (invocation: number) => number,
  ): boolean {
    // Whole quads are written: those of other invocations must not be among them.
    if ((first & 3) !== 0 || !this.#isFor(count, to.words, from.words)) return false
    const kernel = this.#kernelFor(block, to.words.length * MOST_REGISTERS + from.registerCount, () => {
      const { firstRegister, registerCount } = block
      const places = { firstRegister, registerCount, firstSlot: 0, capacity: to.capacity }
      return columnProgram(places, from.registerCount)
    })
    for (let i = 0; i < count; i++) this.#words[NUMBERS + i] = numberOf(i)
    this.#words.fill(this.#words[NUMBERS]!, NUMBERS + count, NUMBERS + ((count + 3) & ~3))
    const at = firstSlot * to.capacity + first
    return this.#run(kernel, count, from.words.byteOffset, to.words.byteOffset + at * 4)
  }

  /**
   * Fills columns from element `first` on with elements of vertices: of those with the numbers, or 0, 1, 2 and so on, to which
   * `firstNumber` is added. All of them are there.
   */
  fetch(
    from: FetchSource,
    to: { readonly words: Int32Array; readonly first: number },
    numbers: Uint32Array | undefined,
    firstNumber: number,
    count: number,
  ): boolean {
    const { buffers } = from
    if ((to.first & 3) !== 0 || count > MOST || !this.#reaches(to.words)) return false
    for (const b of buffers) if (!this.#kernels.reaches(b.words.buffer)) return false
    const kernel = this.#fetchKernel(from, numbers === undefined, to.words.length)
    const words = this.#words
    if (numbers !== undefined) this.#setNumbers(numbers, 0, count)
    for (let n = 0; n < buffers.length; n++) {
      const { words: bytes, firstByte, stride } = buffers[n]!
      words[BUFFERS + n] = bytes.byteOffset + firstByte + firstNumber * stride - words.byteOffset
    }
    return this.#run(kernel, count, 0, to.words.byteOffset + to.first * 4)
  }

  #fetchKernel({ layout, buffers, columns }: FetchSource, isCounted: boolean, size: number): QuadKernel | undefined {
    const copies = this.#copiesOf()
    const owner = isCounted ? layout.elements : layout
    const known = copies.get(owner)
    if (known?.size === size && areOfShape(buffers, known.shape)) return known.kernel
    const places = { columns: COLUMNS * 4, numbers: isCounted ? undefined : NUMBERS * 4, buffers: BUFFERS * 4 }
    const kernel = this.#kernels.quadKernelFor(fetchProgram(columns(), places))
    copies.set(owner, { size, kernel, shape: buffers.map(shapeOf) })
    return kernel
  }

  /** Copies runs of words from rows at elements `places` of the words to rows of so many bytes; how many of them it has copied. */
  copyRows(
    slot: object,
    runs: () => readonly WordRun[],
    from: { readonly words: Int32Array; readonly places: Int32Array },
    to: { readonly words: Uint32Array; readonly firstByte: number; readonly stride: number },
    count: number,
  ): number {
    // Whole quads are written: behind them are words of others.
    const end = count & ~3
    for (let done = 0; done < end; done += MOST) {
      const some = Math.min(MOST, end - done)
      if (!this.#isFor(some, to.words, from.words)) return done
      const kernel = this.#kernelFor(slot, 0, () => rowProgram(runs()))
      this.#setNumbers(from.places, done, some)
      this.#words[STRIDE] = to.stride
      const at = to.words.byteOffset + to.firstByte + done * to.stride
      if (!this.#run(kernel, some, from.words.byteOffset, at)) return done
    }
    return end
  }

  /** Copies runs of words from all points that invocations emitted, `count` together, to rows of so many bytes. */
  copyEmitted(
    slot: object,
    runs: () => readonly WordRun[],
    words: Int32Array,
    from: EmittedByInvocation,
    to: { readonly words: Uint32Array | Int32Array; readonly firstByte: number; readonly stride: number },
    count: number,
  ): boolean {
    if (!this.#isFor(Math.min(count, MOST), words, to.words)) return false
    const { points, counts, invocationStride, pointStride } = from
    const kernel = this.#kernelFor(slot, pointStride, () => {
      const shape: EmittedShape = {
        runs: runs(),
        most: from.most,
        invocationBytes: invocationStride * 4,
        pointBytes: pointStride * 4,
        wordCount: from.endWord,
        stride: to.stride,
      }
      return emittedProgram(shape, EMITTED)
    })
    const own = this.#words
    own[EMITTED.counts] = words.byteOffset + counts * 4 - own.byteOffset
    own[EMITTED.invocationCount] = from.invocationCount
    own[EMITTED.pointCount] = count
    return this.#run(kernel, 1, words.byteOffset + points * 4, to.words.byteOffset + to.firstByte)
  }

  /** Sets the numbers of invocations; those that fill the last quad up have that of the first. */
  #setNumbers(numbers: Uint32Array | Int32Array, from: number, count: number): void {
    const words = this.#words
    for (let i = 0; i < count; i++) words[NUMBERS + i] = numbers[from + i]!
    for (let i = count; i < ((count + 3) & ~3); i++) words[NUMBERS + i] = numbers[from]!
  }

  /** What draws of a pipeline copy from a block, an element or a slot, or to it, is the same for columns of a size. */
  #kernelFor(block: object, size: number, program: () => QuadProgram): QuadKernel | undefined {
    const copies = this.#copiesOf()
    const known = copies.get(block)
    if (known?.size === size) return known.kernel
    const kernel = this.#kernels.quadKernelFor(program())
    copies.set(block, { size, kernel, shape: undefined })
    return kernel
  }

  #copiesOf(): WeakMap<object, CopyCode> {
    const { copies } = this.#history
    if (copies?.kernels === this.#kernels) return copies.known
    const known = new WeakMap<object, CopyCode>()
    this.#history.copies = { kernels: this.#kernels, known }
    return known
  }

  /** Counts invocations, and says whether code is worth while for them. */
  isWorth(count: number): boolean {
    this.#seen += count
    this.#history.vertices += count
    return isWorthCode(this.#seen, this.#history.vertices, compileThresholds.vertices)
  }

  #isFor(count: number, columns: ArrayBufferView, vertices: ArrayBufferView): boolean {
    if (!this.isWorth(count) || count > MOST || count === 0) return false
    return this.#kernels.reaches(vertices.buffer) && this.#reaches(columns)
  }

  /** Whether code reaches columns, and memory of its own. */
  #reaches(columns: ArrayBufferView): boolean {
    const kernels = this.#kernels
    if (!kernels.reaches(columns.buffer)) return false
    if (this.#allocation !== undefined) return true
    const made = kernels.allocate(BYTES)
    this.#allocation = made
    if (made !== undefined) this.#words = new Int32Array(made.buffer, made.byteOffset, BYTES / 4)
    return made !== undefined
  }

  #run(kernel: QuadKernel | undefined, count: number, vertices: number, columns: number): boolean {
    if (kernel === undefined) return false
    const start = this.#words.byteOffset
    this.#words[VERTICES] = vertices - start
    this.#words[COLUMNS] = columns - start
    kernel.run((count + 3) >> 2, start)
    return true
  }

  dispose(): void {
    if (this.#allocation !== undefined) this.#kernels.release(this.#allocation, BYTES)
    this.#allocation = undefined
  }
}
