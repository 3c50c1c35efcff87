import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'

/** Elements of vertices that a program of quads fetches to columns: all of a layout at once, its pixels are vertices. */

/** Where a column lies, in bytes from the first, and the word of a vertex that goes there, or what it lacks. */
export interface FetchedColumn {
  readonly bytes: number
  /** Words from where the vertex begins in the buffer; undefined where no element has the component. */
  readonly word: number | undefined
  readonly missing: number
}

/** Words of one vertex buffer. */
export interface FetchedBuffer {
  /** Bytes from vertex to vertex. */
  readonly stride: number
  readonly columns: readonly FetchedColumn[]
}

/** Where a fetch program finds what changes from call to call: words of its memory, each `bytes` from its start. */
interface FetchPlaces {
  /** Where the columns lie, in bytes. */
  readonly columns: number
  /** The number of each vertex; undefined where they are 0, 1, 2 and so on. */
  readonly numbers: number | undefined
  /** Where vertex 0 begins in the first buffer, in bytes; the others follow. */
  readonly buffers: number
}

/** Words of one load. */
const LOADED = 4

/** Words as ranges of up to four, which one load reads. */
function loadedRanges(words: readonly number[]): number[][] {
  const ranges: number[][] = []
  for (const word of [...new Set(words)].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last === undefined || word - last[0]! >= LOADED) ranges.push([word])
    else last.push(word)
  }
  return ranges
}

export function fetchProgram(buffers: readonly FetchedBuffer[], places: FetchPlaces): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const c = (n: number): V => o.constant(n)
    const lane = laneBytesOf(o, m)
    const at = (bytes: number): V => m.load(c(bytes), 1)[0]!
    const columns = o.i32Add(at(places.columns), lane)
    const { numbers } = places
    const number = numbers === undefined ? undefined : m.load(o.i32Add(lane, c(numbers)), 1)[0]!
    buffers.forEach(({ stride, columns: fetched }, n) => {
      // Strides are whole words: those of numbers that follow one another are known for each lane.
      const offset = number === undefined ? o.i32Mul(lane, c(stride / 4)) : o.i32Mul(number, c(stride))
      const vertex = o.i32Add(at(places.buffers + n * 4), offset)
      const words = new Map<number, V>()
      for (const range of loadedRanges(fetched.flatMap(({ word }) => (word === undefined ? [] : [word])))) {
        const [first, last] = [range[0]!, range.at(-1)!]
        m.load(o.i32Add(vertex, c(first * 4)), last - first + 1).forEach((v, i) => void words.set(first + i, v))
      }
      for (const { bytes, word, missing } of fetched) {
        m.store(o.i32Add(columns, c(bytes)), [word === undefined ? c(missing) : words.get(word)!])
      }
    })
  }
  return { key: JSON.stringify(['fetch', buffers, places]), keepsDenormals: true, meaning }
}
