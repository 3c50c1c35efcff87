import {
  ANCHORS_2,
  ANCHORS_3_FIRST,
  ANCHORS_3_SECOND,
  blockBits,
  PARTITIONS_2,
  PARTITIONS_3,
  WEIGHTS,
} from './bptc-tables.ts'
import { decodeTable } from './component.ts'
import type { TexelDecoder } from './texel-codec.ts'

/** One of the eight modes: bits of each field, in the order the fields stand in the block (functional spec 19.5.14.4). */
interface Bc7Mode {
  readonly subsets: number
  readonly partitionBits: number
  readonly rotationBits: number
  readonly selectorBits: number
  readonly colorBits: number
  readonly alphaBits: number
  /** Shared least significant bits: one per endpoint, one per subset, or none. */
  readonly pBits: 'endpoint' | 'subset' | 'none'
  readonly indexBits: number
  /** Bits of the second set of indices; 0 where there is none. */
  readonly secondIndexBits: number
}

function mode(
  subsets: number,
  partitionBits: number,
  rotationBits: number,
  selectorBits: number,
  colorBits: number,
  alphaBits: number,
  pBits: Bc7Mode['pBits'],
  indexBits: number,
  secondIndexBits: number,
): Bc7Mode {
  return {
    subsets,
    partitionBits,
    rotationBits,
    selectorBits,
    colorBits,
    alphaBits,
    pBits,
    indexBits,
    secondIndexBits,
  }
}

const MODES: readonly Bc7Mode[] = [
  mode(3, 4, 0, 0, 4, 0, 'endpoint', 3, 0),
  mode(2, 6, 0, 0, 6, 0, 'subset', 3, 0),
  mode(3, 6, 0, 0, 5, 0, 'none', 2, 0),
  mode(2, 6, 0, 0, 7, 0, 'endpoint', 2, 0),
  mode(1, 0, 2, 1, 5, 6, 'none', 2, 3),
  mode(1, 0, 2, 0, 7, 8, 'none', 2, 2),
  mode(1, 0, 0, 0, 7, 7, 'endpoint', 4, 0),
  mode(2, 6, 0, 0, 5, 5, 'endpoint', 2, 0),
]

function subsetOf(subsets: number, partition: number, texel: number): number {
  if (subsets === 1) return 0
  if (subsets === 2) return (PARTITIONS_2[partition]! >>> texel) & 1
  return (PARTITIONS_3[partition]! >>> (texel * 2)) & 3
}

/** Indices before `texel` that have one bit less, and whether its own has. */
function anchorsUpTo(subsets: number, partition: number, texel: number): { before: number; own: number } {
  let before = texel > 0 ? 1 : 0
  let own = texel === 0 ? 1 : 0
  const count = (anchor: number): void => {
    if (anchor < texel) before++
    else if (anchor === texel) own = 1
  }
  if (subsets === 2) count(ANCHORS_2[partition]!)
  if (subsets === 3) {
    count(ANCHORS_3_FIRST[partition]!)
    count(ANCHORS_3_SECOND[partition]!)
  }
  return { before, own }
}

/** Fills the byte below `bits` significant bits by repeating them (19.5.14.3). */
function widen(value: number, bits: number): number {
  const high = value << (8 - bits)
  return high | (high >>> bits)
}

function blend(e0: number, e1: number, weight: number): number {
  return ((64 - weight) * e0 + weight * e1 + 32) >>> 6
}

/** One texel of a block as four bytes. A first byte of zero is the reserved mode: all zero (19.5.14.4). */
function decodeTexel(words: Uint32Array, base: number, texel: number, out: Uint8Array): void {
  const first = words[base]! & 0xff
  if (first === 0) {
    out.fill(0)
    return
  }
  const modeNumber = 31 - Math.clz32(first & -first)
  const m = MODES[modeNumber]!
  let bit = modeNumber + 1
  const take = (count: number): number => {
    const value = count === 0 ? 0 : blockBits(words, base, bit, count)
    bit += count
    return value
  }
  const partition = take(m.partitionBits)
  const rotation = take(m.rotationBits)
  const selector = take(m.selectorBits)
  const subset = subsetOf(m.subsets, partition, texel)
  const colorAt = bit
  const ends = m.subsets * 2
  const alphaAt = colorAt + 3 * ends * m.colorBits
  const pAt = alphaAt + ends * m.alphaBits
  const pCount = m.pBits === 'endpoint' ? ends : m.pBits === 'subset' ? m.subsets : 0
  const indexAt = pAt + pCount
  const secondAt = indexAt + 16 * m.indexBits - m.subsets

  const endpoint = (component: number, end: number): number => {
    const e = subset * 2 + end
    const bits = component === 3 ? m.alphaBits : m.colorBits
    if (bits === 0) return 255
    const at = component === 3 ? alphaAt + e * bits : colorAt + (component * ends + e) * bits
    const value = blockBits(words, base, at, bits)
    if (pCount === 0) return widen(value, bits)
    const p = blockBits(words, base, pAt + (m.pBits === 'endpoint' ? e : subset), 1)
    return widen((value << 1) | p, bits + 1)
  }

  const { before, own } = anchorsUpTo(m.subsets, partition, texel)
  const primary = blockBits(words, base, indexAt + texel * m.indexBits - before, m.indexBits - own)
  const primaryWeight = WEIGHTS[m.indexBits]![primary]!
  let colorWeight = primaryWeight
  let alphaWeight = primaryWeight
  if (m.secondIndexBits !== 0) {
    const n = m.secondIndexBits
    const skipped = texel > 0 ? 1 : 0
    const second = blockBits(words, base, secondAt + texel * n - skipped, texel === 0 ? n - 1 : n)
    const secondWeight = WEIGHTS[n]![second]!
    if (selector === 1) colorWeight = secondWeight
    else alphaWeight = secondWeight
  }
  for (let c = 0; c < 4; c++) out[c] = blend(endpoint(c, 0), endpoint(c, 1), c === 3 ? alphaWeight : colorWeight)
  if (rotation !== 0) {
    const alpha = out[3]!
    out[3] = out[rotation - 1]!
    out[rotation - 1] = alpha
  }
}

/** BC7 to UNORM8, then float; sRGB is linearized after decompression and never on A. */
export function bc7Decoder(srgb: boolean): TexelDecoder {
  const color = decodeTable(srgb ? 'unorm-srgb' : 'unorm', 8)
  const alpha = decodeTable('unorm', 8)
  const texel = new Uint8Array(4)
  return (s, o, inBlock, out, at) => {
    decodeTexel(s.words, o >>> 2, inBlock, texel)
    out[at] = color[texel[0]!]!
    out[at + 1] = color[texel[1]!]!
    out[at + 2] = color[texel[2]!]!
    out[at + 3] = alpha[texel[3]!]!
  }
}
