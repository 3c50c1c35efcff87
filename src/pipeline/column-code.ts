import type { ElementKernels, QuadKernel, QuadMemory, QuadProgram, RegisterBlock } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import type { Allocation } from '../machine/index.ts'
import { type CodeHistory, type CopyCode, isWorthCode, newCodeHistory } from './code-history.ts'
import { compileThresholds } from './compile-thresholds.ts'
import { laneBytesOf } from './lane-bytes.ts'

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
const MOST = 256
/** More than a vertex has. */
const MOST_REGISTERS = 64
const BYTES = (NUMBERS + MOST) * 4

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

/** Where a column lies, in bytes from the first, and the component of an element that goes there, or what it lacks. */
export interface FetchedColumn {
  readonly bytes: number
  readonly component: number
  readonly missing: number
}

/** Columns from elements of so many words, of the vertices with the numbers by invocation. */
function fetchProgram(componentCount: number, fetched: readonly FetchedColumn[]): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const lane = laneBytesOf(o, m)
    const columns = o.i32Add(word(o, m, COLUMNS), lane)
    const number = m.load(o.i32Add(lane, o.constant(NUMBERS * 4)), 1)[0]!
    const words = m.load(o.i32Add(word(o, m, VERTICES), o.i32Mul(number, word(o, m, STRIDE))), componentCount)
    for (const { bytes, component, missing } of fetched) {
      m.store(o.i32Add(columns, o.constant(bytes)), [words[component] ?? o.constant(missing)])
    }
  }
  return { key: JSON.stringify(['fetch', componentCount, fetched]), keepsDenormals: true, meaning }
}

/** Words that stand beside each other in the source and in the copy: bytes there and here, and how many. */
export type WordRun = readonly [from: number, to: number, count: number]

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

/** A batch's columns. */
interface Columns {
  readonly words: Int32Array
  readonly capacity: number
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
   * Fills columns, the first of them from element `first` on, with elements of vertices: `firstByte` of the words is where that of the
   * vertex 0 begins.
   */
  fetch(
    element: object,
    to: { readonly words: Int32Array; readonly first: number; readonly columns: () => readonly FetchedColumn[] },
    from: { readonly words: Uint32Array; readonly firstByte: number; readonly stride: number },
    componentCount: number,
    numbers: Uint32Array,
    count: number,
  ): boolean {
    if ((to.first & 3) !== 0 || !this.#isFor(count, to.words, from.words)) return false
    const kernel = this.#kernelFor(element, to.words.length, () => fetchProgram(componentCount, to.columns()))
    this.#setNumbers(numbers, 0, count)
    this.#words[STRIDE] = from.stride
    return this.#run(kernel, count, from.words.byteOffset + from.firstByte, to.words.byteOffset + to.first * 4)
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

  /** Sets the numbers of invocations; those that fill the last quad up have that of the first. */
  #setNumbers(numbers: ArrayLike<number>, from: number, count: number): void {
    const words = this.#words
    for (let i = 0; i < count; i++) words[NUMBERS + i] = numbers[from + i]!
    for (let i = count; i < ((count + 3) & ~3); i++) words[NUMBERS + i] = numbers[from]!
  }

  /** What draws of a pipeline copy from a block, an element or a slot, or to it, is the same for columns of a size. */
  #kernelFor(block: object, size: number, program: () => QuadProgram): QuadKernel | undefined {
    const copies = this.#copies
    const known = copies.get(block)
    if (known?.size === size) return known.kernel
    const kernel = this.#kernels.quadKernelFor(program())
    copies.set(block, { size, kernel })
    return kernel
  }

  get #copies(): WeakMap<object, CopyCode> {
    const { copies } = this.#history
    if (copies?.kernels === this.#kernels) return copies.known
    const known = new WeakMap<object, CopyCode>()
    this.#history.copies = { kernels: this.#kernels, known }
    return known
  }

  #isFor(count: number, columns: ArrayBufferView, vertices: ArrayBufferView): boolean {
    this.#seen += count
    this.#history.vertices += count
    const isWorth = isWorthCode(this.#seen, this.#history.vertices, compileThresholds.vertices)
    if (!isWorth || count > MOST || count === 0) return false
    const kernels = this.#kernels
    if (!kernels.reaches(columns.buffer) || !kernels.reaches(vertices.buffer)) return false
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
