import { describe, expect, it } from 'vitest'
import { numberOps } from '../../src/engine/reference/index.ts'
import { newVertexArray } from '../../src/pipeline/geometry.ts'
import { VertexWords } from '../../src/pipeline/raster/clip.ts'
import {
  fillDepth,
  newPlaces,
  newRefilledPrimitive,
  PrimitiveTable,
  ROW_WORD,
  rowLength,
  type ScreenPrimitive,
  sampleOffsets,
} from '../../src/pipeline/raster/index.ts'
import { isThin, isThinTriangle, isThinWord } from '../../src/pipeline/raster/planes.ts'
import { amount } from '../support/amount.ts'
import { differences } from '../support/differences.ts'
import { at, draw } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Depth of triangles as planes of doubles, against exact fractions: wide triangles, thin ones and those smaller than a pixel.

const NO_VERTICES = new VertexWords(newVertexArray(1))

const areaOf = (x: readonly number[], y: readonly number[]): number =>
  (x[1]! - x[0]!) * (y[2]! - y[0]!) - (x[2]! - x[0]!) * (y[1]! - y[0]!)

interface Triangle {
  readonly x: readonly [number, number, number]
  readonly y: readonly [number, number, number]
  readonly z: readonly [number, number, number]
}

/** A triangle of up to 2000 pixels; every other one has its third vertex near the line through the others. */
function randomTriangle(r: Random): Triangle {
  const part = (): number => r.below(2 ** 24) / 2 ** 24
  const size = 2 ** (5 + part() * 14)
  const origin = r.below(3000) * 256
  const place = (): number => origin + Math.floor(part() * size)
  const [x, y] = [
    [place(), place(), place()],
    [place(), place(), place()],
  ] as [[number, number, number], [number, number, number]]
  if (r.below(2) === 0) {
    const along = part()
    const away = size / 2 ** (part() * 14)
    x[2] = Math.floor(x[0] + (x[1] - x[0]) * along + (part() - 0.5) * away)
    y[2] = Math.floor(y[0] + (y[1] - y[0]) * along + (part() - 0.5) * away)
  }
  const depth = (): number => Math.fround(r.below(3) === 0 ? 0.9 + part() / 1000 : part() / 2 ** r.below(12))
  return { x, y, z: [depth(), depth(), depth()] }
}

const primitiveOf = ({ x, y, z }: Triangle): ScreenPrimitive =>
  Object.assign(newRefilledPrimitive(), {
    kind: 'triangle' as const,
    x: [...x],
    y: [...y],
    z: [...z],
    w: [1, 1, 1],
    area2: areaOf(x, y),
  })

const PLACES = newPlaces(1)
const DEPTH = new Float32Array(1)

/** The depth of a triangle at a place in 1/256 pixel, as draws of numbers find it. */
function depthAt(t: Triangle, px: number, py: number): { readonly depth: number; readonly isThin: boolean } {
  const table = new PrimitiveTable({
    attributes: [],
    clipDistances: [],
    precision: 'exact',
    capacity: 1,
    buffer: new ArrayBuffer(rowLength(0, 0, 'exact')),
    byteOffset: 0,
  })
  table.add(primitiveOf(t), NO_VERTICES, 0)
  PLACES.x[0] = px
  PLACES.y[0] = py
  fillDepth(table, 0, PLACES, 0, 1, DEPTH, 0)
  return { depth: DEPTH[0]!, isThin: table.word(0, ROW_WORD.isThin) !== 0 }
}

/** Units of exact depths: every float32 of a vertex is a whole number of them. */
const UNIT = 120
const units = (value: number): bigint => BigInt(Math.trunc(value * 2 ** 100)) << BigInt(UNIT - 100)

/** Twice the area times the depth at a place, in units. */
function exactSum({ x, y, z }: Triangle, px: number, py: number): bigint {
  const edge = (a: 0 | 1 | 2, b: 0 | 1 | 2): bigint =>
    BigInt(x[b] - x[a]) * BigInt(py - y[a]) - BigInt(y[b] - y[a]) * BigInt(px - x[a])
  return units(z[0]) * edge(1, 2) + units(z[1]) * edge(2, 0) + units(z[2]) * edge(0, 1)
}

const magnitude = (n: bigint): bigint => (n < 0n ? -n : n)
/** The distance of a float32 to the next of its size. */
const stepOf = (value: number): number => 2 ** (Math.floor(Math.log2(Math.max(Math.abs(value), 2 ** -60))) - 23)

