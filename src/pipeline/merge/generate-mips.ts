import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { Srv, TextureSrv, ViewLevel } from '../../machine/index.ts'
import { createMean, type Mean } from './mean.ts'

/**
 * GenerateMips: each mip of a view from the one before it. Direct3D leaves the filter open; here every texel is the mean of
 * the area that it covers, so that each source texel counts the same, odd extents too.
 */

/** Source texels that one texel covers along an axis, with whole-number weights of one sum for all texels. */
interface Cover {
  readonly first: number
  readonly weights: readonly number[]
}

/** In units of 1 / (size * sourceSize) of the axis, texel i of the source reaches from i * size to (i + 1) * size. */
function coversOf(size: number, sourceSize: number): { readonly covers: Cover[]; readonly total: number } {
  const unit = sourceSize % size === 0 ? size : 1
  const covers = Array.from({ length: size }, (_, i): Cover => {
    const [from, to] = [i * sourceSize, (i + 1) * sourceSize]
    const first = Math.floor(from / size)
    const weights: number[] = []
    for (let t = first; t * size < to; t++) {
      weights.push((Math.min(to, (t + 1) * size) - Math.max(from, t * size)) / unit)
    }
    return { first, weights }
  })
  return { covers, total: sourceSize / unit }
}

function addBox(mean: Mean, at: number, level: ViewLevel, bytes: number, x: Cover, y: Cover, z: Cover): void {
  for (const [k, wz] of z.weights.entries()) {
    for (const [j, wy] of y.weights.entries()) {
      const row = at + (z.first + k) * level.slicePitch + (y.first + j) * level.rowPitch + x.first * bytes
      for (const [i, wx] of x.weights.entries()) mean.add(row + i * bytes, wx * wy * wz)
    }
  }
}

/** One mip of one array slice, `slice` bytes behind the first. */
function reduce(view: TextureSrv, mean: Mean, from: ViewLevel, to: ViewLevel, slice: number): void {
  const bytes = view.format.blockByteLength
  const x = coversOf(to.width, from.width)
  const y = coversOf(to.height, from.height)
  const z = coversOf(to.depth, from.depth)
  const total = x.total * y.total * z.total
  for (const [k, cz] of z.covers.entries()) {
    for (const [j, cy] of y.covers.entries()) {
      const row = to.byteOffset + slice + k * to.slicePitch + j * to.rowPitch
      for (const [i, cx] of x.covers.entries()) {
        addBox(mean, from.byteOffset + slice, from, bytes, cx, cy, cz)
        mean.store(row + i * bytes, total)
      }
    }
  }
}

/** Fills the mips of a view behind its first; answers what was wrong. */
export function generateMips(view: Srv): Diagnostic[] {
  if (view.shape !== 'texture' || view.sampleCount > 1) {
    const what = view.shape === 'texture' ? 'a multisample texture' : 'a buffer'
    return [diagnostic('pipeline-mips', `Mips were requested of ${what}; it has none.`)]
  }
  if (view.format.capabilities.generateMips === 'none') {
    return [diagnostic('pipeline-mips', `Mips of ${view.format.name} cannot be generated.`)]
  }
  const mean = createMean(view.format, view.storage, view.storage)
  for (let slice = 0; slice < view.arraySize; slice++) {
    for (let i = 1; i < view.levels.length; i++) {
      reduce(view, mean, view.levels[i - 1]!, view.levels[i]!, slice * view.arrayPitch)
    }
  }
  return []
}
