import type { TessellatorDomain, TessellatorPartitioning } from '../../src/engine/index.ts'
import { FACTOR_COUNT, type Tessellation, tessellate } from '../../src/pipeline/tessellator/index.ts'
import { Random } from './random/random.ts'
import { modelTessellation, type Point } from './tessellator-model.ts'

/** Random patches on which the tessellator and its model must have the same points and primitives, as sets. */

export interface Patch {
  readonly domain: TessellatorDomain
  readonly partitioning: TessellatorPartitioning
  readonly factors: readonly number[]
}

/** Bounds, their neighbors, and factors around which points split. */
const SPECIAL = [
  1,
  1 + 2 ** -18,
  1 + 2 ** -17,
  1 + 2 ** -16,
  1.5,
  2,
  3,
  62.5,
  63,
  63.5,
  64,
  65,
  1e30,
  Infinity,
  1e-40,
  0.25,
]

function factorOf(r: Random, isInside: boolean): number {
  if (r.chance(0.1)) return r.pick(SPECIAL)
  if (isInside && r.chance(0.03)) return r.pick([Number.NaN, -1, 0, -Infinity])
  const n = 1 + r.below(r.chance(0.5) ? 8 : 64)
  if (r.chance(0.3)) return n
  if (r.chance(0.2)) return Math.fround(n + r.pick([-1, 1]) * 2 ** -(4 + r.below(13)))
  return Math.fround(n - 1 + (r.next() + 1) / 2 ** 32)
}

export function randomPatch(seed: number): Patch {
  const r = new Random(seed)
  const domain = r.pick(['isoline', 'triangle', 'quad', 'triangle', 'quad'] as const)
  const partitioning = r.pick(['integer', 'pow2', 'fractional_odd', 'fractional_even'] as const)
  const edgeCount = { isoline: 2, triangle: 3, quad: 4 }[domain]
  const all = factorOf(r, false)
  const isUniform = r.chance(0.1)
  const factors = Array.from({ length: FACTOR_COUNT[domain] }, (_, n) =>
    isUniform ? all : factorOf(r, n >= edgeCount),
  )
  return { domain, partitioning, factors: [...Float32Array.from(factors)] }
}

const keyOf = ([u, v]: Point): number => u * 2 ** 17 + v

/** Corners from the smallest one on: triangles are the same up to rotation. */
function rotated(corners: readonly number[]): string {
  const rotations = corners.map((_, n) => [...corners.slice(n), ...corners.slice(0, n)].join(' '))
  return rotations.reduce((a, b) => (a < b ? a : b))
}

const pointAt = (t: Tessellation, n: number): Point => [t.points[2 * n]!, t.points[2 * n + 1]!]

/** What differs between the tessellator and the model on a patch; undefined where nothing does. */
export function differenceOn(p: Patch): string | undefined {
  const primitive = p.domain === 'isoline' ? 'line' : 'triangle_cw'
  const t = tessellate(p.domain, p.partitioning, primitive, Float32Array.from(p.factors))
  const model = modelTessellation(p.domain, p.partitioning, p.factors)
  const points = Array.from({ length: t.pointCount }, (_, n) => keyOf(pointAt(t, n)))
  if (points.sort().join() !== model.points.map(keyOf).sort().join()) {
    return `points differ: ${t.pointCount}, the model has ${model.points.length}`
  }
  const size = t.verticesPerPrimitive
  const primitives = Array.from({ length: t.primitiveCount }, (_, n) =>
    rotated(Array.from({ length: size }, (_, c) => keyOf(pointAt(t, t.indices[n * size + c]!)))),
  )
  const expected = model.primitives.map((corners) => rotated(corners.map(keyOf)))
  if (primitives.sort().join() === expected.sort().join()) return undefined
  const other = primitives.findIndex((x, n) => x !== expected[n])
  return `primitives differ: ${primitives.length}, the model has ${expected.length}; first ${primitives[other]} and ${expected[other]}`
}
