/** Textures of the patterns: tiles and a leaf with their lower mips, and a texture of heights. */
import type { Parts } from '../../../engine/index.ts'
import { eachInParts } from './parts.ts'
import { createRandom, latticeNoise, terrainNoise } from './random.ts'
import type { Writer } from './writer.ts'

/** Bytes of an RGBA8 picture of `size` a side with all lower mips. */
export function pictureBytes(size: number): number {
  let sum = 0
  for (let side = size; side >= 1; side >>= 1) sum += side * side * 4
  return sum
}

/** Fills the mips below the first: each byte is the rounded mean of the four above it. */
function* fillMips(bytes: Uint8Array, size: number): Parts {
  let [from, to] = [0, size * size * 4]
  for (let side = size >> 1; side >= 1; side >>= 1) {
    const pitch = side * 2 * 4
    const [above, below] = [from, to]
    yield* eachInParts(side, side, (y) => {
      for (let i = 0; i < side * 4; i++) {
        const at = above + 2 * y * pitch + (i >> 2) * 8 + (i & 3)
        const sum = bytes[at]! + bytes[at + 4]! + bytes[at + pitch]! + bytes[at + pitch + 4]!
        bytes[below + y * side * 4 + i] = (sum + 2) >> 2
      }
    })
    from = to
    to += side * side * 4
  }
}

const JOINT_BRIGHTNESS = 40

/** Colored tiles with dark joints. */
export function* writeTiles(w: Writer, size: number, seed: number, cells: number): Parts {
  const random = createRandom(seed)
  const noise = latticeNoise(seed + 1, 32)
  const colors = Array.from({ length: cells * cells }, () => [
    random.byte(60, 250),
    random.byte(60, 250),
    random.byte(60, 250),
  ])
  yield* eachInParts(size, size, (y) => {
    for (let x = 0; x < size; x++) {
      const isJoint = (x * cells) % size < cells * 2 || (y * cells) % size < cells * 2
      const brightness = 0.6 + 0.4 * noise(x / size, y / size)
      const color = colors[Math.floor((y * cells) / size) * cells + Math.floor((x * cells) / size)]!
      w.u8(...color.map((c) => (isJoint ? JOINT_BRIGHTNESS : Math.floor(c * brightness))), 255)
    }
  })
  yield* fillMips(w.bytes, size)
}

export const unorm8 = (v: number): number => Math.floor(Math.min(Math.max(v, 0), 1) * 255 + 0.5)

/** A leaf with a toothed edge and veins; its shape is in alpha. */
export function* writeLeaf(w: Writer, size: number, seed: number): Parts {
  const noise = latticeNoise(seed, 8)
  yield* eachInParts(size, size, (y) => {
    for (let x = 0; x < size; x++) {
      const u = ((x + 0.5) / size) * 2 - 1
      const v = ((y + 0.5) / size) * 2 - 1
      const tooth = Math.floor((((v + 1) * 6) % 1) * 4)
      const halfWidth = 0.8 * (1 - v * v) * (0.8 + (0.2 * tooth) / 3)
      const isVein = Math.abs(u) < 0.04 || Math.abs((v * 4 + Math.abs(u) * 3 + 8) % 1) < 0.12
      const brightness = 0.6 + 0.4 * noise((x + 0.5) / size, (y + 0.5) / size)
      const color = isVein ? [170, 220, 120] : [90, 180, 50]
      w.u8(...color.map((c) => Math.floor(c * brightness)), unorm8(((halfWidth - Math.abs(u)) * size) / 4 + 0.5))
    }
  })
  yield* fillMips(w.bytes, size)
}

/** R32_FLOAT: the noise of the terrain at each texel's center. */
export function* writeHeights(w: Writer, size: number, seed: number): Parts {
  const noise = terrainNoise(seed)
  yield* eachInParts(size, size, (y) => {
    for (let x = 0; x < size; x++) w.f32(noise((x + 0.5) / size, (y + 0.5) / size))
  })
}
