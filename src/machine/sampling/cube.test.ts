import { describe, expect, test } from 'vitest'
import { floatTexture, gather, sample, samplerOf, srvOf } from '../../../test/support/machine-textures.ts'
import { acrossEdge, type FaceTexel, selectFace } from './cube.ts'

const POINT = samplerOf({ filter: 'MIN_MAG_MIP_POINT' })
const LINEAR = samplerOf({ filter: 'MIN_MAG_MIP_LINEAR' })

/** Direct3D's cube: for each face the major axis, and which axes are u and v, with signs. */
const FACES: readonly {
  readonly major: readonly number[]
  readonly u: readonly number[]
  readonly v: readonly number[]
}[] = [
  { major: [1, 0, 0], u: [0, 0, -1], v: [0, -1, 0] },
  { major: [-1, 0, 0], u: [0, 0, 1], v: [0, -1, 0] },
  { major: [0, 1, 0], u: [1, 0, 0], v: [0, 0, 1] },
  { major: [0, -1, 0], u: [1, 0, 0], v: [0, 0, -1] },
  { major: [0, 0, 1], u: [1, 0, 0], v: [0, -1, 0] },
  { major: [0, 0, -1], u: [-1, 0, 0], v: [0, -1, 0] },
]
const dot = (a: readonly number[], b: readonly number[]): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!
/** The direction of a place on a face, u and v from -1 to 1. */
function direction(face: number, u: number, v: number): [number, number, number] {
  const f = FACES[face]!
  const at = (i: number): number => f.major[i]! + u * f.u[i]! + v * f.v[i]!
  return [at(0), at(1), at(2)]
}
/** Face and texel that a direction meets, by projection alone. */
function project(d: readonly number[], size: number): FaceTexel {
  const lengths = FACES.map((f) => dot(f.major, d))
  const face = lengths.indexOf(Math.max(...lengths))
  const major = lengths[face]!
  const texel = (axis: readonly number[]): number => Math.floor(((dot(axis, d) / major) * 0.5 + 0.5) * size)
  return { face, x: texel(FACES[face]!.u), y: texel(FACES[face]!.v) }
}

/** Texel (x, y) of face f holds f * 100 + y * 10 + x. */
function numbered(size: number) {
  const texels: number[] = []
  for (let f = 0; f < 6; f++) {
    for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) texels.push(f * 100 + y * 10 + x)
  }
  return srvOf(floatTexture({ dimension: 'texturecube', width: size }, texels))
}
const at = (d: readonly number[]): { x: number; y: number; z: number } => ({ x: d[0]!, y: d[1]!, z: d[2]! })

