import type { ColumnCode, FetchSource } from '../column-code.ts'
import { type BoundVertexBuffer, isOfWords, missingWords } from './fetch.ts'
import type { FetchedBuffer, FetchedColumn } from './fetch-program.ts'
import type { InputLayout, LayoutElement } from './layout.ts'

/** Elements of a layout that code fetches: those of whole words at whole words. */

const MOST_SLOTS = 32

/** Elements of each slot that code fetches with the buffers of a draw. */
function elementsBySlot(
  layout: InputLayout,
  buffers: readonly (BoundVertexBuffer | undefined)[],
): (readonly [slot: number, elements: LayoutElement[]])[] {
  const slots: (readonly [number, LayoutElement[]])[] = []
  for (const e of layout.elements) {
    const b = buffers[e.slot]
    if (b === undefined || e.registers.length === 0 || e.perInstance || !isOfWords(e)) continue
    if (((b.offset | e.byteOffset | b.stride) & 3) !== 0) continue
    const known = slots.find(([slot]) => slot === e.slot)
    if (known !== undefined) known[1].push(e)
    else slots.push([e.slot, [e]])
  }
  return slots
}

/** Components of elements that go to columns. */
function columnsOf(elements: readonly LayoutElement[], first: Int32Array): FetchedColumn[] {
  return elements.flatMap((e) => {
    const missing = missingWords(e)
    return e.registers.flatMap(({ register, mask }) =>
      [0, 1, 2, 3].flatMap((c): FetchedColumn[] => {
        const column = first[register * 4 + c]!
        if ((mask & (1 << c)) === 0 || column < 0) return []
        const word = c < e.format.components.length ? e.byteOffset / 4 + c : undefined
        return [{ bytes: column * 4, word, missing: missing[c]! }]
      }),
    )
  })
}

/** Vertices by identifier. */
interface FetchedVertices {
  readonly ids: Uint32Array
  /** The identifiers follow one another. */
  readonly isCounted: boolean
  /** The least and the largest of them. */
  readonly least: number
  readonly largest: number
}

/** Columns of words, and which invocations of a batch are filled. */
interface FetchedInvocations {
  readonly words: Int32Array
  readonly lane: number
  readonly count: number
}

/** The fetches of a draw. */
export class FetchCode {
  readonly #source: FetchSource
  readonly #code: ColumnCode
  /** The last vertex of which all elements are there; -1 where there is none. */
  readonly #last: number
  /** What it leaves. */
  readonly rest: InputLayout

  private constructor(source: FetchSource, code: ColumnCode, last: number, rest: InputLayout) {
    this.#source = source
    this.#code = code
    this.#last = last
    this.rest = rest
  }

  /**
   * `first` says where the component c of register r goes: to element `first[r * 4 + c]` of the columns, or nowhere where that is below 0.
   * Undefined where it would fetch nothing.
   */
  static create(
    layout: InputLayout,
    buffers: readonly (BoundVertexBuffer | undefined)[],
    first: Int32Array,
    code: ColumnCode,
  ): FetchCode | undefined {
    const slots = elementsBySlot(layout, buffers)
    if (slots.length === 0 || slots.length > MOST_SLOTS) return undefined
    let last = 2 ** 32 - 1
    const from = slots.map(([slot, elements]) => {
      const { storage, byteLength, stride, offset } = buffers[slot]!
      const end = Math.min(byteLength, 2 ** 32)
      for (const e of elements) {
        const room = end - offset - e.byteOffset - e.format.blockByteLength
        const there = stride === 0 ? last : Math.floor(room / stride)
        last = Math.min(last, room < 0 ? -1 : there)
      }
      return { words: storage.words, firstByte: offset, slot, stride }
    })
    const columns = (): FetchedBuffer[] =>
      slots.map(([slot, elements]) => ({ stride: buffers[slot]!.stride, columns: columnsOf(elements, first) }))
    const fetched = new Set(slots.flatMap(([, elements]) => elements))
    const rest = { elements: layout.elements.filter((e) => !fetched.has(e)) }
    return new FetchCode({ layout, buffers: from, columns }, code, last, rest)
  }

  /**
   * Fetches those of the vertices from the place `first` on; the base is added to identifiers modulo 2^32. How many of them it has fetched,
   * from the first on: none where one may not be there.
   */
  fetch(vertices: FetchedVertices, base: number, first: number, to: FetchedInvocations): number {
    // An identifier and the base are below 2^32 both: their sum wraps where the base stands for a negative number.
    const signed = base | 0
    if (vertices.least + signed < 0 || vertices.largest + signed > this.#last) return 0
    const { words, lane, count } = to
    const { ids, isCounted } = vertices
    const columns = { words, first: lane }
    const code = this.#code
    if (!isCounted) {
      return code.fetch(this.#source, columns, ids.subarray(first, first + count), signed, count) ? count : 0
    }
    const from = ids[first]! + signed
    // Four vertices are read at once: those that fill the last four up must be there too, since memory may end behind the buffer.
    const areThere = from + ((count + 3) & ~3) - 1 <= this.#last
    const some = areThere ? count : count & ~3
    return some > 0 && code.fetch(this.#source, columns, undefined, from, some) ? some : 0
  }
}