describe('depth of triangles', () => {
  it('is a rounding of a sum that is off by 2^-42 of its vertices at the most, thin or not, at centers and samples', () => {
    const random = new Random(1201)
    const wrong = differences()
    const seen = { thin: 0, wide: 0 }
    const offsets = sampleOffsets(4)
    for (let n = 0; n < amount(3000, 40_000); n++) {
      const t = randomTriangle(random)
      const area = areaOf(t.x, t.y)
      if (area === 0) continue
      // A pixel of the box and one beside it.
      const pixel = (v: readonly number[]): number => {
        const least = Math.min(...v)
        return ((least + random.below(Math.max(...v) - least + 1)) >> 8) * 256 + 128
      }
      const s = random.below(5)
      const [px, py] = [pixel(t.x) + (s === 4 ? 0 : offsets[s * 2]!), pixel(t.y) + (s === 4 ? 0 : offsets[s * 2 + 1]!)]
      const { depth, isThin: thin } = depthAt(t, px, py)
      seen[thin ? 'thin' : 'wide']++
      const off = magnitude(units(depth) * BigInt(area) - exactSum(t, px, py))
      const sizes = t.z.reduce((sum, z) => sum + Math.abs(z), 0)
      // Extrapolated depths of places beside the triangle are larger than those of its vertices.
      const size = Math.max(sizes, Math.abs(depth))
      const limit = units(stepOf(depth) * 0.51) + (units(Math.fround(size)) >> 42n)
      wrong.check(off <= limit * BigInt(Math.abs(area)), true, () => `${JSON.stringify(t)} at ${px}, ${py}: ${depth}`)
    }
    expect(wrong.list).toEqual([])
    expect(Math.min(seen.thin, seen.wide)).toBeGreaterThan(500)
  })

  it('that is the same at all vertices is that everywhere, outside too', () => {
    const random = new Random(77)
    for (let n = 0; n < 500; n++) {
      const { x, y, z } = randomTriangle(random)
      if (areaOf(x, y) === 0) continue
      const at = (): number => random.below(2 ** 20)
      expect(depthAt({ x, y, z: [z[0], z[0], z[0]] }, at(), at()).depth).toBe(z[0])
    }
  })

  it('of a slope along one axis is what the row or column has', () => {
    const t: Triangle = { x: [0, 4096, 0], y: [0, 0, 4096], z: [0, 0.5, 0] }
    for (let p = 0; p < 8; p++) {
      expect(depthAt(t, 128, p * 256 + 128).depth).toBe(128 / 8192)
      expect(depthAt(t, 0, p * 256 + 128).depth).toBe(0)
      expect(depthAt(t, p * 256 + 128, 128).depth).toBe((p * 256 + 128) / 8192)
    }
  })
})

describe('thin triangles', () => {
  it('have a box, a pixel wider and higher, of more than 64 times twice their area', () => {
    expect(isThin(256 * 63, 256 * 63, 64 * 65536)).toBe(false)
    expect(isThin(256 * 63, 256 * 63, 64 * 65536 - 1)).toBe(true)
    expect(isThin(256 * 63, 256 * 63, 1 - 64 * 65536)).toBe(true)
    expect(isThin(2 ** 24, 2 ** 24, 2 ** 43)).toBe(false)
    expect(isThin(2 ** 24, 2 ** 24, 2 ** 42)).toBe(true)
  })

  it('are the same for code and for numbers', () => {
    const o = numberOps({ denormals: 'keep' })
    const random = new Random(9)
    let thin = 0
    for (let n = 0; n < 5000; n++) {
      const [width, height] = [random.below(30720), random.below(30720)]
      const area2 = Math.floor((width * height) / 2 ** (random.below(16) + 1)) * (random.below(2) * 2 - 1)
      const is = isThin(width, height, area2)
      expect(isThinWord(o, width, height, area2)).toBe(is ? -1 : 0)
      if (is) thin++
    }
    expect(thin).toBeGreaterThan(1000)
    expect(isThinTriangle([256, 512, 768], [256, 512, 770], 512)).toBe(isThin(512, 514, 512))
  })
})

describe('attributes of wide triangles', () => {
  const format = 'R32G32B32A32_FLOAT'
  const ps = 'ps_5_0\ndcl_input_ps linear_noperspective v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n'

  it('are the nearest float32 of exact fractions, or the next to it where those are nearly halves', () => {
    const random = new Random(31)
    const wrong = differences()
    const size = 160
    let checked = 0
    for (let n = 0; n < amount(3, 20); n++) {
      const corner = (): number => random.below(2 * size * 256) - (size / 2) * 256
      const part = (): number => Math.fround(random.below(2 ** 24) / 2 ** 24)
      const t: Triangle = {
        x: [corner(), corner(), corner()],
        y: [corner(), corner(), corner()],
        z: [part(), part(), part()],
      }
      const area = areaOf(t.x, t.y)
      if (isThinTriangle(t.x, t.y, area)) continue
      const vertices = [0, 1, 2].map((i) => [...at(t.x[i]! / 256, t.y[i]! / 256, size, size), t.z[i]!, 0, 0, 0])
      const state = { rasterizer: { cullMode: 'NONE' as const } }
      const drawn = draw({ vertices, width: size, height: size, ps, targets: [format, undefined], state })
      for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
          const value = drawn.value(x, y)
          if (value === 0) continue
          checked++
          const off = magnitude(units(value) * BigInt(area) - exactSum(t, x * 256 + 128, y * 256 + 128))
          const limit = units(stepOf(value) * 0.51) + (units(2) >> 42n)
          wrong.check(off <= limit * BigInt(Math.abs(area)), true, () => `${JSON.stringify(t)} at ${x}, ${y}: ${value}`)
        }
      }
    }
    expect(checked).toBeGreaterThan(5000)
    expect(wrong.list).toEqual([])
  })
})