describe('faces (5.3.8, 7.18.7)', () => {
  test('the largest component chooses; ties go to Z, Y, X', () => {
    expect(
      [
        [1, 0, 0],
        [-1, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
      ].map((d) => selectFace(d[0]!, d[1]!, d[2]!)),
    ).toEqual([0, 1, 2, 3, 4, 5])
    expect([selectFace(1, 1, 1), selectFace(1, 1, -1), selectFace(-1, -1, 0.5), selectFace(1, -1, 0)]).toEqual([
      4, 5, 3, 3,
    ])
  })

  test('every texel center of every face, point sampled', () => {
    const view = numbered(4)
    for (let face = 0; face < 6; face++) {
      for (let y = 0; y < 4; y++) {
        for (let x = 0; x < 4; x++) {
          const d = direction(face, (2 * x + 1) / 4 - 1, (2 * y + 1) / 4 - 1)
          expect(sample(view, POINT, at(d.map((c) => c * 3)))[0]).toBe(face * 100 + y * 10 + x)
          expect(sample(view, LINEAR, at(d))[0]).toBe(face * 100 + y * 10 + x)
        }
      }
    }
  })

  test('point sampling on the rim of a face stays on it', () => {
    const view = numbered(4)
    // +Z wins the tie with +X; its right rim is column 3.
    expect(sample(view, POINT, { x: 1, y: 0.1, z: 1 })[0]).toBe(413)
  })

  test('a zero vector and NaN are safe', () => {
    const view = numbered(2)
    for (const d of [0, Number.NaN, Infinity])
      expect(sample(view, LINEAR, { x: d, y: d, z: d })[0]).toBeGreaterThanOrEqual(0)
  })
})

describe('edges (7.18.12)', () => {
  test('one step over each of the 24 edges lands where a direction just across the rim does', () => {
    const size = 8
    const got: FaceTexel = { face: 0, x: 0, y: 0 }
    const over = 1 + 1e-6
    for (let face = 0; face < 6; face++) {
      for (let i = 0; i < size; i++) {
        const along = (2 * i + 1) / size - 1
        const cases = [
          [-1, i, direction(face, -over, along)],
          [size, i, direction(face, over, along)],
          [i, -1, direction(face, along, -over)],
          [i, size, direction(face, along, over)],
        ] as const
        for (const [x, y, d] of cases) {
          acrossEdge(face, x, y, size, got)
          expect(got, `face ${face}, texel ${x},${y}`).toEqual(project(d, size))
        }
      }
    }
  })

  test('halfway across an edge both faces count half', () => {
    const view = numbered(2)
    // Between +Z (right column) and +X (left column), at the center of the upper row.
    const d = direction(4, 1, -0.5)
    expect(sample(view, LINEAR, at(d))[0]).toBe((401 + 0) / 2)
  })

  test('on a corner the missing fourth texel is the mean of the three', () => {
    // One texel a face, each face its own number.
    const view = srvOf(floatTexture({ dimension: 'texturecube', width: 1 }, [1, 2, 3, 4, 5, 6]))
    expect(sample(view, LINEAR, { x: 1, y: 1, z: 1 })[0]).toBeCloseTo((1 + 3 + 5) / 3, 6)
    expect(sample(view, LINEAR, { x: -1, y: -1, z: -1 })[0]).toBeCloseTo((2 + 4 + 6) / 3, 6)
  })

  test('the sampled value is continuous across edges and corners', () => {
    const view = numbered(4)
    for (const [u, v] of [
      [1, 0.37],
      [0.2, -1],
      [-1, -0.9],
      [0.4, 1],
      [1, 1],
      [-1, 1],
    ] as const) {
      for (let face = 0; face < 6; face++) {
        const inside = sample(view, LINEAR, at(direction(face, u * 0.9999, v * 0.9999)))[0]!
        const outside = sample(view, LINEAR, at(direction(face, u * 1.0001, v * 1.0001)))[0]!
        expect(Math.abs(inside - outside), `face ${face} at ${u},${v}`).toBeLessThan(1)
      }
    }
  })
})

describe('cube arrays and gather', () => {
  test('the fourth coordinate chooses the cube', () => {
    const texels = Array.from({ length: 18 }, (_, i) => i)
    const view = srvOf(floatTexture({ dimension: 'texturecube', width: 1, arraySize: 18 }, texels))
    expect(view.dimension).toBe('texturecubearray')
    const cubes = [0, 1, 1.5, 2.5, 9, -1]
    expect(cubes.map((w) => sample(view, POINT, { x: 0, y: 0, z: 1, w })[0])).toEqual([4, 10, 16, 16, 16, 4])
  })

  test('a view from another face on', () => {
    const texels = Array.from({ length: 18 }, (_, i) => i)
    const t = floatTexture({ dimension: 'texturecube', width: 1, arraySize: 18 }, texels)
    const view = srvOf(t, { dimension: 'texturecube', firstArraySlice: 2, arraySize: 6 })
    expect(sample(view, POINT, { x: 1, y: 0, z: 0 })[0]).toBe(2)
  })

  test('gather over an edge takes texels of both faces', () => {
    const view = numbered(2)
    const four = gather(view, POINT, at(direction(4, 1, 0)))
    // Lower left and upper left on +Z, the right ones on +X.
    expect(four).toEqual([411, 10, 0, 401])
  })

  test('gather at a corner: three faces and their mean', () => {
    const view = srvOf(floatTexture({ dimension: 'texturecube', width: 1 }, [1, 2, 3, 4, 5, 6]))
    // On +Z, towards +X and +Y: left ones of the square are +Z and +Y, lower right is +X, upper right is missing.
    const four = gather(view, POINT, { x: 0.6, y: 0.6, z: 1 })
    expect([four[0], four[1], four[3]]).toEqual([5, 1, 3])
    expect(four[2]).toBeCloseTo(3, 6)
  })

  test('a NaN component leaves the filter on its face and its neighbors, and leaves one corner at most', () => {
    const view = srvOf(floatTexture({ dimension: 'texturecube', width: 1 }, [1, 2, 3, 4, 5, 6]))
    // Y is lost, so X is the major axis although Z is greater: u lies far off the face, v is no number and texel 0.
    const four = gather(view, POINT, { x: 0.01, y: Number.NaN, z: 5 })
    // The left ones of the square are +Z, and over the lower edge of +X there is -Y; the lower left one is missing.
    expect([four[1], four[2], four[3]]).toEqual([4, 1, 5])
    expect(four[0]).toBeCloseTo((4 + 1 + 5) / 3, 6)
  })
})
