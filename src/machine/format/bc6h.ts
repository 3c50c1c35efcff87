import { ANCHORS_2, blockBits, PARTITIONS_2, WEIGHTS } from './bptc-tables.ts'
import { float16ToBits } from './float-bits.ts'
import type { TexelDecoder } from './texel-codec.ts'

/** Consecutive bits of a block that are consecutive bits of one endpoint component. */
export interface Run {
  /** component (0 r, 1 g, 2 b) * 4 + endpoint (0 w, 1 x, 2 y, 3 z). */
  readonly field: number
  /** First bit in the block. */
  readonly start: number
  readonly count: number
  /** Bit of the component that the first bit is. */
  readonly bit: number
  /** 1 when the component's bits ascend with the block's, -1 where they descend. */
  readonly step: 1 | -1
}

/** One of the 14 modes (functional spec 19.5.13.3 and 19.5.13.5). */
interface Bc6hMode {
  readonly twoRegions: boolean
  /** Endpoints other than w are stored as differences from w. */
  readonly transformed: boolean
  readonly endpointBits: number
  /** Bits of the x, y and z endpoints, by component. */
  readonly deltaBits: readonly number[]
  readonly runs: readonly Run[]
}

/**
 * The header in the words of table 2: `gy4` one bit, `rw0-9` ascending bits, `rw15-10` descending ones, from the first bit
 * after the mode on. w and x are the ends of region 0, y and z of region 1.
 */
function parseHeader(header: string, modeBits: number): Run[] {
  const runs: Run[] = []
  let start = modeBits
  for (const token of header.split(' ')) {
    const [, component, endpoint, from, to] = /^([rgb])([wxyz])(\d+)(?:-(\d+))?$/.exec(token)!
    const first = Number(from)
    const last = Number(to ?? from)
    const count = Math.abs(last - first) + 1
    runs.push({
      field: 'rgb'.indexOf(component!) * 4 + 'wxyz'.indexOf(endpoint!),
      start,
      count,
      bit: first,
      step: last >= first ? 1 : -1,
    })
    start += count
  }
  return runs
}

function mode(
  twoRegions: boolean,
  transformed: boolean,
  endpointBits: number,
  deltaBits: readonly number[],
  header: string,
): Omit<Bc6hMode, 'runs'> & { readonly header: string } {
  return { twoRegions, transformed, endpointBits, deltaBits, header }
}

/** By mode number: the low two bits where those are 0 or 1, else the low five. 19, 23, 27 and 31 are reserved. */
// biome-ignore format: a table of one mode a line
const MODE_TABLE = [
  [0, mode(true, true, 10, [5, 5, 5], 'gy4 by4 bz4 rw0-9 gw0-9 bw0-9 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3')],
  [1, mode(true, true, 7, [6, 6, 6], 'gy5 gz4 gz5 rw0-6 bz0 bz1 by4 gw0-6 by5 bz2 gy4 bw0-6 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 rz0-5')],
  [2, mode(true, true, 11, [5, 4, 4], 'rw0-9 gw0-9 bw0-9 rx0-4 rw10 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-4 bz2 rz0-4 bz3')],
  [6, mode(true, true, 11, [4, 5, 4], 'rw0-9 gw0-9 bw0-9 rx0-3 rw10 gz4 gy0-3 gx0-4 gw10 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-3 bz0 bz2 rz0-3 gy4 bz3')],
  [10, mode(true, true, 11, [4, 4, 5], 'rw0-9 gw0-9 bw0-9 rx0-3 rw10 by4 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-4 bw10 by0-3 ry0-3 bz1 bz2 rz0-3 bz4 bz3')],
  [14, mode(true, true, 9, [5, 5, 5], 'rw0-8 by4 gw0-8 gy4 bw0-8 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3')],
  [18, mode(true, true, 8, [6, 5, 5], 'rw0-7 gz4 by4 gw0-7 bz2 gy4 bw0-7 bz3 bz4 rx0-5 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-5 rz0-5')],
  [22, mode(true, true, 8, [5, 6, 5], 'rw0-7 bz0 by4 gw0-7 gy5 gy4 bw0-7 gz5 bz4 rx0-4 gz4 gy0-3 gx0-5 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3')],
  [26, mode(true, true, 8, [5, 5, 6], 'rw0-7 bz1 by4 gw0-7 by5 gy4 bw0-7 bz5 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-5 by0-3 ry0-4 bz2 rz0-4 bz3')],
  [30, mode(true, false, 6, [6, 6, 6], 'rw0-5 gz4 bz0 bz1 by4 gw0-5 gy5 by5 bz2 gy4 bw0-5 gz5 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 rz0-5')],
  [3, mode(false, false, 10, [10, 10, 10], 'rw0-9 gw0-9 bw0-9 rx0-9 gx0-9 bx0-9')],
  [7, mode(false, true, 11, [9, 9, 9], 'rw0-9 gw0-9 bw0-9 rx0-8 rw10 gx0-8 gw10 bx0-8 bw10')],
  [11, mode(false, true, 12, [8, 8, 8], 'rw0-9 gw0-9 bw0-9 rx0-7 rw11-10 gx0-7 gw11-10 bx0-7 bw11-10')],
  [15, mode(false, true, 16, [4, 4, 4], 'rw0-9 gw0-9 bw0-9 rx0-3 rw15-10 gx0-3 gw15-10 bx0-3 bw15-10')],
] as const

