/** Vertices, indices, instances and particles of the patterns. */
import type { Parts } from '../../../engine/index.ts'
import { eachInParts } from './parts.ts'
import { createRandom, terrainNoise } from './random.ts'
import type { Writer } from './writer.ts'

type Vector = readonly [number, number, number]

function unitVector(x: number, y: number, z: number): Vector {
  const length = Math.sqrt(x * x + y * y + z * z)
  return [x / length, y / length, z / length]
}

/** A rotation from one number, without sines: both numbers' squares add up to 1. */
function rotation(t: number): readonly [cosine: number, sine: number] {
  return [(1 - t * t) / (1 + t * t), (2 * t) / (1 + t * t)]
}

/** A square of heights from (-1, -1) to (1, 1) in x and z: position, normal, texture coordinate. */
export function* writeTerrain(w: Writer, n: number, seed: number, height: number): Parts {
  const noise = terrainNoise(seed)
  const y = (column: number, row: number): number => (noise(column / n, row / n) - 0.45) * height
  const step = 2 / n
  yield* eachInParts(n + 1, n + 1, (row) => {
    for (let column = 0; column <= n; column++) {
      w.f32((column / n) * 2 - 1, y(column, row), (row / n) * 2 - 1)
      const slopes = [y(column - 1, row) - y(column + 1, row), y(column, row - 1) - y(column, row + 1)] as const
      w.f32(...unitVector(slopes[0], 2 * step, slopes[1]), column / n, row / n)
    }
  })
}

/** Two triangles for each cell of a grid of (n + 1)^2 vertices. */
export function* writeGridIndices(w: Writer, n: number): Parts {
  yield* eachInParts(n, n, (row) => {
    for (let column = 0; column < n; column++) {
      const first = row * (n + 1) + column
      const below = first + n + 1
      w.u32(first, below, first + 1, first + 1, below, below + 1)
    }
  })
}

/** Control points on a plane: position, texture coordinate. */
export function* writePatches(w: Writer, n: number): Parts {
  yield* eachInParts(n + 1, n + 1, (row) => {
    for (let column = 0; column <= n; column++) {
      w.f32((column / n) * 2 - 1, 0, (row / n) * 2 - 1, column / n, row / n)
    }
  })
}

/** Four corners a patch: (0,0) (1,0) (0,1) (1,1). */
export function* writePatchIndices(w: Writer, n: number): Parts {
  yield* eachInParts(n, n, (row) => {
    for (let column = 0; column < n; column++) {
      const first = row * (n + 1) + column
      w.u32(first, first + 1, first + n + 1, first + n + 2)
    }
  })
}

/** Equilateral triangles at random places in clip space, each corner with a color. */
export function* writeLargeTriangles(w: Writer, count: number, seed: number, radius: number): Parts {
  const random = createRandom(seed)
  const half = Math.sqrt(3) / 2
  yield* eachInParts(count, 1, () => {
    const center = [random.between(-0.6, 0.6), random.between(-0.6, 0.6)] as const
    const [cosine, sine] = rotation(random.between(-1, 1))
    const [x, y] = [cosine * radius, sine * radius]
    const corners = [
      [x, y],
      [-x / 2 - y * half, x * half - y / 2],
      [-x / 2 + y * half, -x * half - y / 2],
    ] as const
    for (const [dx, dy] of corners) {
      w.f32(center[0] + dx, center[1] + dy)
      w.u8(random.byte(), random.byte(), random.byte(), random.byte(64, 192))
    }
  })
}

/** Triangles of three random points about a random center, all of one color but for alpha. */
export function* writeSmallTriangles(w: Writer, count: number, seed: number, radius: number): Parts {
  const random = createRandom(seed)
  yield* eachInParts(count, 1, () => {
    const [x, y, z] = [random.between(-1, 1), random.between(-1, 1), random.between(0.05, 0.9)]
    const color = [random.byte(), random.byte(), random.byte()]
    for (let corner = 0; corner < 3; corner++) {
      const offsets = [random.between(-radius, radius), random.between(-radius, radius), random.between(-0.05, 0.05)]
      w.f32(x + offsets[0]!, y + offsets[1]!, z + offsets[2]!)
      w.u8(...color, random.byte(96, 256))
    }
  })
}

/** Instances: place, size, rotation, tint, 4 bytes of padding. */
export function* writeLeafInstances(w: Writer, count: number, seed: number, size: number): Parts {
  const random = createRandom(seed)
  yield* eachInParts(count, 1, () => {
    const place = [random.between(-2, 2), random.between(-1, 1), random.between(-2, 2)]
    w.f32(...place, random.between(0.6, 1.4) * size)
    w.f32(...rotation(random.between(-1, 1)))
    w.u8(random.byte(128), random.byte(160), random.byte(96), 255)
    w.u32(0)
  })
}

/** Points with a size and a color. */
export function* writeParticles(w: Writer, count: number, seed: number, size: number): Parts {
  const random = createRandom(seed)
  yield* eachInParts(count, 1, () => {
    const place = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]
    w.f32(...place, random.between(0.5, 1.5) * size)
    w.u8(random.byte(), random.byte(), random.byte(64), random.byte(32, 160))
  })
}

/** Points with age, velocity and a seed of their own. */
export function* writeMovingParticles(w: Writer, count: number, seed: number): Parts {
  const random = createRandom(seed)
  yield* eachInParts(count, 1, () => {
    const place = [random.between(-1, 1), random.between(0, 2), random.between(-1, 1)]
    w.f32(...place, random.between(0, 4), random.between(-1, 1), random.between(-1, 1), random.between(-1, 1))
    w.u32(random.word())
  })
}
