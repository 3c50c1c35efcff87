import { codecOf, codeOf, codeScale, type TextureSrv } from '../../../../machine/index.ts'
import { changedRuns, type KnownWords, type Slice } from './decode-texels.ts'

/**
 * Texels as whole numbers, for filters that are sums of those: each component beside that of the texel below it, so that a multiplication of
 * pairs blends both. A copy has a row before the first one, which begins with the last texels, and in each row a texel before the
 * first and one behind the last: those of the other end, as address mode wrap has them. Under clamp they have no weight.
 */

/** Numbers of a texel and the one below it. */
const PAIR = 8

/** Texels and rows before the first ones, and texels behind the last one. */
export const CODE_START = 1
export const CODE_END = 1

const TEXEL = new Uint32Array(4)
const COMPONENTS = new Float32Array(TEXEL.buffer)

/** Writes a texel's components as the upper ones (0) or the lower ones (1) of its pairs in a row. */
type Write = (x: number, row: number, place: 0 | 1) => void

/** Writes the texel in all rows that it is in. */
function writeInRows(write: Write, x: number, y: number, height: number): void {
  write(x, y, 0)
  write(x, y - 1, 1)
  if (y === height - 1) write(x, -1, 0)
  if (y === 0) write(x, height - 1, 1)
}

/** Codes of the texels of a slice whose words are not those that are known. `start` and `pitch` of the slice are in numbers of `out`. */
export function* decodeCodes(
  view: TextureSrv,
  slice: Slice,
  known: KnownWords,
  out: Uint8Array | Uint16Array,
): Generator<void, void> {
  const { format, storage } = view
  const { decode } = codecOf(format)
  const { width, height } = slice.level
  const scale = codeScale(format)
  const write: Write = (x, row, place) => {
    const at = slice.start + row * slice.pitch + x * PAIR + place
    for (let n = 0; n < 4; n++) out[at + 2 * n] = codeOf(COMPONENTS[n]!, scale)
  }
  const changes = yield* changedRuns(view, slice, known, (first, end) => {
    for (let i = first; i < end; i++) {
      decode(storage, slice.byteOffset + i * format.blockByteLength, 0, TEXEL, 0)
      writeInRows(write, i % width, Math.floor(i / width), height)
    }
  })
  if (!changes) return
  for (let row = -1; row < height; row++) {
    const begin = slice.start + row * slice.pitch
    const last = begin + (width - 1) * PAIR
    out.copyWithin(begin - PAIR, last, last + PAIR)
    out.copyWithin(last + PAIR, begin, begin + PAIR)
  }
}