/** By the low five bits; the two 2-bit modes are at 0 and 1 only. */
export const BC6H_MODES: readonly (Bc6hMode | undefined)[] = Array.from({ length: 32 }, (_, number) => {
  const row = MODE_TABLE.find(([n]) => n === number)
  if (row === undefined) return undefined
  const { header, ...rest } = row[1]
  return { ...rest, runs: parseHeader(header, number < 2 ? 2 : 5) }
})

/** Bits of the header with mode and endpoints; two-region blocks have five partition bits after it. */
const ONE_REGION_HEADER = 65
const TWO_REGION_HEADER = 77

function signExtend(value: number, bits: number): number {
  return (value << (32 - bits)) >> (32 - bits)
}

function extractFields(words: Uint32Array, base: number, m: Bc6hMode, fields: Int32Array): void {
  fields.fill(0)
  for (const run of m.runs) {
    const bits = blockBits(words, base, run.start, run.count)
    if (run.step === 1) fields[run.field]! |= bits << run.bit
    else for (let i = 0; i < run.count; i++) fields[run.field]! |= ((bits >>> i) & 1) << (run.bit - i)
  }
}

/** Sign extension and inverse transform (19.5.13.6, 19.5.13.7): differences wrap within the precision of the base. */
function endpointValue(fields: Int32Array, c: number, endpoint: number, m: Bc6hMode, signed: boolean): number {
  const w = fields[c * 4]!
  const base = signed ? signExtend(w, m.endpointBits) : w
  if (endpoint === 0) return base
  const stored = fields[c * 4 + endpoint]!
  const value = m.transformed || signed ? signExtend(stored, m.deltaBits[c]!) : stored
  if (!m.transformed) return value
  const sum = (base + value) & ((1 << m.endpointBits) - 1)
  return signed ? signExtend(sum, m.endpointBits) : sum
}

function unquantizeUnsigned(value: number, bits: number): number {
  if (bits >= 15 || value === 0) return value
  if (value === (1 << bits) - 1) return 0xffff
  return ((value << 16) + 0x8000) >> bits
}

function unquantizeSigned(value: number, bits: number): number {
  if (bits >= 16 || value === 0) return value
  const magnitude = Math.abs(value)
  const top = (1 << (bits - 1)) - 1
  const scaled = magnitude >= top ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1)
  return value < 0 ? -scaled : scaled
}

/** The last scaling, by 31/64 or 31/32, to a float16 (19.5.13.10). */
function finish(value: number, signed: boolean): number {
  if (!signed) return (value * 31) >> 6
  return value < 0 ? 0x8000 | ((-value * 31) >> 5) : (value * 31) >> 5
}

interface Place {
  readonly region: number
  readonly weight: number
}

/** Region and blend weight of a texel: 3-bit indices with two regions, 4-bit ones with one, an anchor one bit short. */
function placeOf(words: Uint32Array, base: number, m: Bc6hMode, texel: number): Place {
  const skipped = texel > 0 ? 1 : 0
  if (!m.twoRegions) {
    const at = ONE_REGION_HEADER + texel * 4 - skipped
    return { region: 0, weight: WEIGHTS[4]![blockBits(words, base, at, 3 + skipped)]! }
  }
  const partition = blockBits(words, base, TWO_REGION_HEADER, 5)
  const anchor = ANCHORS_2[partition]!
  const at = TWO_REGION_HEADER + 5 + texel * 3 - skipped - (anchor < texel ? 1 : 0)
  const count = texel === 0 || texel === anchor ? 2 : 3
  return { region: (PARTITIONS_2[partition]! >>> texel) & 1, weight: WEIGHTS[3]![blockBits(words, base, at, count)]! }
}

/** BC6H to float16 values as float32 bits. Reserved modes give zero; A is always 1. */
export function bc6hDecoder(signed: boolean): TexelDecoder {
  const fields = new Int32Array(12)
  const unquantize = signed ? unquantizeSigned : unquantizeUnsigned
  return (s, o, inBlock, out, at) => {
    const base = o >>> 2
    const low = s.words[base]! & 31
    const m = BC6H_MODES[(low & 3) < 2 ? low & 3 : low]
    out[at + 3] = 0x3f800000
    if (m === undefined) {
      out[at] = out[at + 1] = out[at + 2] = 0
      return
    }
    extractFields(s.words, base, m, fields)
    const { region, weight } = placeOf(s.words, base, m, inBlock)
    for (let c = 0; c < 3; c++) {
      const a = unquantize(endpointValue(fields, c, region * 2, m, signed), m.endpointBits)
      const b = unquantize(endpointValue(fields, c, region * 2 + 1, m, signed), m.endpointBits)
      const blended = (a * (64 - weight) + b * weight + 32) >> 6
      out[at + c] = float16ToBits(finish(blended, signed))
    }
  }
}
